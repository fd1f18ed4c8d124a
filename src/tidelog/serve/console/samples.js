/* What the server said about itself, kept for the plots. Law: samples are taken as long as the console is open, on any
   page, so that a plot has no hole where another page was looked at. */
import { call, token } from "./api.js";
import { listen, live, reload } from "./live.js";

const EVERY = 2000,
  KEPT = 180;
const bus = new EventTarget();
export const samples = [];
let timer = null,
  epochs = [];

export function heard(listener) {
  bus.addEventListener("sample", listener);
  return () => bus.removeEventListener("sample", listener);
}

export function startSampling() {
  if (timer !== null) return;
  listen("epoch", ({ seconds }) => epochs.push(...seconds));
  timer = setInterval(sample, EVERY);
  sample();
}

async function sample() {
  if (document.hidden || live.state === "lost" || !token.get()) return;
  try {
    const told = await call("/statistics");
    keep(told);
  } catch {
    /* the feed shows that the server is not reachable */
  }
}

function keep(told) {
  const now = Date.now() / 1000,
    last = samples.at(-1);
  if (last && String(last.told.incomplete) !== String(told.incomplete)) reload().catch(() => {});
  const seconds = epochs.sort((a, b) => a - b);
  const since = last ? now - last.time : null;
  samples.push({
    time: now,
    told,
    rate: last && told.epoch >= last.told.epoch ? (told.epoch - last.told.epoch) / since : told.epochs.per_second,
    latency: seconds.length ? seconds[Math.floor(seconds.length / 2)] : last ? null : told.epochs.median_seconds,
    worst: seconds.length ? seconds.at(-1) : last ? null : told.epochs.longest_seconds,
  });
  epochs = [];
  if (samples.length > KEPT) samples.shift();
  bus.dispatchEvent(new CustomEvent("sample"));
}
