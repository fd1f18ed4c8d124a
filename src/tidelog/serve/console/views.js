/* The Views page: the rows of a relation or the answer to a question, live or as they were at an epoch. */
import { stringify } from "./api.js";
import { html } from "./dom.js";
import { draft } from "./draft.js";
import { FORMATS, save } from "./export.js";
import { follow } from "./feed.js";
import { count, factText } from "./format.js";
import { icon } from "./icons.js";
import { listen, live } from "./live.js";
import { relationList } from "./relation_list.js";
import { replace, to, toWhy } from "./route.js";
import { openTable } from "./rows_table.js";
import { say } from "./shell.js";
import { LIMIT, questionSource, readPage, viewSource } from "./source.js";
import { empty, failed, loading } from "./states.js";

const SOON = 150,
  FILTER = 250;

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
  const { at, ask, ...filters } = params;
  const first = live.program.relations.find((relation) => !relation.base) || live.program.relations[0];
  return {
    name: ask === undefined ? name || first?.name || "" : "",
    ask: ask ?? null,
    at: at === undefined ? null : Number(at),
    filters,
  };
}

function nothing(name) {
  if (!name)
    return empty(
      "No relations yet",
      "Add rules and facts on the Change page.",
      html("a", { class: "button", href: to("change") }, "To Change"),
    );
  return empty(`There is no relation ${name}`, "It may have gone with the last rule that named it.");
}

/* Open the rows of an address; gives what closes them. */
function openRows(card, wanted) {
  const relation = live.names.get(wanted.name),
    first = { row: 0, epoch: 0 };
  const source = () =>
    wanted.ask === null ? viewSource(wanted.name, wanted.at, wanted.filters) : questionSource(wanted.ask, wanted.at);
  const fact = (row) => factText(wanted.name, row, page?.types);
  const table = openTable({
    actions: (row) => (wanted.ask === null ? rowActions(wanted, relation, fact(row), row) : null),
    filtered: wanted.ask === null ? filter : null,
    entered: (row) => {
      if (wanted.ask === null) location.hash = toWhy(fact(row), { at: wanted.at });
    },
  });
  let page = null,
    timer = null,
    filterTimer = null,
    stop = () => {},
    turn = 0;
  const bar = html("div", { class: "head" }),
    box = html("div", { class: "scroll" }, loading("Loading rows", 10)),
    foot = html("div", { class: "foot" });
  card.replaceChildren(bar, box, foot);
  drawHead(bar, wanted, source);

  async function read() {
    const mine = ++turn;
    timer = null;
    try {
      const got = await readPage(source(), first.row, first.epoch);
      if (mine !== turn) return;
      const before = page === null;
      if (wanted.ask !== null && page && !page.next && !got.next) compare(table, got);
      page = got;
      first.epoch = got.epoch;
      table.show(got, wanted.filters);
      showBody();
      if (before && wanted.at === null && wanted.ask === null)
        stop = follow(`/changes/${encodeURIComponent(wanted.name)}`, got.epoch, { taken, state: () => {} });
    } catch (error) {
      if (mine === turn) box.replaceChildren(failed(error, read));
    }
  }
  function showBody() {
    const none = !table.table.tBodies[0].children.length;
    const filtered = Object.values(wanted.filters).some(Boolean);
    box.replaceChildren(
      html("div", { class: "table" }, table.table),
      none
        ? empty(
            filtered ? "No row matches" : "No rows",
            filtered ? "Filters ask for equal values." : "Rows appear here as soon as there are any.",
          )
        : "",
    );
    drawFoot();
  }
  function taken(event, kind) {
    if (kind !== "change") return;
    table.note(event.plus, event.minus);
    soon();
  }
  function soon() {
    if (timer === null) timer = setTimeout(read, SOON);
  }
  function filter(column, value) {
    clearTimeout(filterTimer);
    filterTimer = setTimeout(() => {
      wanted.filters = { ...wanted.filters, [column]: value };
      first.row = 0;
      replace(to("views", wanted.name, { ...wanted.filters, at: wanted.at }));
      read();
    }, FILTER);
  }
  function go(step) {
    first.row = Math.max(0, first.row + step * LIMIT);
    read().then(() => {
      box.scrollTop = 0;
    });
  }
  function drawFoot() {
    const shown = page.rows.length,
      from = shown ? first.row + 1 : 0;
    const total = page.total === undefined ? "" : ` of ${count(page.total)}`;
    foot.replaceChildren(
      html(
        "span",
        { class: "soft" },
        `rows ${count(from)}–${count(first.row + shown)}${total}, epoch ${count(page.epoch)}`,
      ),
      html(
        "span",
        { class: "pager" },
        html("button", { type: "button", disabled: first.row === 0, onclick: () => go(-1) }, icon("back"), "Previous"),
        html("button", { type: "button", disabled: !page.next, onclick: () => go(1) }, "Next", icon("open")),
      ),
    );
  }
  read();
  const ends = [
    listen("back", () => {
      if (page) soon();
    }),
    wanted.ask !== null && wanted.at === null ? listen("epoch", soon) : () => {},
  ];
  return () => {
    turn++;
    stop();
    table.close();
    clearTimeout(timer);
    clearTimeout(filterTimer);
    ends.forEach((end) => end());
  };
}

