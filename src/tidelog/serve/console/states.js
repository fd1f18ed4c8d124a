/* What is shown instead of content: loading, empty, failed. Law: each has the height of the content it replaces.
 */
import { html } from "./dom.js";
import { icon } from "./icons.js";

export function loading(label = "Loading", lines = 4) {
  const bars = Array.from({ length: lines }, (_, i) => html("i", { class: `bone w${(i % 3) + 1}` }));
  return html("div", { class: "state loading", role: "status", "aria-label": label }, bars);
}

export function empty(title, hint = "", ...actions) {
  return html(
    "div",
    { class: "state empty" },
    icon("wave"),
    html("strong", {}, title),
    hint && html("p", {}, hint),
    actions,
  );
}

/* An error of the server: what is wrong, where, notes, hint and code, and a button to retry. */
export function failed(error, again = null) {
  const told = error.diagnostics?.length ? error.diagnostics : [error];
  return html(
    "div",
    { class: "state failed", role: "alert" },
    icon("alert"),
    told.map(finding),
    again && html("button", { type: "button", onclick: again }, "Try again"),
  );
}

function finding({ message, where, notes = [], hint, code }) {
  return [
    html("strong", {}, message),
    where?.line && html("p", {}, `line ${where.line}, column ${where.column}`),
    notes.map((note) => html("p", {}, note)),
    hint && html("p", {}, hint),
    code && html("code", {}, code),
  ];
}

/* Show a promise in a box: loading, then what `show` makes of it, or the failure. */
export async function settle(box, promise, show, { again = null, lines = 4 } = {}) {
  const turn = Symbol("turn");
  box.turn = turn;
  if (!box.children.length) box.replaceChildren(loading("Loading", lines));
  try {
    const value = await promise;
    if (box.turn === turn) box.replaceChildren(...[show(value)].flat());
  } catch (error) {
    if (error.name !== "AbortError" && box.turn === turn) box.replaceChildren(failed(error, again));
  }
}
