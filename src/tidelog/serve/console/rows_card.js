/* The rows of a view or of a question, a page at a time. Law: what is shown is a page of one epoch; a feed says when to
   read it again, and which rows to mark. However fast epochs come, one page is read after the other. */
import { stringify } from "./api.js";
import { html } from "./dom.js";
import { draft } from "./draft.js";
import { follow } from "./feed.js";
import { count, factText } from "./format.js";
import { icon } from "./icons.js";
import { listen, live } from "./live.js";
import { replace, to, toView, toWhy } from "./route.js";
import { drawHead } from "./rows_head.js";
import { openTable } from "./rows_table.js";
import { say } from "./shell.js";
import { LIMIT, questionSource, readPage, undefinedSource, viewSource } from "./source.js";
import { empty, failed, loading } from "./states.js";

const SOON = 150,
  FILTER = 250,
  ELSEWHERE = 8000;

/* Open the rows of an address {name, ask, at, isUndefined, filters} in a card; returns a function that closes them. */
export function openRows(card, wanted) {
  const isView = wanted.ask === null && !wanted.isUndefined,
    isLive = wanted.at === null;
  const state = { page: null, row: 0, epoch: 0, turn: 0, timer: null, late: false };
  Object.assign(state, { came: [], went: [], elsewhere: null, undefined: {} });
  const fact = (row) => factText(wanted.name, row, state.page.types);
  const table = openTable({
    actions: (row) => (isView ? rowActions(wanted, fact(row), row) : null),
    filtered: isView ? filter : null,
    entered: (row) => {
      if (isView) location.hash = toWhy(fact(row), { at: wanted.at });
    },
  });
  const frame = html("div", { class: "table" }, table.table),
    none = html("div", {});
  const box = html("div", { class: "scroll" }, loading("Loading rows", 10)),
    foot = html("div", { class: "foot" }),
    bar = html("div", { class: "head" });
  let filterTimer = null,
    stop = () => {};
  card.replaceChildren(bar, box, foot);
  const endExport = drawHead(bar, wanted, source);

  function source() {
    if (wanted.isUndefined) return undefinedSource(wanted.name, wanted.at);
    return isView ? viewSource(wanted.name, wanted.at, wanted.filters) : questionSource(wanted.ask, wanted.at);
  }
  async function read() {
    const mine = ++state.turn;
    try {
      const page = await readPage(source(), state.row, state.epoch);
      if (mine !== state.turn) return;
      if (page.rows.length || !state.row) show(page);
      else go(-state.row / LIMIT);
    } catch (error) {
      if (mine === state.turn) box.replaceChildren(failed(error, read));
    }
  }
  function show(page) {
    if (!isView && state.page && !state.page.next && !page.next) compare(table, page);
    const isFirst = state.page === null,
      moved = elsewhere(page);
    const isFiltered = Object.values(wanted.filters).some(Boolean);
    if (!isFiltered && (moved.plus || moved.minus)) state.elsewhere = { ...moved, until: Date.now() + ELSEWHERE };
    else if (state.elsewhere?.until < Date.now()) state.elsewhere = null;
    if (!state.row) state.undefined = page.undefined || {};
    state.page = page;
    state.epoch = page.epoch;
    table.show(page, wanted.filters);
    none.replaceChildren(...(table.rows().size ? [] : [nothing(wanted)]));
    if (frame.parentElement !== box) box.replaceChildren(frame, none);
    foot.replaceChildren(...footer(state, go), ...undefinedNotes(state, wanted.at));
    if (isFirst && isLive && isView)
      stop = follow(`/changes/${encodeURIComponent(wanted.name)}`, page.epoch, { taken, state: () => {} });
  }
  function taken(event, kind) {
    if (kind !== "change") return;
    table.note(event.plus, event.minus);
    state.came.push(...event.plus);
    state.went.push(...event.minus);
    soon();
  }
  /* How many of the rows that came and went since the last reading are not on this page, before or after. */
  function elsewhere(page) {
    const here = new Set([...(state.page?.rows || []), ...page.rows].map(stringify));
    const away = (rows) => rows.filter((row) => !here.has(stringify(row))).length,
      [plus, minus] = [away(state.came), away(state.went)];
    [state.came, state.went] = [[], []];
    return { plus, minus, epoch: page.epoch };
  }
  function soon() {
    state.late = true;
    if (state.timer === null) state.timer = setTimeout(readLate, SOON);
  }
  async function readLate() {
    state.late = false;
    await read();
    state.timer = state.late ? setTimeout(readLate, SOON) : null;
  }
  function filter(column, value) {
    clearTimeout(filterTimer);
    filterTimer = setTimeout(() => {
      wanted.filters = { ...wanted.filters, [column]: value };
      state.row = 0;
      replace(to("views", wanted.name, { ...wanted.filters, at: wanted.at }));
      read();
    }, FILTER);
  }
  async function go(step) {
    state.row = Math.max(0, state.row + step * LIMIT);
    await read();
    box.scrollTop = 0;
  }
  function close() {
    state.turn++;
    stop();
    endExport();
    table.close();
    [state.timer, filterTimer].forEach(clearTimeout);
    ends.forEach((end) => end());
  }
  read();
  const ends = [listen("back", soon)];
  if (!isView && isLive) ends.push(listen("epoch", soon));
  return close;
}

