/* Constraints that an epoch violates: each with its violations, of which every one unfolds into its proof. */
import { html } from "./dom.js";
import { count, plural } from "./format.js";
import { code } from "./highlight.js";
import { live } from "./live.js";
import { givenProof } from "./proof_tree.js";

const SOME = 10;

/* All violations, those that refuse the epoch first; `causes` are changes behind the first of them. */
export function showViolations(violations, causes = []) {
  return violations.map((violated, i) => oneConstraint(violated, i === 0 ? causes : []));
}

function oneConstraint(violated, causes) {
  const list = html("div", { class: "violations" }),
    foot = html("p", { class: "soft" });
  const { first } = violated;
  let shown = 0;
  const more = html("button", { type: "button", onclick: () => add() }, "");
  function add() {
    const next = first.slice(shown, shown ? first.length : SOME);
    list.append(...next.map((violation, i) => givenProof(violation.proof, shown + i === 0)));
    shown += next.length;
    const hidden = first.length - shown;
    more.hidden = !hidden;
    more.textContent = `Show ${count(hidden)} more`;
    const left = violated.count - first.length;
    foot.textContent = left && !hidden ? `and ${count(left)} more, which are not listed` : "";
  }
  add();
  const isWarning = violated.severity !== "refuse";
  return html(
    "section",
    { class: `violated ${violated.severity}`, "data-violated": violated.constraint },
    html(
      "h2",
      {},
      html("code", {}, violated.constraint),
      ` is violated ${violated.count === 1 ? "once" : plural(violated.count, "time")}`,
      isWarning && html("span", { class: "tag" }, "warning"),
    ),
    violated.meaning.startsWith(":-")
      ? code(violated.meaning, { convention: live.program.convention })
      : html("p", {}, violated.meaning),
    causes.length > 0 &&
      html(
        "div",
        { class: "because" },
        html("p", { class: "soft" }, violated.count === 1 ? "because" : "the first one because"),
        html("ul", {}, causes.map((cause) => html("li", {}, cause))),
      ),
    list,
    more,
    foot,
  );
}

/* A refused epoch. */
export function showRefusal(error) {
  const total = error.violations.reduce((sum, { count: times }) => sum + times, 0);
  return [
    html("h1", { class: "loss", role: "alert", "data-outcome": "refused" }, "Refused: nothing was changed"),
    html("p", {}, `The epoch would violate ${plural(error.violations.length, "constraint")}, ${times(total)}.`),
    ...showViolations(error.violations, error.causes),
    html("p", { class: "soft" }, error.hint),
    html("code", { class: "soft" }, error.code),
  ];
}

const times = (number) => (number === 1 ? "once" : `${count(number)} times in total`);
