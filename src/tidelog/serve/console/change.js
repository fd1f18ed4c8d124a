/* The Change page: gather changes, try them, commit them; below it what epochs did. Law: a dry run changes nothing;
   what is committed is what is listed. */
import { call } from "./api.js";
import { draftList } from "./draft_list.js";
import { draft } from "./draft.js";
import { html } from "./dom.js";
import { count } from "./format.js";
import { factsForm } from "./facts_form.js";
import { openHistory } from "./history.js";
import { live, listen, reload } from "./live.js";
import { showOutcome } from "./outcome.js";
import { programForm } from "./program_form.js";
import { rulesForm } from "./rules_form.js";
import { say } from "./shell.js";
import { empty, failed, loading } from "./states.js";
import { tabs } from "./tabs.js";
import { showRefusal } from "./violations.js";

const AUTHOR = "tidelog author";

export function openChange(main, route) {
  const facts = factsForm(route.name),
    rules = rulesForm(),
    program = programForm((body) => apply(body, true));
  const forms = { Facts: facts.box, Rules: rules.box, Program: program.box };
  const outcome = html("div", { class: "outcome", "aria-live": "polite" }),
    list = draftList();
  const author = html("input", {
    type: "text",
    "aria-label": "Author",
    placeholder: "Author",
    autocomplete: "off",
    value: localStorage.getItem(AUTHOR) || "",
    onchange: () => localStorage.setItem(AUTHOR, author.value),
  });
  const note = html("input", {
    type: "text",
    "aria-label": "Note",
    placeholder: "Note: why this change",
    autocomplete: "off",
  });
  const dry = html("button", { type: "button", id: "dry-run", onclick: () => send(true) }, "Dry run");
  const commit = html(
    "button",
    { type: "button", id: "commit", class: "primary", onclick: () => send(false) },
    "Commit",
  );
  const discard = html(
    "button",
    {
      type: "button",
      id: "discard",
      class: "plain",
      onclick: () => {
        draft.clear();
        invite();
      },
    },
    "Discard",
  );
  const show = (which) => {
    for (const [name, box] of Object.entries(forms)) box.hidden = name !== which;
  };
  const first = route.params.rule !== undefined ? "Rules" : "Facts";
  const history = openHistory((epoch) => undo(epoch, true));
  main.append(
    html(
      "section",
      { class: "card edit", "aria-label": "Edit" },
      html("div", { class: "head" }, html("h1", {}, "Next epoch"), tabs(Object.keys(forms), first, show)),
      Object.values(forms),
      list.box,
      html("div", { class: "by" }, author, note),
      html("div", { class: "send" }, dry, commit, discard),
    ),
    html("section", { class: "card effect", "aria-label": "Effect" }, outcome),
    history.box,
  );
  show(first);
  if (route.params.rule) rules.edit(route.params.rule);

  function invite() {
    outcome.replaceChildren(
      empty("Try it first", "A dry run shows which rows would be added and removed, and the cost. It changes nothing."),
    );
  }
  function enable() {
    const off = !draft.size || live.info.read_only;
    dry.disabled = commit.disabled = off;
    discard.disabled = !draft.size;
    commit.title = live.info.read_only ? "This token is read-only" : "";
  }
  async function send(isDry) {
    const body = { ...draft.body(), dry_run: isDry };
    if (author.value) body.author = author.value;
    if (note.value) body.note = note.value;
    dry.disabled = commit.disabled = true;
    outcome.replaceChildren(loading(isDry ? "Trying" : "Committing", 8));
    try {
      const told = await call("/epochs", { body });
      outcome.replaceChildren(...showOutcome(told, isDry));
      if (!isDry) committed(told);
    } catch (error) {
      outcome.replaceChildren(...(error.violations?.length ? showRefusal(error) : [failed(error)]));
    }
    enable();
  }
  async function undo(epoch, isDry) {
    const body = { epoch, dry_run: isDry };
    if (author.value) body.author = author.value;
    outcome.replaceChildren(loading(isDry ? "Trying" : "Committing", 8));
    try {
      const told = await call("/revert", { body });
      const agree = html(
        "button",
        { type: "button", id: "undo", class: "primary", onclick: () => undo(epoch, false) },
        `Undo epoch ${count(epoch)}`,
      );
      outcome.replaceChildren(...showOutcome(told, isDry), ...(isDry && !told.refused ? [agree] : []));
      if (!isDry) {
        say(`Epoch ${count(epoch)} undone`, "good");
        await reload();
      }
    } catch (error) {
      outcome.replaceChildren(...(error.violations?.length ? showRefusal(error) : [failed(error)]));
    }
  }
  async function apply(body, isDry) {
    outcome.replaceChildren(loading(isDry ? "Trying" : "Committing", 8));
    try {
      const told = await call("/apply", { body: { ...body(), author: author.value, dry_run: isDry, rows: 100 } });
      const agree = html(
        "button",
        { type: "button", id: "apply", class: "primary", onclick: () => apply(body, false) },
        "Apply this program",
      );
      const difference = html("pre", { class: "mono" }, told.difference.join("\n") || "The program is the same.");
      const offer = isDry && !told.refused && !told.matches && !live.info.read_only;
      outcome.replaceChildren(difference, ...showOutcome(told, isDry), ...(offer ? [agree] : []));
      if (!isDry) {
        say(`Epoch ${count(told.epoch)} committed`, "good");
        await reload();
        program.renew();
      }
    } catch (error) {
      outcome.replaceChildren(...(error.violations?.length ? showRefusal(error) : [failed(error)]));
    }
  }
  function committed(told) {
    say(`Epoch ${told.epoch} committed`, "good");
    const changed = draft.rules.length || draft.removed.length || draft.declared.length;
    draft.clear();
    note.value = "";
    if (changed) reload().catch((error) => say(error.message, "bad"));
  }
  main.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !dry.disabled && main.contains(dry)) {
      event.preventDefault();
      send(true);
    }
  });
  invite();
  enable();
  const ends = [
    draft.listen(() => {
      enable();
      facts.renew();
    }),
    list.close,
    history.close,
    listen("program", () => {
      facts.renew();
      rules.renew();
      enable();
    }),
  ];
  return () => ends.forEach((end) => end());
}
