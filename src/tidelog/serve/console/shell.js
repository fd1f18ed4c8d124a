/* The bar: the name, the five pages, the epoch and whether the feed is alive, the look, the way out. */
import { el, html } from "./dom.js";
import { count } from "./format.js";
import { icon } from "./icons.js";
import { showKeys } from "./keys.js";
import { listen, live } from "./live.js";
import { to } from "./route.js";

const NAMES = { program: "Program", views: "Views", why: "Why", change: "Change", running: "Running" };
const LOOKS = ["auto", "light", "dark"],
  SIGNS = { auto: "auto", light: "sun", dark: "moon" };
const STATES = { connecting: "connecting", live: "live", lost: "connection lost, reconnecting" };
const LOOK = "tidelog look";

let ends = [];

export function drawBar(signOut) {
  ends.forEach((end) => end());
  const links = Object.entries(NAMES).map(([page, name]) =>
    html("a", { href: to(page), "data-page": page }, icon(page), html("span", {}, name)),
  );
  const pill = html("span", { class: "pill", id: "pulse", role: "status" });
  const look = html("button", { class: "plain", type: "button", id: "look", onclick: nextLook });
  el("bar").replaceChildren(
    html(
      "a",
      { class: "brand", href: to("program"), "aria-label": "Tidelog, go to the program" },
      icon("wave"),
      html("b", {}, "Tidelog"),
    ),
    html("nav", { "aria-label": "Pages" }, links),
    html(
      "span",
      { class: "tail" },
      pill,
      look,
      html(
        "button",
        { class: "plain wide-only", type: "button", "aria-label": "Keys", title: "Keys (?)", onclick: showKeys },
        icon("keys"),
      ),
      html(
        "button",
        { class: "plain", type: "button", "aria-label": "Sign out", title: "Sign out", onclick: () => signOut() },
        icon("leave"),
      ),
    ),
  );
  el("bar").hidden = false;
  const show = () => showPulse(pill);
  ends = [listen("state", show), listen("epoch", show), listen("program", show)];
  show();
  showLook(look);
}

function showPulse(pill) {
  pill.className = `pill ${live.state}`;
  pill.title = STATES[live.state];
  pill.replaceChildren(
    html("i", {}),
    html("span", {}, live.state === "lost" ? "reconnecting" : `epoch ${count(live.epoch)}`),
  );
  pill.setAttribute("aria-label", `${STATES[live.state]}, epoch ${live.epoch}`);
}

export function markPage(page) {
  for (const link of el("bar").querySelectorAll("nav a")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

const chosenLook = () => localStorage.getItem(LOOK) || "auto";
function applyLook() {
  if (chosenLook() === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosenLook();
}
function nextLook(event) {
  localStorage.setItem(LOOK, LOOKS[(LOOKS.indexOf(chosenLook()) + 1) % LOOKS.length]);
  applyLook();
  showLook(event.currentTarget);
}
function showLook(button) {
  button.replaceChildren(icon(SIGNS[chosenLook()]));
  button.title = button.ariaLabel = `Look: ${chosenLook()}`;
}
applyLook();

/* Say something for a moment, at the foot of the page. */
let saidTimer = null;
export function say(message, kind = "") {
  const box = el("said");
  box.className = `said shown ${kind}`;
  box.replaceChildren(html("span", {}, message));
  clearTimeout(saidTimer);
  saidTimer = setTimeout(() => {
    box.className = "said";
  }, 4000);
}
