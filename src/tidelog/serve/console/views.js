/* The Views page: the rows of a relation or the answer to a question, live or as they were at an epoch. */
import { html } from "./dom.js";
import { listen, live } from "./live.js";
import { relationList } from "./relation_list.js";
import { to } from "./route.js";
import { openRows } from "./rows_card.js";
import { empty } from "./states.js";

export function openViews(main, route) {
  const list = relationList((name) => {
    location.hash = to("views", name, now.at === null ? {} : { at: now.at });
  });
  const card = html("section", { class: "card main", "aria-label": "Rows" });
  main.append(list.box, card);
  let now = { at: null },
    close = () => {};
  const open = (next) => {
    close();
    now = readAddress(next);
    list.choose(now.name);
    if (now.ask !== null || live.names.has(now.name)) close = openRows(card, now);
    else card.replaceChildren(nothing(now.name));
  };
  main.renew = (next) => {
    open(next);
    return true;
  };
  open(route);
  const ends = [listen("program", () => list.draw()), listen("epoch", (event) => list.changed(event))];
  return () => {
    ends.forEach((end) => end());
    close();
  };
}

function readAddress({ name, params }) {
  const { at, ask, undefined: isUndefined, ...filters } = params;
  const first = live.program.relations.find((relation) => !relation.base) || live.program.relations[0];
  return {
    name: ask === undefined ? name || first?.name || "" : "",
    ask: ask ?? null,
    isUndefined: isUndefined !== undefined,
    at: at === undefined ? null : Number(at),
    filters,
  };
}

function nothing(name) {
  if (!name)
    return empty(
      "No relations yet",
      "Add rules and facts on the Change page.",
      html("a", { class: "button", href: to("change") }, "Go to Change"),
    );
  return empty(`There is no relation ${name}`, "It may have been removed together with its last rule.");
}
