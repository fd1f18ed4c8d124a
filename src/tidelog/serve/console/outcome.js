/* What an epoch did or would do: its cost, and for each relation the rows that come and go. */
import { html } from "./dom.js";
import { count, duration, shown } from "./format.js";
import { live } from "./live.js";
import { measures } from "./measure.js";
import { toView } from "./route.js";
import { empty } from "./states.js";
import { showViolations } from "./violations.js";

const ROWS = 12,
  SLOWEST = 12;

export function showOutcome(told, isDry) {
  const changes = Object.entries(told.changes).sort(([a], [b]) => isView(b) - isView(a) || (a < b ? -1 : 1));
  const sum = (key) => changes.reduce((total, [, change]) => total + change[key], 0);
  const title = isDry
    ? told.refused
      ? "Dry run: a commit would be refused"
      : "Dry run: nothing was changed"
    : told.repeated
      ? "Already committed: nothing was changed"
      : `Epoch ${count(told.epoch)} committed`;
  const tile = (name, value, kind = "") => html("div", {}, html("dt", {}, name), html("dd", { class: kind }, value));
  return [
    html(
      "h1",
      { class: told.refused ? "loss" : isDry ? "" : "gain", "data-outcome": isDry ? "dry" : "committed" },
      title,
    ),
    told.refused && html("p", {}, "Nothing was changed. The changes it would make are listed below the violations."),
    ...showViolations(told.violations),
    html(
      "dl",
      { class: "tiles" },
      tile(isDry ? "would be added" : "added", signed("+", sum("plus_count")), "gain"),
      tile(isDry ? "would be removed" : "removed", signed("−", sum("minus_count")), "loss"),
      tile("time", duration(told.seconds)),
      tile("supports", count(supports(told))),
    ),
    ...(changes.length
      ? changes.map(([name, change]) => relationChange(name, change))
      : [empty("No row changes", "The result is the same as the current state.")]),
    strata(told),
  ].filter(Boolean);
}

const signed = (sign, number) => (number ? `${sign}${count(number)}` : "0");
const isView = (name) => Number(!live.names.get(name)?.base);
const supports = (told) => Object.values(told.statistics?.supports || {}).reduce((a, b) => a + b, 0);

function relationChange(name, change) {
  const line = (row, sign) =>
    html(
      "tr",
      { class: sign === "+" ? "gained" : "lost" },
      html("td", { class: "sign" }, sign),
      row.map((value) => html("td", {}, shown(value))),
    );
  const rows = [
    ...change.plus.slice(0, ROWS).map((row) => line(row, "+")),
    ...change.minus.slice(0, ROWS).map((row) => line(row, "−")),
  ];
  const names = change.columns.map((column) => html("th", { scope: "col" }, column));
  const head = html("thead", {}, html("tr", {}, html("th", {}, html("span", { class: "hidden" }, "Sign")), names));
  const more = change.plus_count + change.minus_count - rows.length;
  return html(
    "details",
    { open: true, "data-changed": name },
    html(
      "summary",
      {},
      html("b", {}, name),
      change.plus_count > 0 && html("span", { class: "gain" }, `+${count(change.plus_count)}`),
      change.minus_count > 0 && html("span", { class: "loss" }, `−${count(change.minus_count)}`),
      live.names.has(name) && html("a", { href: toView(name) }, "rows"),
    ),
    html("div", { class: "table" }, html("table", { class: "rows" }, head, html("tbody", {}, rows))),
    more > 0 && html("p", { class: "soft" }, `and ${count(more)} more`),
  );
}

function strata(told) {
  const visited = (told.statistics?.strata || []).filter((stratum) => stratum.seconds > 0);
  if (!visited.length) return null;
  const found = visited.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const line = ({ relations, seconds, rebuilt }) => [
    html("span", {}, relations.join(", "), rebuilt && html("small", {}, `rebuilt: ${rebuilt}`)),
    seconds,
    duration(seconds),
  ];
  return html("details", {}, html("summary", {}, "Where the time goes"), measures(found.map(line)));
}
