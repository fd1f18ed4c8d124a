/* What the next epoch holds, part by part; each can be taken back. */
import { draft } from "./draft.js";
import { html } from "./dom.js";
import { factText } from "./format.js";
import { highlighted } from "./highlight.js";
import { icon } from "./icons.js";
import { live } from "./live.js";
import { relationOf } from "./declared.js";

const MOST = 200;

export function draftList() {
  const box = html("div", { class: "draft" });
  const types = (name) => relationOf(name)?.columns.map((column) => column.type) || [];
  const part = (sign, text, what) =>
    html(
      "li",
      { class: sign === "+" ? "gain" : "loss" },
      html("b", { "aria-hidden": "true" }, sign),
      html("code", {}, [text].flat().filter(Boolean)),
      html(
        "button",
        {
          class: "plain",
          type: "button",
          "aria-label": `Undo ${sign}${what}`,
          onclick: (event) => take(event.currentTarget.part),
        },
        icon("close"),
      ),
    );
  const take = (each) => draft.drop(each);

  function line(each) {
    let made;
    if (each.declaration) {
      const text = highlighted(each.declaration, { convention: live.program.convention });
      made = part("+", text, "declaration");
    } else if (typeof each === "string") made = part("−", `rule ${each}`, `rule ${each}`);
    else if (each.relation) {
      const text = factText(each.relation, each.row, types(each.relation));
      made = part(each.sign === "insert" ? "+" : "−", text, text);
    } else {
      const text = highlighted(`${each.label ? `${each.label}: ` : ""}${each.text}`, {
        convention: live.program.convention,
      });
      made = part(
        "+",
        [...text, each.replaces && html("span", { class: "tag" }, `replaces ${each.replaces}`)],
        "rule",
      );
    }
    made.querySelector("button").part = each;
    return made;
  }
  function draw() {
    const parts = [...draft.declared, ...draft.removed, ...draft.rules, ...draft.facts];
    const lines = parts.slice(0, MOST).map(line);
    if (parts.length > MOST) lines.push(html("li", { class: "soft" }, `and ${parts.length - MOST} more`));
    box.replaceChildren(
      parts.length
        ? html("ul", { "aria-label": "Changes of the next epoch" }, lines)
        : html("p", { class: "soft" }, "No changes yet."),
    );
  }
  draw();
  return { box, close: draft.listen(draw) };
}
