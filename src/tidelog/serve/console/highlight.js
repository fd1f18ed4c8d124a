/* Rule text with its parts marked. Law: the text shown is the text given, sign by sign; only its colours are added. */
import { html } from "./dom.js";

const TOKEN = new RegExp(
  [
    "(?<comment>//[^\\n]*|/\\*[\\s\\S]*?\\*/)",
    '(?<string>"(?:[^"\\\\\\n]|\\\\.)*"?)',
    "(?<directive>[.#][a-z]\\w*|^\\s*[A-Za-z][\\w-]*\\s*:(?![-=:]))",
    '(?<aggregate>\\b(?:count|sum|min|max|mean)\\b(?=\\s*(?:<|:|[\\w."]+\\s*:)))',
    "(?<number>\\b(?:0x[\\da-fA-F]+|\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\b)",
    "(?<relation>[A-Za-z_?][\\w.?]*(?=\\s*\\())",
    "(?<word>[A-Za-z_?][\\w?]*)",
    "(?<operator>:-|:=|!=|<=|>=|[!<>=+*/%^|&~-])",
  ].join("|"),
  "gm",
);

const SOUFFLE = /^\s*\.decl\b/m;

export function tokens(source, convention) {
  const variables = convention === "souffle" || (!convention && SOUFFLE.test(source)) ? /^/ : /^[A-Z_]/;
  const found = [];
  for (const match of source.matchAll(TOKEN)) {
    let [kind] = Object.entries(match.groups).find(([, value]) => value !== undefined);
    if (kind === "word") kind = variables.test(match[0]) ? "variable" : "symbol";
    found.push({ kind, text: match[0], start: match.index });
  }
  return found;
}

/* The parts of a text as spans; `marks` are ranges [start, end, class] that are underlined. */
export function highlighted(source, { convention = null, marks = [] } = {}) {
  const parts = [];
  let at = 0;
  for (const { kind, text, start } of tokens(source, convention)) {
    if (start > at) parts.push(...piece(source, at, start, null, marks));
    parts.push(...piece(source, start, start + text.length, kind, marks));
    at = start + text.length;
  }
  if (at < source.length) parts.push(...piece(source, at, source.length, null, marks));
  return parts;
}

/* A piece of the text, cut where a mark begins or ends. */
function piece(source, start, end, kind, marks) {
  const cuts = new Set([start, end]);
  for (const [from, to] of marks) for (const cut of [from, to]) if (cut > start && cut < end) cuts.add(cut);
  const at = [...cuts].sort((a, b) => a - b);
  return at.slice(1).map((to, i) => {
    const from = at[i],
      mark = marks.find(([a, b]) => a <= from && to <= b);
    const classes = [kind && `t-${kind}`, mark && `mark ${mark[2]}`].filter(Boolean).join(" ");
    const text = source.slice(from, to);
    return classes ? html("span", { class: classes }, text) : text;
  });
}

export const code = (source, options) =>
  html("pre", { class: "code", tabindex: 0 }, html("code", {}, highlighted(source, options)));

/* The place of a line and a column, both from 1, in a text. */
export function offset(source, line, column) {
  let at = 0;
  for (let i = 1; i < line; i++) {
    const end = source.indexOf("\n", at);
    if (end < 0) return source.length;
    at = end + 1;
  }
  return Math.min(source.length, at + column - 1);
}
