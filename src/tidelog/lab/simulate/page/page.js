/* Plays a recorded run. Law: what is shown at step n depends on the run and n only, so stepping back shows what was
   there before. `at` counts the steps that have happened; state(n) replays them from the nearest kept state. */
import { el, make, text } from "./dom.js";
import { drawLine, drawNode, openGraph } from "./graph.js";

const run = JSON.parse(document.getElementById("run").textContent);
const WIDTH = 1000, HEIGHT = 700, MARGIN = 70, LEGEND = 45, KEPT_EVERY = 50;
const steps = run.steps;
let at = 0, chosen = run.nodes.length ? run.nodes[0].name : null, timer = null, dots = [];

/* ---- state ---- */
const kept = [{ tables: new Map(), flying: new Map() }];
const copyState = (s) => ({
  tables: new Map([...s.tables].map(([node, relations]) =>
    [node, new Map([...relations].map(([name, rows]) => [name, new Map(rows)]))])),
  flying: new Map(s.flying),
});
const valueText = (value) => (Array.isArray(value) ? `[${value.map(valueText).join(",")}]` : String(value));
const rowText = (row) => row.map(valueText).join(", ");
for (const step of steps) for (const change of step.changes) change[2] = rowText(change[2]);
function advance(state, step) {
  for (const message of step.delivered) state.flying.delete(message.number);
  for (const message of step.sent) state.flying.set(message.number, message);
  for (const [node, name, row, count, expires] of step.changes) {
    if (!state.tables.has(node)) state.tables.set(node, new Map());
    const relations = state.tables.get(node);
    if (!relations.has(name)) relations.set(name, new Map());
    if (count) relations.get(name).set(row, { count, expires }); else relations.get(name).delete(row);
  }
}
function stateAt(n) {
  let base = Math.min(Math.floor(n / KEPT_EVERY), kept.length - 1);
  const state = copyState(kept[base]);
  for (let i = base * KEPT_EVERY; i < n; i++) {
    advance(state, steps[i]);
    if ((i + 1) % KEPT_EVERY === 0 && kept.length === (i + 1) / KEPT_EVERY) kept.push(copyState(state));
  }
  return state;
}

/* ---- drawing ---- */
const place = new Map(run.nodes.map((n) =>
  [n.name, [MARGIN + n.x * (WIDTH - 2 * MARGIN), MARGIN + n.y * (HEIGHT - 2 * MARGIN - LEGEND)]]));
const many = run.nodes.length > 40, radius = many ? 10 : 24;
const layers = openGraph(el("map"), WIDTH, HEIGHT, ["edges", "dots", "nodes"]);
const edges = run.links.map(([a, b]) => ({ a, b, line: drawLine(layers.edges, place.get(a), place.get(b)) }));
const choose = (name) => { chosen = name; show(); };
const circles = new Map();
for (const { name } of run.nodes) {
  const [x, y] = place.get(name);
  const group = drawNode(layers.nodes, { name, x, y, label: `node ${name}` }, choose);
  make("circle", { r: radius }, group);
  const outside = many || String(name).length > 4;
  const label = make("text", outside ? { y: -radius - 12, class: "outside" } : {}, group);
  label.textContent = String(name).length > 14 && many ? String(name).slice(0, 13) + "…" : name;
  make("text", { class: "badge", y: radius + 15 }, group);
  circles.set(name, group);
}
const sign = (message) => (message.sign > 0 ? "plus" : "minus");
function spot(message, share) {
  const [x2, y2] = place.get(message.target);
  const from = message.source === null || !place.has(message.source) ? [x2, y2 - 60] : place.get(message.source);
  if (message.source === message.target) return [x2 + radius + 8, y2 - radius - 8 + 26 * share];
  return [from[0] + (x2 - from[0]) * share, from[1] + (y2 - from[1]) * share];
}
function dot(message, share) {
  const [cx, cy] = spot(message, share);
  const circle = make("circle", { class: `dot ${sign(message)}`, r: 7, cx, cy }, layers.dots);
  make("title", {}, circle).textContent = message.text;
  return circle;
}
function drawDots(state, delivered) {
  layers.dots.replaceChildren();
  const shown = new Map();
  for (const message of state.flying.values()) {
    const lane = `${message.source}>${message.target}`, n = shown.get(lane) || 0;
    shown.set(lane, n + 1);
    if (n < 4) dot(message, message.source === message.target ? n * 0.6 : 0.5 + n * 0.06);
  }
  dots = delivered.map((message) => ({ message, circle: dot(message, 0.5) }));
}
function moveDots(duration) {
  const moving = dots, start = performance.now();
  const frame = (now) => {
    const share = Math.min(1, (now - start) / duration);
    for (const { message, circle } of moving) {
      const [cx, cy] = spot(message, 0.5 + share / 2);
      circle.setAttribute("cx", cx); circle.setAttribute("cy", cy);
      if (share === 1) circle.remove();
    }
    if (share < 1 && moving === dots) requestAnimationFrame(frame);
  };
  if (moving.length) requestAnimationFrame(frame);
}

