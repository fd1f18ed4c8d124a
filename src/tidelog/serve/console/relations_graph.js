/* The graph of relations. Law: what changes with an epoch (sizes, last changes) is written into nodes that stay where
   they are; only another program draws anew. */
import { html, make, svg, text } from "./dom.js";
import { count, short } from "./format.js";
import { drawArrowHead, drawCurve, drawNode, openGraph } from "./graph.js";
import { icon } from "./icons.js";
import { layered } from "./layers.js";
import { live } from "./live.js";

const WIDTH = 150,
  HEIGHT = 52,
  LAYER = 58,
  DOWN = 44,
  GAP = 18,
  MARGIN = 24,
  HEAD = 22,
  LEFT = 84,
  LOOP = 26,
  LEAST = 0.7;

export function openGraphBox(choose) {
  const map = svg("svg", { class: "relations", "aria-label": "Relations by stratum", role: "group" });
  const pane = html("div", { class: "pane", tabindex: -1 }, map);
  const graph = { map, pane, nodes: new Map(), scale: 1, size: [1, 1] };
  const zoom = (factor) => setScale(graph, Math.min(2, Math.max(0.25, graph.scale * factor)));
  const tools = html(
    "div",
    { class: "zoom", role: "group", "aria-label": "Size of the graph" },
    button("minus", "Smaller", () => zoom(1 / 1.25)),
    button("fit", "Fit", () => fit(graph)),
    button("plus", "Larger", () => zoom(1.25)),
  );
  graph.box = html("div", { class: "graph" }, pane, tools);
  graph.choose = choose;
  map.addEventListener("keydown", (event) => walk(graph, event));
  return graph;
}

const button = (sign, label, act) =>
  html("button", { type: "button", "aria-label": label, title: label, onclick: act }, icon(sign));

export function drawRelations(graph) {
  const best = bestPlan(graph),
    { plan, down } = best;
  const left = leftOf(graph);
  const turn = ([a, b]) => (down ? [MARGIN + left + b, MARGIN + a] : [MARGIN + a, MARGIN + HEAD + b]);
  graph.size = best.size;
  graph.down = down;
  graph.map.replaceChildren();
  for (const kind of ["plainly", "negated"]) drawArrowHead(graph.map, `head-${kind}`, kind);
  const layers = openGraph(graph.map, ...graph.size, ["groups", "heads", "edges", "nodes"]);
  drawGroups(layers.groups, plan, turn, down);
  if (left || !down) drawHeads(layers.heads, plan, down);
  for (const { edge, points } of plan.lines)
    if (edge.from !== edge.to) drawEdge(layers.edges, edge, points, plan, turn, down);
  graph.nodes = new Map();
  for (const relation of live.program.relations)
    graph.nodes.set(relation.name, relationNode(layers.nodes, relation, plan, turn, down, graph));
  fit(graph);
}

/* The room for the names of strata beside layers that go down; on a narrow screen there is none. */
const leftOf = (graph) => (graph.pane.clientWidth < 560 ? 0 : LEFT);

/* Layers from left to right or from the top down, whichever shows the graph larger in the room that there is. */
function bestPlan(graph) {
  const { relations, edges } = live.program;
  const plans = [false, true].map((down) => {
    const [along, across] = down ? [HEIGHT, WIDTH] : [WIDTH, HEIGHT];
    const plan = layered(relations, edges, { along, across, layerGap: down ? DOWN : LAYER, gap: down ? 16 : GAP });
    const [width, height] = down
      ? [plan.breadth + leftOf(graph), plan.depth]
      : [plan.depth + LOOP, plan.breadth + HEAD];
    const size = [width + 2 * MARGIN, height + 2 * MARGIN];
    return { plan, down, size, scale: fitting(graph, size) };
  });
  return plans[1].scale > plans[0].scale ? plans[1] : plans[0];
}

