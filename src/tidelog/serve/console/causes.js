/* Which changes caused a fact to come or go: asked for by a button, since the search runs epochs again. */
import { call } from "./api.js";
import { html } from "./dom.js";
import { clock, count } from "./format.js";
import { settle } from "./states.js";

const CHANGES = { added: "was added", removed: "was removed", changed: "was changed" };

export function causes(fact) {
  const box = html("section", { class: "causes", "aria-label": "Causes", "aria-live": "polite" });
  const ask = () => settle(box, call("/blame", { params: { fact } }), showCauses, { again: ask, lines: 3 });
  box.append(
    html(
      "button",
      {
        type: "button",
        onclick: () => {
          box.replaceChildren();
          ask();
        },
      },
      "Which change caused it?",
    ),
  );
  return box;
}

function showCauses(told) {
  return [
    html("h2", {}, `${told.fact} ${CHANGES[told.what]} ${origin(told.origin)}, because`),
    html("ul", {}, told.causes.map(cause)),
  ];
}

function cause(found) {
  const steps = found.path.slice(0, -1).map((step) => html("li", {}, step));
  return html(
    "li",
    {},
    html("b", {}, found.text),
    html("span", { class: "soft" }, origin(found.origin)),
    steps.length > 0 && html("ol", { "aria-label": "The path from the fact to the change" }, steps),
  );
}

function origin(epoch) {
  const by = [epoch.author, epoch.note].filter(Boolean).join(": ");
  return `in epoch ${count(epoch.epoch)}${by ? ` (${by})` : ""}, ${clock(epoch.time)}`;
}
