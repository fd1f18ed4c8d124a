// Requests, errors and feeds, which all operations share.
//
// Law: integers are exact in both directions: one beyond 2^53 is a bigint. A feed yields every epoch completely, once
// and in order, also when connections break. The token is sent in one header and appears nowhere else.

const PAUSE = 200, LONGEST = 5_000; // milliseconds before a feed is opened again
const SILENCE = 60_000; // milliseconds without data after which a feed is considered broken
const STOPPING = "TL8020"; // the server is about to stop
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export class ServerError extends Error {
  constructor(status, content) {
    super(content.message);
    this.name = "ServerError";
    Object.assign(this, { status, code: content.code, kind: content.kind, notes: content.notes, hint: content.hint, content });
  }
}

export class Connection {
  #url;
  #token;

  constructor(url, token) {
    this.#url = new URL(url).href.replace(/\/+$/, "");
    this.#token = token;
    new Headers({ Authorization: token }); // an invalid address or token is refused here, since a feed would retry
  }

  async send(method, path, { query = {}, body, headers = {}, signal } = {}) {
    const address = new URL(this.#url + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.append(name, value);
    const sent = { Authorization: `Bearer ${this.#token}`, ...headers };
    if (body !== undefined) sent["Content-Type"] = "application/json";
    const response = await fetch(address, { method, headers: sent, body: body === undefined ? undefined : write(body), signal });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async call(method, path, request) {
    const needsBody = method === "POST" && request.body === undefined;
    const response = await this.send(method, path, needsBody ? { ...request, body: {} } : request);
    if (response.status === 204) return undefined;
    const text = await response.text();
    return (response.headers.get("Content-Type") ?? "").startsWith("application/json") ? read(text) : text;
  }

  async *feed(view, { since, signal } = {}) {
    since ??= (await this.call("GET", "/v1", { signal })).epoch;
    for (let pause = PAUSE; ; pause = Math.min(2 * pause, LONGEST)) {
      try {
        for await (const change of this.#connected(view, since, signal)) {
          since = change.epoch;
          pause = PAUSE;
          if (change.plus) yield change;
        }
      } catch (error) {
        if (signal?.aborted || (error instanceof ServerError && error.code !== STOPPING)) throw error;
        if (!(error instanceof ServerError) && !isBroken(error)) throw error;
      }
      await sleep(pause, signal);
    }
  }

  // The complete epochs of one connection, until it ends; those without changes have only their number.
  async *#connected(view, since, signal) {
    const ending = new AbortController();
    const end = () => ending.abort(signal?.aborted ? signal.reason : new BrokenConnection());
    signal?.addEventListener("abort", end, { once: true });
    let alarm;
    const waiting = () => { clearTimeout(alarm); alarm = setTimeout(end, SILENCE); };
    try {
      signal?.throwIfAborted();
      waiting();
      const headers = { Accept: "text/event-stream", "Last-Event-ID": String(since) };
      const response = await this.send("GET", `/v1/changes/${encodeURIComponent(view)}`, { headers, signal: ending.signal });
      let plus = [], minus = [];
      for await (const [kind, data] of events(response.body, waiting)) {
        if (kind !== "change") { yield { epoch: data.epoch }; continue; }
        plus = plus.concat(data.plus);
        minus = minus.concat(data.minus);
        if (data.more) continue;
        yield { epoch: data.epoch, plus, minus };
        plus = [];
        minus = [];
      }
    } finally {
      clearTimeout(alarm);
      signal?.removeEventListener("abort", end);
      ending.abort(new BrokenConnection());
    }
  }
}

class BrokenConnection extends Error {}

// `fetch` raises a TypeError for everything that goes wrong on the network.
function isBroken(error) {
  return error instanceof BrokenConnection || error instanceof TypeError;
}

async function* events(body, onData) {
  const reader = body.getReader(), decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onData();
      text += decoder.decode(value, { stream: true });
      const parts = text.split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const fields = Object.fromEntries(part.split("\n").map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 1).trimStart()]));
        if (fields.data !== undefined) yield [fields.event, read(fields.data)];
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function errorOf(response) {
  const text = await response.text();
  try {
    return new ServerError(response.status, read(text).error);
  } catch {
    const message = `status ${response.status} with a response that is not from a Tidelog server: ${text.slice(0, 80)}`;
    return new ServerError(response.status, { message, code: "TL8041", kind: "ServerError", notes: [], hint: "" });
  }
}

function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const end = () => { clearTimeout(timer); reject(signal.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", end); resolve(); }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

// JSON with exact integers: those that a number cannot hold are marked with a name that the text does not contain.
export function read(text) {
  let mark = "int";
  while (text.includes(mark)) mark += "_";
  let found = false;
  const marked = text.replace(TOKENS, (token) => {
    if (!/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token))) return token;
    found = true;
    return `{"${mark}":"${token}"}`;
  });
  return found ? JSON.parse(marked, (_, value) => (value !== null && typeof value === "object" && mark in value ? BigInt(value[mark]) : value)) : JSON.parse(text);
}

export function write(value) {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object" || typeof value.toJSON === "function") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const fields = Object.entries(value).filter(([, own]) => own !== undefined);
  return `{${fields.map(([name, own]) => `${JSON.stringify(name)}:${write(own)}`).join(",")}}`;
}
