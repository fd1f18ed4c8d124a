/* Where epochs spend their work, rule by rule: of the last epoch or of all. */
import { call } from "./api.js";
import { html } from "./dom.js";
import { count, duration } from "./format.js";
import { live } from "./live.js";
import { measure } from "./measure.js";
import { empty, failed, loading } from "./states.js";
import { tabs } from "./tabs.js";

const KINDS = { "All epochs": "overall", "Last epoch": "last" };

export function openProfile(choose) {
  const body = html("div", { class: "table" }, loading("Loading the profile", 6)),
    sum = html("p", { class: "soft" }, "\u00a0");
  const sampling = html("input", {
    type: "checkbox",
    disabled: live.info.read_only,
    onchange: () => read({ sampling: sampling.checked }),
  });
  let kind = "overall",
    told = null,
    busy = false;
  const show = (name) => {
    kind = KINDS[name];
    if (told) draw();
  };
  const box = html(
    "section",
    { class: "card profile", "aria-label": "Rule profile" },
    html("div", { class: "head" }, html("h1", {}, "Rule profile"), tabs(Object.keys(KINDS), "All epochs", show)),
    html(
      "div",
      { class: "under" },
      sum,
      html("label", { title: "Record every millisecond which rule is running" }, sampling, "sample rules"),
    ),
    body,
  );

  /* Read the profile; `change` switches the sampling first. */
  async function read(change) {
    if (busy) return;
    busy = true;
    try {
      told = await call("/profile", change ? { body: change } : {});
      sampling.checked = told.sampling;
      draw();
    } catch (error) {
      body.replaceChildren(failed(error, () => read()));
    }
    busy = false;
  }
  function draw() {
    const { seconds, suspended, revived, rules } = told[kind];
    sum.textContent = `${duration(seconds)}, ${count(suspended)} facts suspended, ${count(revived)} revived`;
    const focused = body.contains(document.activeElement) ? document.activeElement.textContent : null;
    body.replaceChildren(
      rules.length ? ruleTable(rules, choose) : empty("No rule has run yet", "The first epoch fills this table."),
    );
    const again = [...body.querySelectorAll("button")].find((button) => button.textContent === focused);
    if (again) again.focus({ preventScroll: true });
  }
  read();
  return { box, renew: () => read() };
}

function ruleTable(rules, choose) {
  const sampled = rules.some((rule) => rule.seconds !== null),
    most = Math.max(1, ...rules.map(work));
  const texts = new Map(live.program.rules.map((rule) => [rule.label, rule.text]));
  const heads = ["Rule", "Work", "Visited", "Supports", ...(sampled ? ["Time"] : [])];
  const line = (rule) =>
    html(
      "tr",
      { "data-rule": rule.rule },
      html(
        "td",
        {},
        html(
          "button",
          {
            class: "link",
            type: "button",
            title: texts.get(rule.rule) || "",
            onclick: () => choose(rule.rule.split(", ")[0]),
          },
          rule.rule,
        ),
      ),
      html("td", { class: "measure" }, measure(work(rule) / most)),
      html("td", { class: "number" }, count(rule.visited)),
      html("td", { class: "number" }, count(rule.supports)),
      sampled && html("td", { class: "number" }, duration(rule.seconds)),
    );
  const head = heads.map((name, i) => html("th", { scope: "col", class: i > 1 ? "number" : null }, name));
  return html("table", { class: "bars" }, html("thead", {}, html("tr", {}, head)), html("tbody", {}, rules.map(line)));
}

const work = (rule) => rule.visited + rule.supports;