function drawEdge(layer, edge, points, plan, turn, down) {
  const kind = edge.negated ? "negated" : "plainly",
    style = { className: kind, marker: `head-${kind}`, down };
  if (plan.spots.get(edge.from).level !== plan.spots.get(edge.to).level) {
    drawCurve(layer, points.map(turn), style).dataset.ends = `${edge.from} ${edge.to}`;
    return;
  }
  const [[a, from], [, to]] = points,
    out = a + LOOP,
    shift = from < to ? 6 : -6;
  const [x1, y1] = turn([a, from + shift]),
    [x2, y2] = turn([out, (from + to) / 2]),
    [x3, y3] = turn([a, to - shift]);
  make(
    "path",
    {
      class: `edge ${kind}`,
      d: `M ${x1} ${y1} Q ${x2} ${y2} ${x3} ${y3}`,
      "marker-end": `url(#head-${kind})`,
      "data-ends": `${edge.from} ${edge.to}`,
    },
    layer,
  );
}

/* A frame around the relations that depend on each other; one that depends on itself alone is marked in its node. */
function drawGroups(layer, plan, turn, down) {
  const members = new Map();
  for (const relation of live.program.relations) {
    if (relation.recursive !== null)
      members.set(relation.recursive, [...(members.get(relation.recursive) || []), relation.name]);
  }
  for (const names of members.values()) {
    if (names.length < 2) continue;
    const spots = names.map((name) => turn([plan.spots.get(name).along, plan.spots.get(name).across]));
    const [xs, ys] = [spots.map(([x]) => x), spots.map(([, y]) => y)];
    const [left, top] = down
      ? [Math.min(...xs) - WIDTH / 2, Math.min(...ys)]
      : [Math.min(...xs), Math.min(...ys) - HEIGHT / 2];
    const right = Math.max(...xs) + (down ? WIDTH / 2 : WIDTH),
      low = Math.max(...ys) + (down ? HEIGHT : HEIGHT / 2);
    const frame = {
      x: left - 9,
      y: top - 9,
      width: right - left + 18 + (down ? 0 : 8),
      height: low - top + 18,
      rx: 14,
    };
    make("title", {}, make("rect", { class: "recursive", ...frame }, layer)).textContent =
      `recursive: ${names.join(", ")}`;
  }
}

function drawHeads(layer, plan, down) {
  const strata = Array.from({ length: plan.levels }, () => new Set());
  for (const relation of live.program.relations)
    if (!relation.base) strata[plan.spots.get(relation.name).level].add(relation.stratum);
  strata.forEach((found, level) => {
    const numbers = [...found].sort((a, b) => a - b);
    const few = numbers.length > 3 ? `${numbers[0]} … ${numbers.at(-1)}` : numbers.join(", ");
    const said = !numbers.length ? "base" : numbers.length === 1 ? `stratum ${few}` : `strata ${few}`;
    const place = down
      ? { x: MARGIN, y: MARGIN + level * (HEIGHT + DOWN) + HEIGHT / 2 + 4 }
      : { x: MARGIN + level * (WIDTH + LAYER), y: MARGIN };
    make("text", place, layer).textContent = said;
  });
}

function relationNode(layer, relation, plan, turn, down, graph) {
  const spot = plan.spots.get(relation.name),
    [x, y] = turn([spot.along, spot.across]);
  const corner = down ? [x - WIDTH / 2, y] : [x, y - HEIGHT / 2];
  const group = drawNode(layer, { name: relation.name, x: corner[0], y: corner[1], label: "" }, graph.choose);
  group.classList.add(relation.base ? "base" : "view");
  make("rect", { width: WIDTH, height: HEIGHT, rx: 9 }, group);
  fitText(
    make("text", { class: "name", x: 13, y: 22 }, group),
    relation.name,
    WIDTH - (relation.recursive === null ? 24 : 42),
  );
  if (relation.recursive !== null)
    make("text", { class: "again", x: WIDTH - 13, y: 22, "text-anchor": "end" }, group).textContent = "↻";
  make("text", { class: "size", x: 13, y: 41 }, group);
  make("text", { class: "change", x: WIDTH - 13, y: 41, "text-anchor": "end" }, group);
  make("title", {}, group);
  writeNode(group, relation);
  return group;
}

