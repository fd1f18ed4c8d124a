/* Why a fact is absent: of each rule what held, the premise that failed and why, and the values it got so far with. */
import { html } from "./dom.js";
import { count } from "./format.js";
import { code } from "./highlight.js";
import { icon } from "./icons.js";
import { live } from "./live.js";
import { toWhy } from "./route.js";

export function absence(told) {
  return [html("p", { class: "soft" }, told.note), ...told.attempts.map(attempt)];
}

function attempt(tried) {
  const bindings = Object.entries(tried.bindings);
  return html(
    "article",
    { class: "attempt", "aria-label": `Rule ${tried.rule}` },
    code(tried.text, { convention: live.program.convention }),
    html(
      "ul",
      { class: "premises" },
      tried.held.map((text) =>
        html("li", { class: "held" }, icon("check"), premise(text), html("span", { class: "soft" }, "holds")),
      ),
      html("li", { class: "failed" }, icon("close"), premise(tried.failed), html("span", {}, reason(tried.reason))),
    ),
    bindings.length > 0 &&
      html(
        "p",
        { class: "bindings" },
        html("span", { class: "soft" }, "with"),
        bindings.map(([name, value]) => html("code", {}, `${name} = ${value}`)),
        tried.tried > 1 && html("span", { class: "soft" }, `one of ${count(tried.tried)} attempts that get this far`),
      ),
    !tried.complete && html("p", { class: "soft" }, "The search was stopped: too many facts to visit."),
  );
}

/* A premise; one without variables is a fact that can be asked about in turn. */
function premise(text) {
  const fact = text.replace(/^!/, "");
  return isGround(fact) ? html("a", { class: "what", href: toWhy(fact) }, text) : html("code", { class: "what" }, text);
}

/* A reason that names a fact, as in "blocked(bob, wiki) is true", leads to it. */
function reason(text) {
  const [, fact] = /^(.+\)) is true$/.exec(text) || [];
  return fact ? [html("a", { href: toWhy(fact) }, fact), " is true"] : text;
}

function isGround(text) {
  const [, name, inner] = /^([\w.?]+)\((.*)\)$/s.exec(text) || [];
  if (!name || !live.names.has(name)) return false;
  const bare = inner.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return live.program.convention === "souffle" ? !/[A-Za-z_?]/.test(bare) : !/(^|[\s,[(])[A-Z_]/.test(bare);
}
