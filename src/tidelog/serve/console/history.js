/* The history of epochs, newest first: who, when, why, and what changed; each can be gone back to, or undone. */
import { ApiError, call } from "./api.js";
import { html } from "./dom.js";
import { clock, count } from "./format.js";
import { icon } from "./icons.js";
import { listen, live } from "./live.js";
import { to } from "./route.js";
import { empty, failed, loading } from "./states.js";

const SOME = 20,
  SOON = 500;

export function openHistory(undo) {
  const body = html("div", {}, loading("Loading the history", 5)),
    foot = html("div", { class: "foot" });
  const box = html(
    "section",
    { class: "card history", "aria-label": "History" },
    html("h1", {}, "History"),
    body,
    foot,
  );
  let timer = null,
    shown = SOME;

  async function read() {
    timer = null;
    try {
      const told = await call("/epochs", { params: { limit: shown } });
      draw(told);
    } catch (error) {
      foot.replaceChildren();
      const none = error instanceof ApiError && error.status >= 400 && error.status < 500;
      body.replaceChildren(none ? empty("No history is kept", error.message) : failed(error, read));
    }
  }
  function draw({ epochs, next }) {
    if (!epochs.length) {
      body.replaceChildren(empty("No epochs yet", "The first commit will appear here."));
      return;
    }
    const head = ["Epoch", "When", "By", "Facts", "Views", "Rules", ""].map((name) =>
      html("th", { scope: "col" }, name),
    );
    body.replaceChildren(
      html(
        "div",
        { class: "table" },
        html(
          "table",
          { class: "epochs" },
          html("thead", {}, html("tr", {}, head)),
          html("tbody", {}, epochs.map((epoch) => line(epoch, undo))),
        ),
      ),
    );
    foot.replaceChildren(
      next !== null
        ? html(
            "button",
            {
              type: "button",
              onclick: () => {
                shown += 5 * SOME;
                read();
              },
            },
            "Older",
          )
        : "",
    );
  }
  const soon = () => {
    if (timer === null) timer = setTimeout(read, SOON);
  };
  read();
  const ends = [listen("epoch", soon), listen("back", soon)];
  return {
    box,
    close: () => {
      ends.forEach((end) => end());
      clearTimeout(timer);
    },
  };
}

function line(epoch, undo) {
  const by = [
    epoch.author,
    epoch.source !== null && epoch.source !== undefined ? `${epoch.source} ${epoch.offset}` : null,
  ]
    .filter(Boolean)
    .join(", ");
  return html(
    "tr",
    { "data-epoch": epoch.epoch, class: epoch.epoch === live.epoch ? "now" : null },
    html("td", { class: "number" }, count(epoch.epoch)),
    html("td", {}, clock(epoch.time)),
    html(
      "td",
      {},
      by || html("span", { class: "soft" }, "–"),
      epoch.note && html("div", { class: "note" }, epoch.note),
    ),
    html("td", {}, counts(epoch.facts)),
    html("td", {}, counts(ofViews(epoch.changes))),
    html("td", { class: "rules" }, rules(epoch.rules)),
    html(
      "td",
      { class: "actions" },
      html(
        "a",
        { href: to("views", "", { at: epoch.epoch }), "aria-label": `The views as of epoch ${epoch.epoch}` },
        icon("clock"),
        "go back",
      ),
      !live.info.read_only &&
        html(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-label": `Undo epoch ${epoch.epoch}`,
            onclick: () => undo(epoch.epoch),
          },
          "undo",
        ),
    ),
  );
}

const FEW = 3;
const ofViews = (changes) =>
  Object.fromEntries(Object.entries(changes || {}).filter(([name]) => !live.names.get(name)?.base));
function counts(facts) {
  const names = Object.entries(facts || {});
  const one = ([name, { plus, minus }]) =>
    html(
      "span",
      { class: "count" },
      name,
      plus > 0 && html("b", { class: "gain" }, `+${count(plus)}`),
      minus > 0 && html("b", { class: "loss" }, `−${count(minus)}`),
    );
  const made = names.slice(0, FEW).map(one);
  if (names.length > FEW)
    made.push(
      html("details", { class: "count" }, html("summary", {}, `${names.length - FEW} more`), names.slice(FEW).map(one)),
    );
  return made.length ? made : html("span", { class: "soft" }, "–");
}

function rules(changed) {
  const { added = [], removed = [] } = changed || {};
  const made = [
    ...added.map((text) => html("div", { class: "gain" }, `+ ${text}`)),
    ...removed.map((text) => html("div", { class: "loss" }, `− ${text}`)),
  ];
  if (!made.length) return html("span", { class: "soft" }, "–");
  return made.length <= FEW
    ? made
    : [...made.slice(0, FEW), html("details", {}, html("summary", {}, `${made.length - FEW} more`), made.slice(FEW))];
}
