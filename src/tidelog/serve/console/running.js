/* The Running page: how fast, how long, how much, and which rules it goes to. */
import { html } from "./dom.js";
import { bytes, count, duration, short, shown } from "./format.js";
import { live } from "./live.js";
import { measures } from "./measure.js";
import { openPlan } from "./plan.js";
import { openPlot } from "./plot.js";
import { openProfile } from "./profile.js";
import { replace, to, toView } from "./route.js";
import { heard, samples } from "./samples.js";

const SHORTEST = 60,
  LARGEST = 24;

export function openRunning(main, route) {
  const plots = {
    rate: openPlot("Epochs per second", (n) => short(n)),
    latency: openPlot("Epoch time", duration),
    memory: openPlot("Memory", bytes, 2 ** 20),
    facts: openPlot("Facts", short),
  };
  const sizes = html("div", { class: "sizes" }),
    server = html("dl", { class: "facts" }),
    quarantine = html("section", { class: "card", "aria-label": "Quarantine", hidden: true });
  const plan = openPlan(route.name),
    profile = openProfile((label) => {
      replace(to("running", label));
      plan.choose(label);
    });
  main.append(
    html(
      "div",
      { class: "plots" },
      Object.values(plots).map((plot) => plot.box),
    ),
    profile.box,
    plan.box,
    quarantine,
    html("section", { class: "card", "aria-label": "Sizes" }, html("h1", {}, "Sizes"), sizes),
    html("section", { class: "card", "aria-label": "Server" }, html("h1", {}, "Server"), server),
  );

  function show() {
    const last = samples.at(-1);
    if (!last) return;
    const line = (pick) => samples.map((sample) => [sample.time, pick(sample)]);
    const span = Math.max(SHORTEST, last.time - samples[0].time);
    const lately = samples.findLast((sample) => sample.latency !== null);
    plots.rate.show(
      line((s) => s.rate),
      span,
      last.rate === null ? "–" : short(last.rate),
      `${count(last.told.epoch)} epochs in total`,
    );
    plots.latency.show(
      line((s) => s.latency),
      span,
      lately ? duration(lately.latency) : "–",
      lately ? `longest ${duration(lately.worst)}` : "no epoch yet",
    );
    plots.memory.show(
      line((s) => memory(s.told)),
      span,
      bytes(memory(last.told)),
      `engine ${bytes(last.told.memory.engine)}`,
    );
    plots.facts.show(
      line((s) => s.told.facts),
      span,
      short(last.told.facts),
      `${count(live.program.relations.length)} relations`,
    );
    showSizes(sizes);
    showServer(server, last.told);
    showQuarantine(quarantine, last.told);
  }
  main.renew = (next) => {
    if (next.name) plan.choose(next.name);
    return true;
  };
  show();
  const ends = [
    heard(() => {
      show();
      profile.renew();
    }),
    plan.close,
  ];
  return () => ends.forEach((end) => end());
}

const memory = (told) => told.memory.process ?? told.memory.engine;

function showSizes(box) {
  const found = [...live.program.relations].sort((a, b) => b.size - a.size).slice(0, LARGEST);
  const line = ({ name, size }) => [html("a", { href: toView(name) }, name), size, count(size)];
  box.replaceChildren(measures(found.map(line)));
}

function showServer(box, told) {
  const row = (name, value) => html("div", {}, html("dt", {}, name), html("dd", {}, value));
  const requests = Object.entries(told.requests || {})
    .map(([status, number]) => `${status}: ${count(number)}`)
    .join(", ");
  box.replaceChildren(
    row("version", live.info.version),
    row("uptime", duration(told.uptime)),
    row("open feeds", count(told.feeds)),
    row("open epochs", count(told.open_epochs)),
    row("requests by status", requests || "–"),
    ...(told.sources || []).map(({ name, quarantine, trouble, ...health }) =>
      row(
        name,
        Object.entries(health)
          .map(([key, value]) => `${key} ${shown(value)}`)
          .concat(trouble ? [trouble.hint] : [])
          .join(", "),
      ),
    ),
  );
}

/* Rows of tables that cannot become facts: how many of each table, and the first ones with key and reason. */
function showQuarantine(box, told) {
  const tables = (told.sources || []).flatMap(({ quarantine }) => quarantine || []);
  box.hidden = tables.length === 0;
  box.replaceChildren(
    html("h1", {}, "Quarantine"),
    html("p", {}, "These rows cannot be converted to facts. Correct or delete them in the database."),
    ...tables.flatMap(({ relation, table, rows, first }) => [
      html("h2", {}, html("a", { href: toView(relation) }, relation), ` is missing ${count(rows)} rows of ${table}`),
      html(
        "dl",
        { class: "facts" },
        first.map(({ key, reason }) => html("div", {}, html("dt", {}, keyText(key)), html("dd", {}, reason))),
        rows > first.length &&
          html("div", {}, html("dt", {}, "…"), html("dd", {}, `and ${count(rows - first.length)} more`)),
      ),
    ]),
  );
}

const keyText = (key) =>
  Object.entries(key)
    .map(([name, value]) => `${name} = ${value}`)
    .join(", ");
