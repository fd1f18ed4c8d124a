/* The Why page: the proof of a fact, unfolded as far as one likes; or, for a fact that is absent, how far each rule
   got. */
import { ApiError, call } from "./api.js";
import { absence } from "./absence.js";
import { causes } from "./causes.js";
import { html } from "./dom.js";
import { count } from "./format.js";
import { code } from "./highlight.js";
import { listen, live } from "./live.js";
import { proofTree } from "./proof_tree.js";
import { bare } from "./relation_panel.js";
import { to, toWhy } from "./route.js";
import { empty, settle } from "./states.js";

const DEPTH = 2;
export const ask = (fact, at) => call("/why", { params: { fact, depth: DEPTH, at } });

export function openWhy(main, route) {
  const field = html("input", {
    id: "fact",
    type: "text",
    class: "mono",
    spellcheck: "false",
    placeholder: "reach(1, 3)",
    "data-find": true,
    "aria-label": "The fact to explain",
  });
  const go = (event) => {
    event.preventDefault();
    if (field.value.trim()) location.hash = toWhy(field.value.trim());
  };
  const result = html("section", { class: "card main", "aria-label": "Explanation", "aria-live": "polite" });
  const rules = html("section", { class: "card side", "aria-label": "Rules" });
  main.append(
    html(
      "form",
      { class: "card ask", onsubmit: go, role: "search" },
      html("label", { for: "fact" }, "Why"),
      field,
      html("button", { class: "primary" }, "Explain"),
    ),
    result,
    rules,
  );
  let fact = "",
    at = null;

  function open(next) {
    fact = next.params.fact || "";
    at = next.params.at ?? null;
    field.value = fact;
    showRules(rules, []);
    if (fact) show();
    else invite(result);
  }
  function show() {
    settle(result, explained(fact, at), (told) => (told.proof ? showProof(told.proof) : showAbsence(told.absence)), {
      again: show,
      lines: 6,
    });
  }
  function showProof(proof) {
    const { tree, used } = proofTree(proof, at, (labels) => showRules(rules, labels));
    showRules(rules, used());
    return [
      heading(proof.fact, at === null ? "is true" : `was true at epoch ${count(Number(at))}`),
      tree,
      at === null && causes(proof.fact),
    ].filter(Boolean);
  }
  function showAbsence(told) {
    showRules(
      rules,
      told.attempts.flatMap((attempt) => attempt.rule.split(", ")),
    );
    return [
      heading(told.fact, at === null ? "is not true" : `was not true at epoch ${count(Number(at))}`),
      ...absence(told),
      ...(at === null ? [causes(told.fact)] : []),
    ];
  }
  main.renew = (next) => {
    open(next);
    return true;
  };
  open(route);
  const ends = [
    listen("back", () => {
      if (fact) show();
    }),
  ];
  return () => ends.forEach((end) => end());
}

/* The proof, or why there is none. */
async function explained(fact, at) {
  try {
    return { proof: await ask(fact, at) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return { absence: await call("/why-not", { params: { fact, at } }) };
  }
}

const heading = (fact, verdict) => html("h1", { class: "verdict" }, html("code", {}, fact), ` ${verdict}`);

function invite(result) {
  const views = live.program.relations.filter((relation) => !relation.base && relation.size).slice(0, 4);
  result.replaceChildren(
    empty(
      "Ask about a fact",
      "Enter a fact above, or open a view: every row has a link to its proof.",
      html(
        "p",
        { class: "actions" },
        views.map(({ name }) => html("a", { class: "button", href: to("views", name) }, name)),
      ),
    ),
  );
}

function showRules(box, labels) {
  const known = new Map(live.program.rules.map((rule) => [rule.label, rule]));
  const found = [...new Set(labels)].filter((label) => known.has(label)).map((label) => known.get(label));
  box.replaceChildren(
    html("h2", {}, "Rules"),
    ...found.map((rule) =>
      html(
        "div",
        { class: "rule", "data-rule": rule.label },
        html("span", { class: "label" }, rule.label),
        code(bare(rule), { convention: live.program.convention }),
      ),
    ),
  );
  if (!found.length) box.append(html("p", { class: "soft" }, "The rules of the explanation appear here."));
}
