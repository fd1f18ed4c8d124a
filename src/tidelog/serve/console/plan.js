/* The plan of a rule: for every premise whose change sets it off, the steps in order with the rows that were expected
   for each entry and those that came. */
import { call } from "./api.js";
import { html } from "./dom.js";
import { count, ratio } from "./format.js";
import { code } from "./highlight.js";
import { listen, live } from "./live.js";
import { empty, settle } from "./states.js";
import { bare } from "./relation_panel.js";

const FAR = 10;

export function openPlan(wanted) {
  const picker = html("select", { "aria-label": "Rule", onchange: () => choose(picker.value) }),
    body = html("div", { class: "orders" });
  const box = html(
    "section",
    { class: "card plan", "aria-label": "Plan of a rule" },
    html(
      "div",
      { class: "head" },
      html("h1", {}, "Plan"),
      picker,
      html("button", { type: "button", onclick: () => read() }, "Reload"),
    ),
    body,
  );
  let chosen = wanted;

  function renew() {
    picker.replaceChildren(
      ...live.program.rules.map((rule) =>
        html("option", { value: rule.label }, `${rule.label}: ${bare(rule)}`.slice(0, 90)),
      ),
    );
    if (!live.program.rules.some((rule) => rule.label === chosen)) chosen = live.program.rules[0]?.label;
    picker.value = chosen || "";
  }
  function choose(label) {
    chosen = label;
    picker.value = label;
    read();
  }
  function read() {
    if (!chosen) {
      body.replaceChildren(empty("No rules yet", "Add one on the Change page."));
      return;
    }
    settle(body, call("/explain", { params: { rule: chosen, analyze: true } }), draw, { again: read, lines: 6 });
  }
  function draw(told) {
    const rule = live.program.rules.find((each) => each.label === chosen);
    const plans = told.strata.flatMap((stratum) => stratum.rules.filter((each) => each.label === chosen));
    const orders = plans.flatMap((plan) => plan.orders);
    return [
      rule && code(bare(rule), { convention: live.program.convention }),
      ...(orders.length ? orders.map(order) : [empty("No plan yet", "It is created when the rule first runs.")]),
    ].filter(Boolean);
  }
  renew();
  read();
  return {
    box,
    choose,
    close: listen("program", () => {
      renew();
      read();
    }),
  };
}

function order(found) {
  const [trigger, ...steps] = found.numbers?.length
    ? found.numbers
    : [{ step: found.trigger }, ...found.steps.map((step) => ({ step }))];
  const heads = ["Step", "Entered", "Visited", "Passed", "True", "Expected"];
  const cell = (value) => html("td", { class: "number" }, value);
  const line = (step, first) => {
    const real =
      step.visited !== null && step.visited !== undefined && step.entered ? step.passed / step.entered : null;
    const known = step.expected !== null && step.expected !== undefined,
      off = known && real !== null && far(real, step.expected);
    return html(
      "tr",
      { class: first ? "trigger" : null },
      html("td", {}, first ? html("span", { class: "soft" }, "on ") : "", html("code", {}, step.step)),
      cell(number(step.entered)),
      cell(number(step.visited)),
      cell(number(step.passed)),
      cell(real === null ? "" : ratio(real)),
      html(
        "td",
        { class: `number${off ? " off" : ""}`, title: off ? "far from the actual number" : null },
        known ? ratio(step.expected) : "",
      ),
    );
  };
  return html(
    "div",
    { class: "order table" },
    html(
      "table",
      { class: "steps" },
      html("caption", { class: "hidden" }, `When ${found.trigger} changes`),
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          heads.map((name, i) =>
            html("th", { scope: "col", class: i ? "number" : null, title: i > 3 ? "rows for one entry" : null }, name),
          ),
        ),
      ),
      html(
        "tbody",
        {},
        line(trigger, true),
        steps.map((step) => line(step, false)),
      ),
    ),
  );
}

const number = (value) => (value === null || value === undefined ? "" : count(value));
const far = (real, expected) => Math.max(real, expected) > FAR * Math.max(0.1, Math.min(real, expected));
