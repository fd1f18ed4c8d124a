/* The console: signs in, opens pages by their address. Law: one page is open at a time, and what it started ends with
   it. */
import { ApiError, token } from "./api.js";
import { el } from "./dom.js";
import { watchFields } from "./fields.js";
import { listenToKeys } from "./keys.js";
import { connect, disconnect } from "./live.js";
import { showLogin } from "./login.js";
import { here } from "./route.js";
import { drawBar, markPage } from "./shell.js";
import { startSampling } from "./samples.js";
import { failed, loading } from "./states.js";
import { openChange } from "./change.js";
import { openProgram } from "./program.js";
import { openRunning } from "./running.js";
import { openViews } from "./views.js";
import { openWhy } from "./why.js";

const PAGES = {
  program: ["Program", openProgram],
  views: ["Views", openViews],
  why: ["Why", openWhy],
  change: ["Change", openChange],
  running: ["Running", openRunning],
};
let close = null,
  opened = "";

function leave() {
  if (close) close();
  close = null;
  opened = "";
}

/* Open the page that the address names; an open page may handle its new address. */
function show(focus) {
  const route = here();
  const page = PAGES[route.page] ? route.page : "program";
  const [title, open] = PAGES[page],
    main = el("main");
  if (opened === page && main.renew && main.renew(route)) return;
  leave();
  main.renew = null;
  document.title = `${title} · Tidelog`;
  main.className = `page ${page}`;
  main.replaceChildren();
  markPage(page);
  close = open(main, route);
  opened = page;
  if (focus) main.focus({ preventScroll: true });
}

async function start() {
  leave();
  const main = el("main");
  main.className = "page";
  main.replaceChildren(loading("Connecting", 6));
  try {
    await connect();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    main.replaceChildren(failed(error, start));
    return;
  }
  drawBar(signOut);
  startSampling();
  show(false);
}

function signOut(told = null) {
  leave();
  disconnect();
  token.clear();
  el("bar").hidden = true;
  showLogin(el("main"), start, told);
}

document.addEventListener("signed-out", () => {
  if (token.get()) signOut("The server rejected this token.");
});
window.addEventListener("hashchange", () => {
  if (opened) show(true);
});
listenToKeys();
watchFields();
if (token.get()) start();
else signOut();