/* Write a text, shortened until it fits. */
function fitText(node, whole, width) {
  node.textContent = whole;
  for (let length = whole.length - 1; length > 1 && node.getComputedTextLength() > width; length--) {
    node.textContent = `${whole.slice(0, length)}…`;
  }
}

function writeNode(group, relation) {
  const change = relation.last_change;
  group.querySelector(".size").textContent = `${short(relation.size)} fact${relation.size === 1 ? "" : "s"}`;
  const box = group.querySelector(".change");
  box.replaceChildren();
  if (change && change.plus) make("tspan", { class: "gain" }, box).textContent = `+${short(change.plus)}`;
  if (change && change.minus)
    make("tspan", { class: "loss", dx: change.plus ? 5 : 0 }, box).textContent = `−${short(change.minus)}`;
  const last = change
    ? `last change in epoch ${count(change.epoch)}: +${count(change.plus)} −${count(change.minus)}`
    : "no change since the server started";
  const kind = `${relation.base ? "base relation" : "view"}${relation.recursive === null ? "" : ", recursive"}`;
  group.querySelector("title").textContent = `${relation.name}\n${last}`;
  group.setAttribute("aria-label", `${relation.name}, ${kind}, ${count(relation.size)} facts, ${last}`);
}

/* Write the sizes that an epoch changed, and let those nodes glow for a moment. */
export function updateNodes(graph, names) {
  for (const name of names) {
    const group = graph.nodes.get(name),
      relation = live.names.get(name);
    if (!group || !relation) continue;
    writeNode(group, relation);
    group.classList.remove("fresh");
    group.getBoundingClientRect();
    group.classList.add("fresh");
  }
}

export function chooseNode(graph, name) {
  for (const [other, group] of graph.nodes) group.classList.toggle("chosen", other === name);
  for (const edge of graph.map.querySelectorAll(".edge")) {
    edge.classList.toggle("near", Boolean(name) && edge.dataset.ends.split(" ").includes(name));
  }
}

export const matchNodes = (graph, wanted) => {
  for (const [name, group] of graph.nodes)
    group.classList.toggle("dim", Boolean(wanted) && !name.toLowerCase().includes(wanted));
};

function setScale(graph, scale) {
  graph.scale = scale;
  graph.map.style.width = `${graph.size[0] * scale}px`;
  graph.map.style.height = `${graph.size[1] * scale}px`;
}

const fitting = ({ pane }, [width, height]) =>
  Math.min(1.15, pane.clientWidth / width, Math.max(pane.clientHeight, 300) / height);

function fit(graph) {
  setScale(graph, Math.max(LEAST, fitting(graph, graph.size)));
  graph.pane.scrollLeft = graph.down ? (graph.pane.scrollWidth - graph.pane.clientWidth) / 2 : 0;
}

/* The nearest node in the direction of an arrow key. */
function walk(graph, event) {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const way = ways[event.key],
    from = event.target.closest(".node");
  if (!way || !from) return;
  event.preventDefault();
  const centre = (node) => {
    const r = node.getBoundingClientRect();
    return [r.x + r.width / 2, r.y + r.height / 2];
  };
  const [x, y] = centre(from);
  let best = null,
    least = Infinity;
  for (const node of graph.nodes.values()) {
    const [dx, dy] = [centre(node)[0] - x, centre(node)[1] - y];
    const ahead = dx * way[0] + dy * way[1],
      aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (node !== from && ahead > 1 && ahead + 2 * aside < least) {
      best = node;
      least = ahead + 2 * aside;
    }
  }
  if (best) best.focus();
}

export function legend() {
  const mark = (className, label) => html("span", {}, html("i", { class: className }), label);
  const box = html("div", { class: "legend" }, mark("view", "view"), mark("base", "base relation"));
  text("span", "", "↻ recursive", box);
  box.append(mark("line", "reads"), mark("line negated", "negates or aggregates"));
  return box;
}
