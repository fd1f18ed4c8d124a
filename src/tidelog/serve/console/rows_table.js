/* A table of rows that come and go. Law: the rows are those of the last page read; a row that the feed took away stays,
   struck out, in its place for a while, and one that it brought is marked as long. */
import { stringify } from "./api.js";
import { html, visible } from "./dom.js";
import { noteHidden } from "./fields.js";
import { shown } from "./format.js";
import { arrows } from "./keys.js";

const MARKED = 4000;

/* `actions(row)` returns the end of a row; `filtered(column, value)` is called with the text typed into a filter,
   `entered(row)` which row was chosen by a key. */
export function openTable({ actions, filtered, entered }) {
  const head = html("thead"),
    body = html("tbody");
  const table = html("table", { class: "rows" }, head, body);
  const state = { columns: "", rows: [], marks: new Map(), timer: null };
  arrows(body, "tr");
  body.addEventListener("keydown", (event) => {
    if ((event.key === "Enter" || event.key === "w") && event.target.tagName === "TR" && event.target.row)
      entered(event.target.row);
  });

  function drawHead(columns, types, filters) {
    const known = stringify([columns, types]);
    if (state.columns === known) return;
    state.columns = known;
    const names = columns.map((name, i) =>
      html("th", { scope: "col", class: numeric(types[i]) ? "number" : null }, name, html("small", {}, types[i])),
    );
    const fields =
      filtered &&
      columns.map((name) =>
        html(
          "th",
          {},
          html("input", {
            type: "search",
            "aria-label": `Only rows whose ${name} is`,
            placeholder: "any",
            value: filters[name] || "",
            "data-column": name,
            oninput: (event) => filtered(name, event.target.value),
          }),
        ),
      );
    if (fields?.length) fields[0].firstChild.dataset.find = "";
    head.replaceChildren(
      html("tr", {}, names, html("th", { class: "actions" }, html("span", { class: "hidden" }, "Actions"))),
    );
    if (fields) head.append(html("tr", { class: "filters" }, fields, html("th", { class: "actions" })));
    for (const field of head.querySelectorAll("input")) noteHidden(field);
  }

  function drawRows(types) {
    const focused = body.contains(document.activeElement) ? document.activeElement.closest("tr")?.dataset.key : null;
    const old = new Map([...body.children].map((line) => [line.dataset.key, line]));
    const lines = state.rows.map(([key, row]) => old.get(key) || rowLine(key, row, types));
    body.replaceChildren(...lines);
    for (const line of lines) mark(line);
    if (focused) old.get(focused)?.focus({ preventScroll: true });
  }

  function rowLine(key, row, types) {
    const line = html(
      "tr",
      { tabindex: 0, "data-key": key },
      row.map((value, i) =>
        html(
          "td",
          { class: numeric(types[i]) ? "number" : null, title: shown(value).length > 40 ? shown(value) : null },
          shown(value),
        ),
      ),
      html("td", { class: "actions" }, actions(row)),
    );
    line.row = row;
    return line;
  }

  function mark(line) {
    const sign = state.marks.get(line.dataset.key)?.sign;
    line.className = sign > 0 ? "gained" : sign < 0 ? "lost" : "";
    line.setAttribute(
      "aria-label",
      `${visible(line.row.map(shown).join(", "))}${sign > 0 ? ", new" : sign < 0 ? ", gone" : ""}`,
    );
  }

  /* Show a page; rows that went and were on it before keep their place. */
  function show(page, filters = {}) {
    drawHead(page.columns, page.types, filters);
    const next = page.rows.map((row) => [stringify(row), row]),
      there = new Set(next.map(([key]) => key));
    for (const key of there) if (state.marks.get(key)?.sign < 0) state.marks.delete(key);
    state.rows.forEach(([key, row], i) => {
      if (!there.has(key) && state.marks.get(key)?.sign < 0) next.splice(Math.min(i, next.length), 0, [key, row]);
    });
    state.rows = next;
    state.types = page.types;
    drawRows(page.types);
  }

  /* Remember what came and went; it is shown with the next page. */
  function note(plus, minus) {
    const until = Date.now() + MARKED;
    for (const row of minus) state.marks.set(stringify(row), { sign: -1, until });
    for (const row of plus) state.marks.set(stringify(row), { sign: 1, until });
    if (state.timer === null) state.timer = setInterval(forget, 1000);
  }

  function forget() {
    const now = Date.now(),
      over = [...state.marks].filter(([, { until }]) => until < now);
    if (!over.length) return;
    const gone = new Set(over.filter(([, { sign }]) => sign < 0).map(([key]) => key));
    for (const [key] of over) state.marks.delete(key);
    state.rows = state.rows.filter(([key]) => !gone.has(key));
    drawRows(state.types);
    if (!state.marks.size) close();
  }

  /* The rows that are there, without those that are still shown as gone. */
  function present() {
    return new Map(state.rows.filter(([key]) => !(state.marks.get(key)?.sign < 0)));
  }

  function close() {
    clearInterval(state.timer);
    state.timer = null;
  }
  return { table, show, note, close, rows: present };
}

const numeric = (type) => ["number", "unsigned", "float"].includes(type);