/* ---- panels ---- */
function showEvent(step) {
  const box = el("event");
  box.replaceChildren();
  const changes = step ? run.epochs[step.epoch].changes : [];
  const about = changes.length ? `: ${changes.slice(0, 4).join(" ")}${changes.length > 4 ? " …" : ""}` : "";
  if (step && step.time !== undefined) {
    el("epoch").textContent = `${step.time.toFixed(3)} s`;
  } else el("epoch").textContent = !step ? "before the first step" : step.epoch ? `epoch ${step.epoch}${about}` : "loading";
  if (!step) { text("p", "soft", "All tables are empty. Press Play, or step with the arrow keys.", box); return; }
  for (const message of step.delivered.slice(0, 4)) {
    const from = message.source === null ? "from outside" : message.source === message.target ? "from itself" : `from ${message.source}`;
    text("p", `what ${message.sign > 0 ? "gain" : "loss"}`, message.text, box);
    text("p", "soft", `delivered to ${message.target === "" ? "the node" : message.target}, ${from}`, box);
  }
  if (step.delivered.length > 4) text("p", "soft", `and ${step.delivered.length - 4} more in the same iteration`, box);
  if (step.note && step.delivered.length < 2) text("p", step.delivered.length ? "soft" : "what", step.note, box);
  const events = (step.events || []).filter((event) => !event.startsWith("periodic/"));
  if (events.length) text("p", "soft", `events: ${events.slice(0, 6).join("; ")}`, box);
  const sent = step.sent.slice(0, 4).map((m) => `${m.text} to ${m.target}`).join("; ");
  if (sent) text("p", "", `sends ${sent}${step.sent.length > 4 ? ` and ${step.sent.length - 4} more` : ""}`, box);
}
/* Soft state: how long a row will live if nothing refreshes it, in seconds and as a share of its lifetime. */
function lifeLeft(step, name, expires) {
  const lifetime = (run.lifetimes || {})[name];
  if (!step || lifetime === undefined || expires === undefined || expires === null) return null;
  const left = Math.max(0, expires - step.time);
  return { seconds: left.toFixed(1), share: Math.min(1, left / lifetime) };
}
function showTables(state, step) {
  const box = el("tables");
  box.replaceChildren();
  el("chosen").textContent = `tables of node ${chosen === "" ? "(the only one)" : chosen}`;
  const fresh = new Map(), gone = [];
  for (const [node, name, row, count] of step ? step.changes : []) {
    if (node !== chosen) continue;
    if (count) fresh.set(`${name} ${row}`, true); else gone.push([name, row]);
  }
  const relations = state.tables.get(chosen) || new Map();
  const names = [...new Set([...relations.keys(), ...gone.map(([name]) => name)])].sort();
  for (const name of names) {
    const rows = relations.get(name) || new Map(), lost = gone.filter(([other]) => other === name);
    if (!rows.size && !lost.length) continue;
    text("h3", "", `${name} (${rows.size})`, box);
    const table = box.appendChild(document.createElement("table"));
    for (const [row, { count, expires }] of [...rows].sort((a, b) => (a[0] < b[0] ? -1 : 1))) {
      const line = table.appendChild(document.createElement("tr"));
      if (fresh.has(`${name} ${row}`)) line.className = "gained";
      const cell = text("td", "", row, line);
      const left = lifeLeft(step, name, expires);
      if (left !== null) cell.style.opacity = 0.3 + 0.7 * left.share;
      text("td", "count", left !== null ? `${left.seconds} s` : count === 1 ? "" : `× ${count}`, line);
    }
    for (const [, row] of lost) {
      const line = table.appendChild(document.createElement("tr"));
      line.className = "lost";
      text("td", "", row, line);
      text("td", "count", "", line);
    }
  }
  if (!box.children.length) text("p", "soft", "empty", box);
}
function show(delivered = []) {
  const state = stateAt(at), step = at ? steps[at - 1] : null;
  drawDots(state, delivered);
  const waiting = new Map();
  for (const message of state.flying.values()) waiting.set(message.target, (waiting.get(message.target) || 0) + 1);
  for (const [name, group] of circles) {
    group.classList.toggle("chosen", name === chosen);
    group.classList.toggle("busy", Boolean(step && step.delivered.some((message) => message.target === name)));
    group.querySelector(".badge").textContent = waiting.get(name) || "";
  }
  const gone = new Set((step ? run.epochs[step.epoch].gone : run.links).map(String));
  for (const { a, b, line } of edges) line.classList.toggle("gone", gone.has(String([a, b])));
  showEvent(step);
  showTables(state, step);
  el("slider").value = at;
  el("where").textContent = step && step.time !== undefined ? `${step.time.toFixed(2)} s` : `${at} / ${steps.length}`;
  document.body.dataset.step = at;
}

