/* Where epochs spend their work, rule by rule: of the last epoch or of all. */
import { call } from "./api.js";
import { html } from "./dom.js";
import { count, duration } from "./format.js";
import { live } from "./live.js";
import { empty, failed, loading } from "./states.js";
import { tabs } from "./tabs.js";

const KINDS = { "All epochs": "overall", "Last epoch": "last" };

export function openProfile(choose) {
  const body = html("div", { class: "table" }, loading("Loading the profile", 6)),
    sum = html("p", { class: "soft" }, "\u00a0");
  let kind = "overall",
    told = null,
    busy = false;
  const sampling = html("input", {
    type: "checkbox",
    disabled: live.info.read_only,
    onchange: () => read({ sampling: sampling.checked }),
  });
  const box = html(
    "section",
    { class: "card profile", "aria-label": "Rule profile" },
    html(
      "div",
      { class: "head" },
      html("h1", {}, "Rule profile"),
      tabs(Object.keys(KINDS), "All epochs", (name) => {
        kind = KINDS[name];
        if (told) draw();
      }),
    ),
    html(
      "div",
      { class: "under" },
      sum,
      html("label", { title: "Look every millisecond which rule runs" }, sampling, "sample the time of rules"),
    ),
    body,
  );

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
    const account = told[kind],
      most = Math.max(1, ...account.rules.map((rule) => rule.visited + rule.supports));
    sum.textContent = `${duration(account.seconds)}, ${count(account.suspended)} facts suspended, ${count(account.revived)} revived`;
    if (!account.rules.length) {
      body.replaceChildren(empty("No rule has run yet", "The first epoch fills this table."));
      return;
    }
    const texts = new Map(live.program.rules.map((rule) => [rule.label, rule.text]));
    const sampled = account.rules.some((rule) => rule.seconds !== null);
    const heads = ["Rule", "Work", "Visited", "Supports", ...(sampled ? ["Time"] : [])];
    const bar = (rule) => {
      const made = html("i", {});
      made.style.width = `${(100 * (rule.visited + rule.supports)) / most}%`;
      return made;
    };
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
        html("td", { class: "measure" }, bar(rule)),
        html("td", { class: "number" }, count(rule.visited)),
        html("td", { class: "number" }, count(rule.supports)),
        sampled && html("td", { class: "number" }, duration(rule.seconds)),
      );
    const focused = body.contains(document.activeElement) ? document.activeElement.textContent : null;
    body.replaceChildren(
      html(
        "table",
        { class: "bars" },
        html(
          "thead",
          {},
          html(
            "tr",
            {},
            heads.map((name, i) => html("th", { scope: "col", class: i > 1 ? "number" : null }, name)),
          ),
        ),
        html("tbody", {}, account.rules.map(line)),
      ),
    );
    if (focused)
      [...body.querySelectorAll("button")]
        .find((button) => button.textContent === focused)
        ?.focus({ preventScroll: true });
  }
  read();
  return { box, soon: () => read(), close: () => {} };
}
