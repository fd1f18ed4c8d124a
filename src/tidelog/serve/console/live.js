/* What the whole console knows: the server, its program, and the feed of epochs. Law: sizes and last changes follow the
   feed epoch by epoch; what the feed cannot tell (a rule changed, the server is back) is asked for again. */
import { call } from "./api.js";
import { follow } from "./feed.js";

const bus = new EventTarget();
export const live = { info: null, program: null, epoch: 0, state: "connecting", names: new Map() };
const BETWEEN = 200;
const nothing = () => ({ names: new Set(), seconds: [], rules: false });
let stop = null,
  waiting = nothing(),
  timer = null,
  told = 0;

/* Listen to "program" (anything may be new), "epoch" (with the names of relations that changed and the seconds of each
   epoch), "state" or "back" (the server is there again); gives what ends it. */
export function listen(kind, listener) {
  const heard = (event) => listener(event.detail);
  bus.addEventListener(kind, heard);
  return () => bus.removeEventListener(kind, heard);
}
const tell = (kind, detail) => bus.dispatchEvent(new CustomEvent(kind, { detail }));

export async function connect() {
  disconnect();
  await reload();
  stop = follow("/changes", live.epoch, { taken, state: changed });
}

export function disconnect() {
  if (stop) stop();
  stop = null;
}

export async function reload() {
  live.info = await call("");
  keep(await call("/program"));
}

function keep(program) {
  live.program = program;
  live.names = new Map(program.relations.map((relation) => [relation.name, relation]));
  live.epoch = Math.max(program.epoch, live.info.epoch);
  tell("program");
}

function changed(state) {
  const back = live.state === "lost" && state === "live";
  live.state = state;
  tell("state", state);
  if (back)
    reload().then(
      () => tell("back"),
      () => {},
    );
}

/* Sizes follow every epoch; listeners are notified of many at once, at most a few times a second. */
function taken(event) {
  if (event.epoch === undefined) return;
  live.epoch = event.epoch;
  waiting.seconds.push(event.seconds);
  waiting.rules ||= event.rules;
  for (const [name, { plus, minus }] of Object.entries(event.changes)) {
    waiting.names.add(name);
    const relation = live.names.get(name);
    if (!relation) continue;
    relation.size += plus - minus;
    relation.last_change = { epoch: event.epoch, plus, minus };
  }
  if (timer === null) timer = setTimeout(tellEpochs, Math.max(0, told + BETWEEN - performance.now()));
}

function tellEpochs() {
  const { names, seconds, rules } = waiting;
  timer = null;
  told = performance.now();
  waiting = nothing();
  tell("epoch", { names: [...names], seconds });
  if (rules || [...names].some((name) => !live.names.has(name))) call("/program").then(keep, () => {});
}
