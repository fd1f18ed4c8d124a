/* A proof as a tree that unfolds. Law: what was not sent is requested when its branch is opened; a fact that stands
   elsewhere in the tree is not proved twice but named. */
import { html } from "./dom.js";
import { icon } from "./icons.js";
import { plural, shown } from "./format.js";
import { toRelation, toView, toWhy } from "./route.js";
import { failed, loading } from "./states.js";
import { ask } from "./why.js";

export function proofTree(proof, at, rulesChanged) {
  const used = new Set();
  const tree = html("ul", { class: "proof", role: "tree", "aria-label": `Proof of ${proof.fact}` });
  const context = { tree, used, at, told: () => rulesChanged([...used]) };
  tree.append(factItem(proof, 1, context, true));
  tree.addEventListener("keydown", (event) => walk(tree, event, at));
  tree.querySelector('[role="treeitem"]').tabIndex = 0;
  return { tree, used: () => [...used] };
}

/* A proof that came whole, of an epoch that was rolled back: nothing more can be asked about it. */
export function givenProof(proof, open) {
  const tree = html("ul", { class: "proof given", role: "tree", "aria-label": `Proof of ${proof.fact}` });
  tree.append(factItem(proof, 1, { tree, used: new Set(), at: null, told: () => {}, given: true }, open));
  tree.addEventListener("keydown", (event) => walk(tree, event, null));
  tree.querySelector('[role="treeitem"]').tabIndex = 0;
  return tree;
}

/* A line of the tree; `inner` makes its children when it is first opened, null if it has none. */
function item(className, line, inner, level, context, open) {
  const children = inner && html("ul", { role: "group" });
  const node = html("li", { class: className, role: "treeitem", tabindex: -1, "aria-level": level });
  node.append(
    html(
      "div",
      { class: "line" },
      inner
        ? html("button", { class: "fold", type: "button", tabindex: -1, "aria-hidden": "true" }, icon("open"))
        : html("i", { class: "leaf" }),
      line,
    ),
  );
  if (!inner) return node;
  node.append(children);
  node.unfold = (wanted) => {
    if (wanted && !node.filled) {
      node.filled = true;
      fill(node, children, inner, context);
    }
    node.setAttribute("aria-expanded", String(wanted));
    children.hidden = !wanted;
  };
  node.querySelector(".fold").addEventListener("click", (event) => {
    event.stopPropagation();
    node.unfold(children.hidden);
  });
  node.unfold(open);
  return node;
}

async function fill(node, children, inner, context) {
  const made = inner();
  if (Array.isArray(made)) {
    children.replaceChildren(...made);
    return;
  }
  children.replaceChildren(html("li", {}, loading("Unfolding", 2)));
  try {
    children.replaceChildren(...(await made));
    context.told();
  } catch (error) {
    node.filled = false;
    children.replaceChildren(html("li", {}, failed(error)));
  }
}

function factItem(fact, level, context, open = false) {
  const seen = context.tree.querySelector(`[data-fact="${CSS.escape(fact.fact)}"]:not(.again)`);
  const again = fact.how === "again" || (Boolean(seen) && fact.how !== "asserted");
  if (!again) note(fact, context);
  const has_parts = !again && fact.how !== "asserted" && fact.how !== "cut";
  const parts = has_parts ? () => premises(fact.premises, level + 1, context) : null;
  const later = !again && !context.given && fact.how === "cut" ? () => unfold(fact.fact, level, context) : null;
  const made = item(
    `fact ${fact.how}${again ? " again" : ""}`,
    factLine(fact, again, context),
    parts || later,
    level,
    context,
    open && Boolean(parts),
  );
  made.dataset.fact = fact.fact;
  made.setAttribute("aria-label", `${fact.fact}, ${told(fact, again, context.given)}`);
  return made;
}

function note(fact, context) {
  if (fact.rule) for (const label of fact.rule.split(", ")) context.used.add(label);
}

