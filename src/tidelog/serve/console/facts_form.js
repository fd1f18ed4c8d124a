/* Facts to insert or delete: one by its columns, or many as lines. */
import { declaredRelations, relationOf } from "./declared.js";
import { draft } from "./draft.js";
import { html } from "./dom.js";
import { live } from "./live.js";
import { readLines, readValue } from "./typed.js";

export function factsForm(wanted) {
  const told = html("p", { class: "told", role: "alert" });
  const picker = html("select", { id: "relation", "aria-label": "Relation", onchange: () => draw() });
  const cells = html("div", { class: "cells" });
  const lines = html("textarea", {
    class: "mono",
    rows: 4,
    spellcheck: "false",
    "aria-label": "Rows, one per line",
    placeholder: "1, 2\n2, 3",
  });
  const many = html("details", {}, html("summary", {}, "Several rows"), lines);
  const act = (sign) =>
    html(
      "button",
      { type: "button", class: sign, "data-sign": sign, onclick: () => add(sign) },
      sign === "insert" ? "Insert" : "Delete",
    );
  const box = html(
    "form",
    {
      class: "form",
      onsubmit: (event) => {
        event.preventDefault();
        add("insert");
      },
    },
    html("label", { for: "relation" }, "Relation"),
    picker,
    cells,
    many,
    html("div", { class: "row" }, act("insert"), act("delete"), told),
    html("input", { type: "submit", hidden: true }),
  );
  let chosen = wanted;

  const relation = () => relationOf(picker.value);
  function renew() {
    const groups = [
      ["Declared in the next epoch", declaredRelations()],
      ["Base relations", live.program.relations.filter((each) => each.base)],
      ["Views, which may also contain asserted facts", live.program.relations.filter((each) => !each.base)],
    ].map(([label, found]) =>
      html(
        "optgroup",
        { label },
        found.map(({ name }) => html("option", { value: name }, name)),
      ),
    );
    const before = picker.value || chosen;
    picker.replaceChildren(...groups.filter((group) => group.children.length));
    if (relationOf(before)) picker.value = before;
    if (!chosen || picker.value !== chosen || !cells.children.length) draw();
  }
  function draw() {
    chosen = picker.value;
    const columns = relation()?.columns || [];
    cells.replaceChildren(
      ...columns.map((column, i) =>
        html(
          "label",
          {},
          html("span", {}, column.name, html("small", {}, column.type)),
          html("input", { type: "text", class: "mono", "data-cell": i, autocomplete: "off", spellcheck: "false" }),
        ),
      ),
    );
    if (!relation())
      cells.replaceChildren(html("p", { class: "soft" }, "There are no relations yet. Declare one under Rules."));
    told.textContent = "";
  }
  function rows() {
    const { columns } = relation();
    if (many.open && lines.value.trim()) return readLines(lines.value, columns);
    return [[...cells.querySelectorAll("input")].map((field, i) => readValue(field.value, columns[i].type))];
  }
  function add(sign) {
    if (!relation()) return;
    try {
      for (const row of rows()) draft.change(sign, picker.value, row);
      told.textContent = "";
      lines.value = "";
      for (const field of cells.querySelectorAll("input")) field.value = "";
      cells.querySelector("input")?.focus();
    } catch (error) {
      told.replaceChildren(html("span", {}, error.message));
    }
  }
  renew();
  return { box, renew };
}
