/* What the next epoch is to change, before it is sent. Law: it is kept for this tab until it is committed or thrown
   away, so that it can be gathered on any page; a change and its opposite cancel each other. */
import { parse, stringify } from "./api.js";

const KEY = "tidelog draft";
const bus = new EventTarget();
const EMPTY = { facts: [], rules: [], removed: [], declared: [] };
let kept = read();

function read() {
  try {
    return { ...EMPTY, ...parse(sessionStorage.getItem(KEY) || "{}") };
  } catch {
    return { ...EMPTY };
  }
}
function keep(next) {
  kept = next;
  sessionStorage.setItem(KEY, stringify(next));
  bus.dispatchEvent(new CustomEvent("draft"));
}
const same = (a, b) => stringify([a.relation, a.row]) === stringify([b.relation, b.row]);

export const draft = {
  get facts() {
    return kept.facts;
  },
  get rules() {
    return kept.rules;
  },
  get removed() {
    return kept.removed;
  },
  /* Texts of declarations, with the rules and facts beside them. */
  get declared() {
    return kept.declared;
  },
  get size() {
    return kept.facts.length + kept.rules.length + kept.removed.length + kept.declared.length;
  },
  declare(text) {
    keep({ ...kept, declared: [...kept.declared, { declaration: text }] });
  },
  /* Insert or delete a fact. */
  change(sign, relation, row) {
    const fact = { sign, relation, row },
      other = kept.facts.filter((each) => !same(each, fact));
    const cancelled = kept.facts.some((each) => same(each, fact) && each.sign !== sign);
    keep({ ...kept, facts: cancelled ? other : [...other, fact] });
  },
  /* Add a rule, in the place of another if `replaces` names one. */
  addRule(text, label, replaces) {
    const other = kept.rules.filter((rule) => !replaces || rule.replaces !== replaces);
    keep({ ...kept, rules: [...other, { text, label, replaces }] });
  },
  removeRule(label) {
    if (!kept.removed.includes(label)) keep({ ...kept, removed: [...kept.removed, label] });
  },
  /* Take back one part: a fact, a rule to add or a label to remove. */
  drop(part) {
    keep({
      facts: kept.facts.filter((each) => each !== part),
      rules: kept.rules.filter((each) => each !== part),
      removed: kept.removed.filter((each) => each !== part),
      declared: kept.declared.filter((each) => each !== part),
    });
  },
  clear() {
    keep({ ...EMPTY });
  },
  listen(listener) {
    bus.addEventListener("draft", listener);
    return () => bus.removeEventListener("draft", listener);
  },
  /* The body of the request that makes it an epoch. */
  body() {
    const rows = (sign) => {
      const found = {};
      for (const { relation, row } of kept.facts.filter((fact) => fact.sign === sign))
        (found[relation] ||= []).push(row);
      return found;
    };
    const rules = kept.rules.map(({ text, label, replaces }) => ({
      text,
      ...(label && { label }),
      ...(replaces && { replaces }),
    }));
    const text = kept.declared.map(({ declaration }) => declaration).join("\n");
    return {
      ...(text && { declare: text }),
      insert: rows("insert"),
      delete: rows("delete"),
      add_rules: rules,
      remove_rules: kept.removed,
    };
  },
};
