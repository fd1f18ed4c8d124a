// Search from a folder: a page that was opened as a file may not start a worker, so the worker of the search box runs in
// a hidden frame. Loaded by the theme before its own scripts; pages from a server are left alone.
if (location.protocol === "file:") {
  const prelude = `
    var postMessage = (data) => parent.postMessage(data, "*");
    var importScripts = (...urls) => urls.reduce(
      (before, url) => before.then(() => new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = done;
        script.onerror = failed;
        document.body.append(script);
      })),
      Promise.resolve());
  `;

  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentDocument;
      this.ready = new Promise((done) => (this.frame.contentWindow.started = done));
      window.addEventListener("message", ({ source, data }) => {
        if (source === this.frame.contentWindow) this.dispatchEvent(new MessageEvent("message", { data }));
      });
      inner.open();
      inner.write(
        `<body><script>${prelude}<\/script><script src="${url}"><\/script><script>started();<\/script></body>`,
      );
      inner.close();
    }
    postMessage(data) {
      // The frame's own `postMessage` is the worker's, which sends to this page.
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
