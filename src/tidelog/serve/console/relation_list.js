/* The list of relations beside the rows: views first, sizes that follow the feed; on a narrow screen a choice. */
import { html } from "./dom.js";
import { short } from "./format.js";
import { arrows } from "./keys.js";
import { live } from "./live.js";
import { toView } from "./route.js";

/* Marks a relation that lacks rows, or depends on one that does, since they cannot become facts. */
export const incompleteTag = ({ incomplete }) =>
  incomplete?.length > 0 &&
  html(
    "span",
    { class: "tag lacking", title: `${incomplete.join(", ")} does not contain the rows in quarantine; see Running.` },
    "incomplete",
  );

export function relationList(choose) {
  const items = html("div", { class: "items" }),
    picker = html("select", { "aria-label": "Relation", onchange: () => choose(picker.value) });
  const box = html("nav", { class: "card relations-list", "aria-label": "Relations" }, items, picker);
  let chosen = null,
    sizes = new Map();
  arrows(items, "a");

  const parts = () =>
    [
      ["Views", live.program.relations.filter((relation) => !relation.base)],
      ["Base relations", live.program.relations.filter((relation) => relation.base)],
    ].filter(([, found]) => found.length);

  function line(relation) {
    const size = html("span", { class: "size" }, short(relation.size));
    sizes.set(relation.name, size);
    return html(
      "a",
      { href: toView(relation.name), "data-name": relation.name, title: relation.name },
      html("span", { class: "name" }, relation.name),
      incompleteTag(relation),
      size,
    );
  }
  function draw() {
    sizes = new Map();
    items.replaceChildren(...parts().flatMap(([title, found]) => [html("h2", {}, title), ...found.map(line)]));
    picker.replaceChildren(
      ...parts().map(([title, found]) =>
        html(
          "optgroup",
          { label: title },
          found.map(({ name }) => html("option", { value: name }, name)),
        ),
      ),
    );
    pick(chosen);
  }
  function pick(name) {
    chosen = name;
    picker.value = name;
    for (const link of items.querySelectorAll("a")) {
      if (link.dataset.name === name) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
  function changed(event) {
    for (const name of event.names) {
      const size = sizes.get(name),
        relation = live.names.get(name);
      if (!size || !relation) continue;
      size.textContent = short(relation.size);
      size.classList.remove("fresh");
      size.getBoundingClientRect();
      size.classList.add("fresh");
    }
  }
  draw();
  return { box, draw, choose: pick, changed };
}
