/* Keys. Law: a key that types does nothing else; what keys do is listed under "?". */
import { el, html } from "./dom.js";
import { to } from "./route.js";

const PAGES = ["program", "views", "why", "change", "running"];
const LIST = [
  ["1 … 5", "Program, Views, Why, Change, Running"],
  ["/", "go to the search or filter of the page"],
  ["↑ ↓ ← →", "move through a table, a tree or the nodes of the graph"],
  ["Enter", "open or select the focused item"],
  ["w", "in a table: explain this row"],
  ["Ctrl Enter", "on Change: dry run"],
  ["?", "show this list"],
  ["Esc", "close"],
];

const typing = (node) => ["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName) || node.isContentEditable;

export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || el("bar").hidden) return;
    if (event.key >= "1" && event.key <= "5") location.hash = to(PAGES[Number(event.key) - 1]);
    else if (event.key === "?") showKeys();
    else if (event.key === "/") find(event);
  });
}

function find(event) {
  const field = document.querySelector("main [data-find]");
  if (!field) return;
  event.preventDefault();
  field.focus();
}

export function showKeys() {
  if (el("keys")) return;
  const rows = LIST.map(([key, what]) => html("div", {}, html("dt", {}, html("kbd", {}, key)), html("dd", {}, what)));
  const dialog = html(
    "dialog",
    { id: "keys", class: "card", "aria-label": "Keys", onclose: (event) => event.target.remove() },
    html("h1", {}, "Keys"),
    html("dl", {}, rows),
    html("form", { method: "dialog" }, html("button", { class: "primary" }, "Close")),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/* Arrow keys move the focus through the elements that a selector finds in a box. */
export function arrows(box, selector, back = "ArrowUp", on = "ArrowDown") {
  box.addEventListener("keydown", (event) => {
    if (event.key !== back && event.key !== on) return;
    const found = [...box.querySelectorAll(selector)],
      at = found.indexOf(event.target);
    const next = at < 0 ? null : found[at + (event.key === on ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
