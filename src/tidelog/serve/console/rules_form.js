/* Rules to add, replace or remove, checked while they are typed against the program that is there. */
import { call } from "./api.js";
import { isDeclaration } from "./declared.js";
import { diagnostic, markOf } from "./diagnostics.js";
import { draft } from "./draft.js";
import { html } from "./dom.js";
import { openEditor } from "./editor.js";
import { live } from "./live.js";
import { bare } from "./relation_panel.js";

const CHECK = 350;

export function rulesForm() {
  const found = html("div", { class: "diagnostics", "aria-live": "polite" });
  const editor = openEditor({
    label: "Rule",
    placeholder: "near(X) :- edge(1, X).\n\nor declarations, with their rules and facts:\n.decl vip(person: symbol)",
    changed: () => soon(),
  });
  const picker = html("select", { id: "rule", "aria-label": "Rule", onchange: () => edit(picker.value) });
  const label = html("input", {
    type: "text",
    class: "mono",
    "aria-label": "Label",
    placeholder: "label (optional)",
    autocomplete: "off",
    spellcheck: "false",
  });
  const add = html("button", { type: "button", class: "insert", "data-act": "add", onclick: () => take() }, "Add");
  const remove = html(
    "button",
    {
      type: "button",
      class: "delete",
      "data-act": "remove",
      onclick: () => {
        draft.removeRule(picker.value);
        edit("");
      },
    },
    "Remove",
  );
  const box = html(
    "form",
    { class: "form", onsubmit: (event) => event.preventDefault() },
    html("label", { for: "rule" }, "Rule"),
    picker,
    editor.box,
    found,
    html("div", { class: "row" }, label, add, remove),
  );
  let timer = null,
    turn = 0;

  function renew() {
    const before = picker.value;
    picker.replaceChildren(
      html("option", { value: "" }, "a new rule or declaration"),
      ...live.program.rules.map((rule) =>
        html("option", { value: rule.label }, `${rule.label}: ${bare(rule)}`.slice(0, 90)),
      ),
    );
    picker.value = live.program.rules.some((rule) => rule.label === before) ? before : "";
    buttons();
  }
  function buttons() {
    add.textContent = picker.value ? "Replace" : "Add";
    remove.hidden = !picker.value;
    label.hidden = Boolean(picker.value);
  }
  function edit(wanted) {
    const rule = live.program.rules.find((each) => each.label === wanted);
    picker.value = rule ? wanted : "";
    editor.set(rule ? bare(rule) : "");
    found.replaceChildren();
    buttons();
  }
  function take() {
    const text = editor.value.trim();
    if (!text) {
      editor.focus();
      return;
    }
    if (isDeclaration(text)) {
      draft.declare(text);
      if (picker.value) draft.removeRule(picker.value);
    } else draft.addRule(text, picker.value ? "" : label.value.trim(), picker.value);
    label.value = "";
    edit("");
  }
  function soon() {
    clearTimeout(timer);
    timer = setTimeout(check, CHECK);
  }
  /* The program with what the draft declares. How names are read stays as it is, also if the first `.decl` is new. */
  function programText() {
    const { text, convention } = live.program,
      way = /^\s*\.convention\b/m.test(text) ? "" : `.convention ${convention}\n`;
    return `${way}${[text.trimEnd(), ...draft.declared.map(({ declaration }) => declaration)].join("\n")}\n`;
  }
  /* The rule after the program: findings in its lines are reported. */
  async function check() {
    const mine = ++turn,
      text = editor.value,
      before = programText();
    if (!text.trim()) {
      found.replaceChildren();
      return;
    }
    try {
      const told = await call("/check", { body: { text: before + text } });
      if (mine !== turn || text !== editor.value) return;
      const first = before.split("\n").length - 1;
      const own = told.diagnostics
        .filter(({ where }) => where && where.line > first)
        .map((each) => ({ ...each, where: { ...each.where, line: each.where.line - first } }));
      editor.mark(own.map(({ where, severity }) => markOf(text, where, severity)));
      found.replaceChildren(...own.map(diagnostic));
    } catch {
      found.replaceChildren();
    }
  }
  renew();
  return { box, renew, edit };
}
