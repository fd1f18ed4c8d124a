/* The chosen relation: columns, size, last change, the rules that derive it and those that read it. */
import { html } from "./dom.js";
import { count } from "./format.js";
import { code } from "./highlight.js";
import { icon } from "./icons.js";
import { live } from "./live.js";
import { to, toRelation, toView } from "./route.js";

export function relationPanel(relation, choose) {
  const rules = live.program.rules.filter((rule) => headOf(rule) === relation.name);
  const readers = live.program.rules.filter(
    (rule) => headOf(rule) !== relation.name && readBy(rule).includes(relation.name),
  );
  return [
    html(
      "div",
      { class: "title" },
      html("h1", {}, relation.name),
      html(
        "button",
        { class: "plain", type: "button", "aria-label": "Close", onclick: () => choose(null) },
        icon("close"),
      ),
    ),
    html(
      "p",
      { class: "tags" },
      tag(relation.base ? "base relation" : `view, stratum ${relation.stratum}`),
      relation.recursive !== null && tag(`recursive${partners(relation)}`, "pick"),
    ),
    relationFacts(relation),
    html(
      "p",
      { class: "actions" },
      html("a", { class: "button", href: toView(relation.name) }, "Show rows"),
      html("a", { class: "button", href: to("change", relation.name) }, "Change"),
    ),
    html("h2", {}, "Columns"),
    columns(relation),
    rules.length > 0 && html("h2", {}, rules.length === 1 ? "1 rule" : `${rules.length} rules`),
    rules.map(ruleBox),
    readers.length > 0 && html("h2", {}, "Read by"),
    readers.map(ruleBox),
  ]
    .flat()
    .filter(Boolean);
}

/* What changes with an epoch. */
export function relationFacts({ size, last_change }) {
  return html("dl", { class: "facts" }, item("facts", count(size)), item("last change", change(last_change)));
}

const tag = (text, kind = "") => html("span", { class: `tag ${kind}` }, text);
const item = (name, value) => html("div", {}, html("dt", {}, name), html("dd", {}, value));

function partners(relation) {
  const others = live.program.relations.filter((r) => r.recursive === relation.recursive && r.name !== relation.name);
  return others.length ? ` with ${others.map((r) => r.name).join(", ")}` : "";
}

function change(last) {
  if (!last) return html("span", { class: "soft" }, "none since the server started");
  return html(
    "span",
    {},
    last.plus > 0 && html("span", { class: "gain" }, `+${count(last.plus)} `),
    last.minus > 0 && html("span", { class: "loss" }, `−${count(last.minus)} `),
    `in epoch ${count(last.epoch)}`,
  );
}

function columns(relation) {
  if (!relation.columns.length) return html("p", { class: "soft" }, "none: the relation is either true or false");
  const rows = relation.columns.map((column) =>
    html("tr", {}, html("td", {}, column.name), html("td", { class: "soft" }, column.type || "unknown")),
  );
  return html("table", { class: "columns" }, html("tbody", {}, rows));
}

function ruleBox(rule) {
  const related = [...new Set([headOf(rule), ...readBy(rule)])];
  return html(
    "div",
    { class: "rule", "data-rule": rule.label },
    html("span", { class: "label" }, rule.label),
    code(bare(rule), { convention: live.program.convention }),
    html(
      "p",
      { class: "links" },
      related.map((name) => html("a", { href: toRelation(name) }, name)),
      html("a", { href: to("running", rule.label) }, "plan"),
      html("a", { href: to("change", "", { rule: rule.label }) }, "edit"),
    ),
  );
}

/* The text of a rule without its label, which is shown beside it. */
export const bare = (rule) =>
  rule.text.startsWith(`${rule.label}:`) ? rule.text.slice(rule.label.length + 1).trim() : rule.text;

const headOf = (rule) => /^[\w.?]*/.exec(rule.head)[0];

/* The relations named in the body of a rule. */
function readBy(rule) {
  const words =
    rule.body
      .join(" ")
      .replace(/"(?:[^"\\]|\\.)*"/g, "")
      .match(/[A-Za-z_?][\w.?]*/g) || [];
  return [...new Set(words)].filter((word) => live.names.has(word));
}
