/* Findings about rules: how they are shown, and where they are underlined. */
import { html } from "./dom.js";
import { offset } from "./highlight.js";

export function diagnostic(found) {
  const place = found.where ? `line ${found.where.line}, column ${found.where.column}` : "";
  return html(
    "div",
    { class: `diagnostic ${found.severity || "error"}` },
    html("p", {}, html("b", {}, found.code), ` ${found.message}`),
    place && html("p", { class: "soft" }, place),
    (found.notes || []).map((note) => html("p", { class: "soft" }, note)),
    found.hint && html("p", { class: "soft" }, found.hint),
  );
}

/* The range of a place in a text, as `highlighted` takes it. */
export function markOf(source, where, severity) {
  const start = offset(source, where.line, where.column);
  return [start, start + Math.max(1, (where.text || "").length), severity || "error"];
}
