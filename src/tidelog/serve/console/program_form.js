/* The whole program, to be edited: what an edit would change is shown first. Law: values of columns are given by line,
   `relation.column = expression` over the former columns, or `-relation.column` for one that is dropped. */
import { html } from "./dom.js";
import { openEditor } from "./editor.js";
import { live } from "./live.js";

export function programForm(compare) {
  const editor = openEditor({ label: "Program", placeholder: "", changed: () => {} });
  const columns = html("textarea", {
    class: "mono",
    "aria-label": "Columns",
    placeholder: "changed columns, one per line:\nperson.name = cat(first, last)\n-person.age",
    spellcheck: "false",
    rows: 3,
  });
  const box = html(
    "form",
    { class: "form", onsubmit: (event) => event.preventDefault() },
    editor.box,
    columns,
    html(
      "div",
      { class: "row" },
      html("button", { type: "button", id: "compare", onclick: () => compare(body) }, "Compare"),
    ),
  );
  const body = () => ({ program: editor.value, columns: columnsOf(columns.value) });
  const renew = () => {
    editor.set(live.program.text);
    columns.value = "";
  };
  renew();
  return { box, renew };
}

function columnsOf(text) {
  const found = {};
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (!line) continue;
    const [, dropped, relation, column, value] = /^(-?)(.+?)\.([^.=]+?)\s*(?:=(.*))?$/.exec(line) || [];
    if (!relation || Boolean(dropped) === (value !== undefined))
      throw new Error(`“${line}” is neither relation.column = expression nor -relation.column`);
    (found[relation] ||= {})[column] = dropped ? null : value.trim();
  }
  return found;
}