/* ---- controls ---- */
function go(n, animate) {
  const forward = n === at + 1;
  at = Math.max(0, Math.min(steps.length, n));
  const delivered = animate && forward && at ? steps[at - 1].delivered : [];
  show(delivered);
  if (delivered.length) moveDots(Number(el("speed").value) * 0.8);
}
function pause() {
  clearInterval(timer);
  timer = null;
  el("play").textContent = "Play";
}
function play() {
  if (at === steps.length) go(0);
  el("play").textContent = "Pause";
  const tick = () => { if (at < steps.length) go(at + 1, true); if (at === steps.length) pause(); };
  timer = setInterval(tick, Number(el("speed").value));
  tick();
}
const toggle = () => (timer === null ? play() : pause());
const manual = (n, animate) => { pause(); go(n, animate); };
el("play").addEventListener("click", toggle);
el("first").addEventListener("click", () => manual(0));
el("back").addEventListener("click", () => manual(at - 1));
el("next").addEventListener("click", () => manual(at + 1, true));
el("last").addEventListener("click", () => manual(steps.length));
el("slider").addEventListener("input", (e) => manual(Number(e.target.value)));
el("speed").addEventListener("change", () => { if (timer !== null) { pause(); play(); } });
document.addEventListener("keydown", (e) => {
  if (["SELECT", "INPUT"].includes(e.target.tagName)) return;
  const keys = { ArrowRight: () => manual(at + 1, true), ArrowLeft: () => manual(at - 1), " ": toggle,
    Home: () => manual(0), End: () => manual(steps.length) };
  if (keys[e.key] && !(e.key === " " && e.target.tagName === "BUTTON")) { e.preventDefault(); keys[e.key](); }
});

/* ---- start ---- */
el("title").textContent = run.title;
el("facts").textContent = run.about ?? `${run.algorithm}, schedule ${run.schedule}, seed ${run.seed}; ${run.messages} messages, ` +
  `${run.bytes} bytes, ${run.updates} updates, ${run.rounds} rounds`;
el("verdict").textContent = run.verdict ??
  (run.agrees ? "equals evaluation from scratch" : "differs from evaluation from scratch");
el("verdict").classList.add(run.agrees ? "right" : "wrong");
el("slider").max = steps.length;
/* Marks above the slider: epochs, or in virtual time about eight round times. */
const isTimed = steps.length > 0 && steps[0].time !== undefined;
const length = isTimed ? Math.max(1, steps[steps.length - 1].time) : 0;
const tick = isTimed ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((s) => length / s <= 8) || length : 1;
const part = (step) => (isTimed ? Math.floor(step.time / tick) : step.epoch);
const starts = steps.map((step, i) => [part(step), i]).filter(([now], i) => i === 0 || part(steps[i - 1]) !== now);
const NARROWEST = 7;  // percent of the slider, less than which labels would overlap
let last = -NARROWEST;
for (const [now, i] of starts) {
  const left = (100 * i) / Math.max(1, steps.length);
  if (left - last < NARROWEST) continue;
  last = left;
  const mark = text("b", "", isTimed ? `${now * tick} s` : now === 0 ? "start" : `epoch ${now}`, el("marks"));
  mark.style.left = `${left}%`;
}
go(0);
