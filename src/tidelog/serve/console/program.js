/* The Program page: the graph of relations, and of the chosen one its columns, rules and readers; or the whole text. */
import { call } from "./api.js";
import { diagnostic, markOf } from "./diagnostics.js";
import { html } from "./dom.js";
import { count, plural } from "./format.js";
import { code, highlighted } from "./highlight.js";
import { listen, live } from "./live.js";
import { chooseNode, drawRelations, legend, matchNodes, openGraphBox, updateNodes } from "./relations_graph.js";
import { relationFacts, relationPanel } from "./relation_panel.js";
import { replace, to, toRelation } from "./route.js";
import { empty } from "./states.js";
import { tabs } from "./tabs.js";

export function openProgram(main, route) {
  const state = { chosen: route.name || null };
  const side = html("section", { class: "card side", "aria-label": "Relation" });
  const graph = openGraphBox((name) => choose(name));
  const find = html("input", {
    type: "search",
    placeholder: "Find a relation",
    "aria-label": "Find a relation",
    "data-find": true,
    list: "relation-names",
    oninput: () => search(find.value),
  });
  const names = html("datalist", { id: "relation-names" });
  const text = html("div", { class: "text", tabindex: -1 });
  const bodies = { Graph: html("div", { class: "stack" }, graph.box, legend()), Text: text };
  const card = html("section", { class: "card main", "aria-label": "Program" });
  const head = html("div", { class: "head" }, tabs(Object.keys(bodies), "Graph", show), find, names);
  card.append(head, ...Object.values(bodies));
  main.append(card, side);

  function show(which) {
    for (const [name, body] of Object.entries(bodies)) body.hidden = name !== which;
    if (which === "Text") showText(text);
  }
  function choose(name) {
    state.chosen = name;
    replace(name ? toRelation(name) : to("program"));
    chooseNode(graph, name);
    side.replaceChildren(...(live.names.has(name) ? relationPanel(live.names.get(name), choose) : overview()));
  }
  function search(wanted) {
    matchNodes(graph, wanted.toLowerCase());
    if (live.names.has(wanted)) choose(wanted);
  }
  function draw() {
    if (live.program.relations.length) drawRelations(graph);
    else graph.pane.replaceChildren(empty("No relations yet", "Add rules and facts on the Change page."));
    names.replaceChildren(...live.program.relations.map(({ name }) => html("option", { value: name })));
    if (!text.hidden) showText(text);
    choose(state.chosen);
  }
  function changed({ names }) {
    updateNodes(graph, names);
    const relation = live.names.get(state.chosen);
    if (relation && !names.includes(relation.name)) return;
    side.querySelector("dl.facts").replaceWith(relation ? relationFacts(relation) : programFacts());
  }
  main.renew = (next) => {
    if (next.page === "program" || !next.page) choose(next.name || null);
    return true;
  };
  show("Graph");
  draw();
  const resized = new ResizeObserver(() => {
    const room = Math.round(graph.pane.clientWidth / 40);
    if (room && state.room !== undefined && room !== state.room) draw();
    state.room = room;
  });
  resized.observe(graph.pane);
  const ends = [listen("program", draw), listen("epoch", changed)];
  return () => {
    ends.forEach((end) => end());
    resized.disconnect();
  };
}

function overview() {
  const box = html("div", { class: "diagnostics" });
  showDiagnostics(box);
  return [
    html("h1", {}, "Program"),
    html("p", { class: "soft" }, "Choose a relation in the graph to see its rules."),
    programFacts(),
    box,
  ];
}

function programFacts() {
  const { relations, rules } = live.program;
  const views = relations.filter((relation) => !relation.base);
  const facts = relations.reduce((sum, relation) => sum + relation.size, 0);
  const groups = new Set(views.filter((view) => view.recursive !== null).map((view) => view.recursive)).size;
  const numbers = {
    views: views.length,
    "base relations": relations.length - views.length,
    rules: rules.length,
    "recursive groups": groups,
    facts,
    epoch: live.epoch,
  };
  const row = ([name, number]) => html("div", {}, html("dt", {}, name), html("dd", {}, count(number)));
  return html("dl", { class: "facts" }, Object.entries(numbers).map(row));
}

let checked = { text: null, found: [] };
async function diagnostics() {
  if (checked.text !== live.program.text) {
    const told = await call("/check", { body: { text: live.program.text } });
    checked = { text: live.program.text, found: told.diagnostics };
  }
  return checked.found;
}

async function showDiagnostics(box) {
  try {
    const found = await diagnostics();
    box.replaceChildren(
      html("h2", {}, found.length ? plural(found.length, "diagnostic") : "No diagnostics"),
      ...found.map(diagnostic),
    );
  } catch {
    box.replaceChildren();
  }
}

async function showText(box) {
  const source = live.program.text.trimEnd();
  if (!source) {
    box.replaceChildren(empty("The program is empty", "Add rules on the Change page."));
    return;
  }
  if (!box.children.length) box.replaceChildren(code(source));
  try {
    const found = await diagnostics(),
      numbers = source
        .split("\n")
        .map((_, i) => i + 1)
        .join("\n");
    const marks = found.filter(({ where }) => where).map(({ where, severity }) => markOf(source, where, severity));
    box.replaceChildren(
      html(
        "pre",
        { class: "code numbered", tabindex: 0 },
        html("span", { class: "numbers", "aria-hidden": "true" }, numbers),
        html("code", {}, highlighted(source, { convention: live.program.convention, marks })),
      ),
      ...found.map(diagnostic),
    );
  } catch {
    /* the text is shown without diagnostics */
  }
}