/* Of an answer that fits a page, what came and went since it was last read. */
function compare(table, got) {
  const before = table.rows(),
    after = new Map(got.rows.map((row) => [stringify(row), row]));
  const missing = (one, other) => [...one].filter(([key]) => !other.has(key)).map(([, row]) => row);
  table.note(missing(after, before), missing(before, after));
}

function rowActions(wanted, relation, fact, row) {
  const remove = () => {
    draft.change("delete", wanted.name, row);
    say(`${fact} will be deleted: see Change`);
  };
  return [
    html("a", { href: toWhy(fact, { at: wanted.at }), "aria-label": `Why ${fact}` }, "why"),
    wanted.at === null &&
      relation.base &&
      !live.info.read_only &&
      html("button", { class: "link", type: "button", "aria-label": `Delete ${fact}`, onclick: remove }, "delete"),
  ];
}

/* A question about a relation, with its columns for variables. */
function example(relation) {
  const names = relation?.columns.map(({ name }) => name) || [];
  const variables =
    live.program.convention === "souffle" ? names : names.map((name) => name[0].toUpperCase() + name.slice(1));
  return relation ? `${relation.name}(${variables.join(", ")}), …` : "a body of atoms";
}

function drawHead(bar, wanted, source) {
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
  const title = wanted.ask === null ? wanted.name : "Answer";
  bar.replaceChildren(
    html("h1", {}, title, relation && html("span", { class: "tag" }, relation.base ? "base" : "view")),
    html("form", { class: "ask", onsubmit: asked, role: "search" }, ask, html("button", {}, "Ask")),
    epochField(wanted),
    html(
      "span",
      { class: "exports", role: "group", "aria-label": "Export" },
      icon("download"),
      Object.keys(FORMATS).map((format) =>
        html(
          "button",
          {
            type: "button",
            class: "small",
            "data-format": format,
            "aria-label": `Export as ${format}`,
            onclick: () => save(source(), format).catch((error) => say(error.message, "bad")),
          },
          format,
        ),
      ),
    ),
  );
  if (wanted.at !== null)
    bar.append(
      html(
        "p",
        { class: "past" },
        icon("clock"),
        `As of epoch ${count(wanted.at)}. `,
        html("a", { href: addressOf(wanted, null) }, "Back to now"),
      ),
    );
}

const addressOf = (wanted, at) =>
  to("views", wanted.name, wanted.ask === null ? { ...wanted.filters, at } : { ask: wanted.ask, at });

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
