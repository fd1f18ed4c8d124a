/* Above the rows: what they are, a question, the way back in time, and export. */
import { html } from "./dom.js";
import { FORMATS, startExport } from "./export.js";
import { count } from "./format.js";
import { icon } from "./icons.js";
import { live } from "./live.js";
import { incompleteTag } from "./relation_list.js";
import { to } from "./route.js";
import { say } from "./shell.js";

/* A question about a relation, with its columns for variables. */
function example(relation) {
  const names = relation?.columns.map(({ name }) => name) || [];
  const variables =
    live.program.convention === "souffle" ? names : names.map((name) => name[0].toUpperCase() + name.slice(1));
  return relation ? `${relation.name}(${variables.join(", ")}), …` : "the body of a rule";
}

/* Draw it; returns a function that cancels a running export. */
export function drawHead(bar, wanted, source) {
  const exporting = html("p", { class: "exporting", "aria-live": "polite" });
  let cancel = () => {};
  const relation = live.names.get(wanted.name);
  const ask = html("input", {
    type: "text",
    value: wanted.ask || "",
    placeholder: `Ask: ${example(relation)}`,
    "aria-label": "A question",
    spellcheck: "false",
    class: "mono",
  });
  const asked = (event) => {
    event.preventDefault();
    if (ask.value.trim()) location.hash = to("views", "", { ask: ask.value.trim(), at: wanted.at });
  };
  const title = wanted.ask === null ? wanted.name : "Answer",
    state = wanted.isUndefined ? " (undefined)" : "";
  bar.replaceChildren(
    html(
      "h1",
      {},
      title + state,
      relation && html("span", { class: "tag" }, relation.base ? "base" : "view"),
      relation && incompleteTag(relation),
    ),
    html("form", { class: "ask", onsubmit: asked, role: "search" }, ask, html("button", {}, "Ask")),
    epochField(wanted),
    html(
      "span",
      { class: "exports", role: "group", "aria-label": "Export" },
      icon("download"),
      Object.entries(FORMATS).map(([format, [, , , purpose]]) =>
        html(
          "button",
          {
            type: "button",
            class: "small",
            "data-format": format,
            title: purpose,
            onclick: () => {
              cancel();
              cancel = startExport(exporting, source(), format, (error) => say(error.message, "bad"));
            },
          },
          format,
        ),
      ),
    ),
    exporting,
  );
  if (wanted.at !== null)
    bar.append(
      html(
        "p",
        { class: "past" },
        icon("clock"),
        `As of epoch ${count(wanted.at)}. `,
        html("a", { href: addressOf(wanted, null) }, "Back to the current epoch"),
      ),
    );
  return () => cancel();
}

function addressOf(wanted, at) {
  if (wanted.isUndefined) return to("views", wanted.name, { undefined: "yes", at });
  return to("views", wanted.name, wanted.ask === null ? { ...wanted.filters, at } : { ask: wanted.ask, at });
}

function epochField(wanted) {
  const field = html("input", {
    type: "number",
    min: 0,
    value: wanted.at ?? "",
    placeholder: "now",
    "aria-label": "As of epoch",
    onchange: () => {
      location.hash = addressOf(wanted, field.value === "" ? null : field.value);
    },
  });
  return html("label", { class: "epoch", title: "Go back in time" }, icon("clock"), field);
}