function footer({ page, row, elsewhere }, go) {
  const last = row + page.rows.length;
  const button = (step, able, ...inside) =>
    html("button", { type: "button", disabled: !able, onclick: () => go(step) }, inside);
  return [
    html(
      "span",
      { class: "soft" },
      `rows ${count(last && row + 1)}–${count(last)} of ${count(page.total)}, epoch ${count(page.epoch)}`,
    ),
    elsewhere &&
      html(
        "span",
        { class: "elsewhere", role: "status" },
        "on other pages: ",
        elsewhere.plus > 0 && html("b", { class: "gain" }, `+${count(elsewhere.plus)} `),
        elsewhere.minus > 0 && html("b", { class: "loss" }, `−${count(elsewhere.minus)} `),
        `in epoch ${count(elsewhere.epoch)}`,
      ),
    html(
      "span",
      { class: "pager" },
      button(-1, row > 0, icon("back"), "Previous"),
      button(1, page.next, "Next", icon("open")),
    ),
  ].filter(Boolean);
}

/* Which relations have facts that are neither true nor false, with links to them. */
function undefinedNotes({ undefined: counts }, at) {
  return Object.entries(counts).map(([name, number]) =>
    html(
      "span",
      { class: "undefined", role: "status" },
      `${name}: ${count(number)} undefined, not shown. `,
      html("a", { href: toView(name, { undefined: "yes", at }) }, "Show"),
    ),
  );
}

function nothing(wanted) {
  const isFiltered = Object.values(wanted.filters).some(Boolean);
  return isFiltered
    ? empty("No row matches", "Filters match equal values.")
    : empty("No rows", "Rows appear here when they are added.");
}

/* Of an answer that fits a page, what came and went since it was last read. */
function compare(table, got) {
  const before = table.rows(),
    after = new Map(got.rows.map((row) => [stringify(row), row]));
  const missing = (one, other) => [...one].filter(([key]) => !other.has(key)).map(([, row]) => row);
  table.note(missing(after, before), missing(before, after));
}

function rowActions(wanted, fact, row) {
  const remove = () => {
    draft.change("delete", wanted.name, row);
    say(`Deletion of ${fact} added: see Change`);
  };
  return [
    html("a", { href: toWhy(fact, { at: wanted.at }), "aria-label": `Why ${fact}` }, "why"),
    wanted.at === null &&
      live.names.get(wanted.name).base &&
      !live.info.read_only &&
      html("button", { class: "link", type: "button", "aria-label": `Delete ${fact}`, onclick: remove }, "delete"),
  ];
}
