/* Change feeds as streams of server-sent events, read by fetch so that the token stays in a header.
   Law: every event is handed on once and in order: a broken stream is taken up after the last id that was seen. */
import { ApiError, parse, request } from "./api.js";

const FIRST_WAIT = 500,
  LONGEST_WAIT = 8000;

/* Events of a stream of bytes: [{id, event, data}] as soon as each is complete. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (waiting + value).replaceAll("\r\n", "\n").split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) {
      const event = readBlock(block);
      if (event.data) yield event;
    }
  }
}

function readBlock(block) {
  const event = { id: null, event: "message", data: "" };
  for (const line of block.split("\n")) {
    const [, field, value] = /^([a-z]+): ?(.*)$/.exec(line) || [];
    if (field === "data") event.data += event.data ? `\n${value}` : value;
    else if (field === "id" || field === "event") event[field] = value;
  }
  return event;
}

/* Follow a feed after epoch `since`. `taken` gets each event's value and kind; `state` is called with "live" and
   "lost". Returns what ends it. */
export function follow(path, since, { taken, state }) {
  const end = new AbortController();
  let last = since,
    wait = FIRST_WAIT,
    gone = false;
  const run = async () => {
    while (!end.signal.aborted) {
      await seen(end.signal);
      const turn = AbortSignal.any([end.signal, hidden(end.signal)]);
      try {
        const headers = { Accept: "text/event-stream", "Last-Event-ID": String(last) };
        const response = await request(path, { params: { since: last }, headers, signal: turn });
        state("live");
        wait = FIRST_WAIT;
        for await (const event of events(response.body)) {
          if (event.id !== null) last = Number(event.id);
          taken(parse(event.data), event.event);
        }
      } catch (error) {
        if (end.signal.aborted || (error instanceof ApiError && error.status === 401)) return;
        gone = error instanceof ApiError && error.status === 410;
      }
      if (end.signal.aborted) return;
      if (unseen()) continue;
      state("lost");
      await pause(wait, end.signal);
      wait = Math.min(2 * wait, LONGEST_WAIT);
      last = await resumed(gone ? Infinity : last, end.signal, last);
    }
  };
  run();
  return () => end.abort();
}

/* After a loss: a server that started afresh may be at an earlier epoch than the last one seen, and one that no longer
   keeps what came after it goes on from now. */
async function resumed(wanted, signal, last) {
  try {
    const info = parse(await (await request("", { signal })).text());
    return Math.min(wanted, info.epoch);
  } catch {
    return last;
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const now = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", now, { once: true });
    window.addEventListener("online", now, { once: true });
  });
}

/* Browsers open few connections to one server: a hidden tab closes its connection after a while, and a page
   that was left, which the browser may keep for going back, at once. */
const HIDDEN = 20000;
let away = false;
window.addEventListener("pagehide", () => (away = true));
window.addEventListener("pageshow", () => (away = false));
const unseen = () => away || document.hidden;

/* A signal that is given when the page is no longer looked at. */
function hidden(signal) {
  const over = new AbortController();
  let timer = null;
  const changed = () => {
    clearTimeout(timer);
    if (unseen()) timer = setTimeout(() => over.abort(), HIDDEN);
  };
  const until = AbortSignal.any([signal, over.signal]);
  document.addEventListener("visibilitychange", changed, { signal: until });
  window.addEventListener("pagehide", () => over.abort(), { signal: until });
  changed();
  return over.signal;
}

/* Wait until the page is looked at. */
async function seen(signal) {
  while (unseen() && !signal.aborted) {
    await new Promise((resolve) => {
      document.addEventListener("visibilitychange", resolve, { once: true });
      window.addEventListener("pageshow", resolve, { once: true });
      signal.addEventListener("abort", resolve, { once: true });
    });
  }
}