function told(fact, again, given) {
  if (again) return "proved above";
  if (fact.how === "asserted") return "asserted";
  if (fact.how === "cut" && given) return "not expanded further";
  if (fact.how === "absent") return "no rule derives it";
  if (fact.how === "undefined") return `undefined, by ${fact.rule}`;
  return fact.rule ? `by ${fact.rule}` : "derived";
}

function factLine(fact, again, { at, given }) {
  if (given)
    return [
      html("span", { class: "what" }, fact.fact),
      html("span", { class: `how ${fact.how}` }, told(fact, again, given)),
    ];
  return [
    html("a", { class: "what", href: toWhy(fact.fact, { at }), tabindex: -1 }, fact.fact),
    html("span", { class: `how ${fact.how}` }, told(fact, again)),
    fact.relation &&
      html(
        "a",
        { class: "go", href: toView(fact.relation, { at }), tabindex: -1, title: `rows of ${fact.relation}` },
        "rows",
      ),
    fact.relation &&
      html(
        "a",
        { class: "go", href: toRelation(fact.relation), tabindex: -1, title: `rules of ${fact.relation}` },
        "rules",
      ),
  ];
}

async function unfold(text, level, context) {
  const proof = await ask(text, context.at);
  note(proof, context);
  return premises(proof.premises, level + 1, context);
}

function premises(list, level, context) {
  return list.map((premise) => {
    if ("fact" in premise) return factItem(premise, level, context, level <= 2);
    if ("absent" in premise) {
      const link = context.given
        ? html("span", { class: "what" }, premise.absent)
        : html("a", { class: "what", href: toWhy(premise.absent, { at: context.at }), tabindex: -1 }, premise.absent);
      return item("absent", [html("span", { class: "how" }, "no"), link], null, level, context);
    }
    if ("test" in premise) return item("test", html("span", { class: "what" }, premise.test), null, level, context);
    return groupItem(premise, level, context);
  });
}

function groupItem(group, level, context) {
  const best = ["min", "max"].includes(group.aggregate);
  const size = best ? `the best of ${plural(group.size, "candidate")}` : `over ${plural(group.size, "row")}`;
  const line =
    group.aggregate === "class"
      ? [html("span", { class: "what" }, group.text)]
      : [
          html("span", { class: "what" }, `${group.text} = ${shown(group.value)}`),
          html("span", { class: "how" }, size),
        ];
  const inner = () => {
    const made = group.rows.flatMap((row) => premises(row, level + 1, context));
    const hidden = group.size - group.rows.length;
    if (!best && hidden > 0)
      made.push(
        item("more", html("span", { class: "soft" }, `and ${plural(hidden, "more row")}`), null, level + 1, context),
      );
    return made;
  };
  return item("group", line, group.rows.length ? inner : null, level, context, level <= 2);
}

/* Up and down through what is open, right to unfold and left to fold, Enter to make the fact the root. */
function walk(tree, event, at) {
  const node = event.target.closest('[role="treeitem"]');
  if (!node || !["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter"].includes(event.key)) return;
  event.preventDefault();
  const visible = [...tree.querySelectorAll('[role="treeitem"]')].filter((other) => other.offsetParent !== null);
  const open = node.getAttribute("aria-expanded"),
    place = visible.indexOf(node);
  const focus = (other) => {
    if (!other) return;
    visible.forEach((each) => {
      each.tabIndex = -1;
    });
    other.tabIndex = 0;
    other.focus();
  };
  if (event.key === "ArrowUp") focus(visible[place - 1]);
  if (event.key === "ArrowDown") focus(visible[place + 1]);
  if (event.key === "ArrowRight") {
    if (open === "false") node.unfold(true);
    else if (open === "true") focus(visible[place + 1]);
  }
  if (event.key === "ArrowLeft") {
    if (open === "true") node.unfold(false);
    else focus(node.parentElement.closest('[role="treeitem"]'));
  }
  if (event.key === "Enter" && tree.classList.contains("given")) node.unfold?.(open === "false");
  else if (event.key === "Enter" && node.dataset.fact) location.hash = toWhy(node.dataset.fact, { at });
}
