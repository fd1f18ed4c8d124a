"""Changes: clauses, scripts and declarations, each one epoch, committed or only tried.

Law: entering an input again changes nothing: facts are sets, an existing rule is not added twice, and a rule with a
label replaces the rule that has it. A dry run leaves the state as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.input.report import ENDLESS
from tidelog.cli.repl.inputs import ends_with_period, is_command_word
from tidelog.cli.repl.reports import EpochReport, Findings
from tidelog.cli.repl.session import ReplState, require_argument
from tidelog.engine.base.facts import written_rows
from tidelog.engine.engine import core_of
from tidelog.engine.read.members import undefined_counts
from tidelog.engine.write.declare import with_declarations
from tidelog.engine.write.epoch import Epoch
from tidelog.program import Atom, Rule
from tidelog.program.check import examine_program
from tidelog.program.types.ground import ground_value
from tidelog.syntax import (
    FactChange,
    InstanceAdded,
    InstanceRemoved,
    RuleAdded,
    RuleRemoved,
    is_preview,
    parse_changes,
    parse_ground_atom,
    parse_program,
    print_rule,
    read_rules,
)


def clauses(session: ReplState, text: str) -> None:
    """Add rules and facts written as in a program; unfinished input is refused."""
    if is_command_word(text):
        raise failures.NO_COLON.error(name=text)
    if not ends_with_period(text, session.convention):
        raise failures.NO_PERIOD.error()
    rules, found = read_rules(text, convention=session.convention, name=session.name, prefixes=session.prefixes)
    if found:
        session.report(Findings(tuple(found)))
    facts = [rule.head for rule in rules if not rule.body and rule.label is None]
    commit(session, [(1, fact) for fact in facts], [r for r in rules if r.body or r.label is not None])


def script(session: ReplState, text: str) -> None:
    """Run changes written as in a script; an epoch that ends with `preview.` is only tried."""
    for epoch in parse_changes(text, session.name, convention=session.convention, prefixes=session.prefixes):
        facts = [(change.sign, change.atom) for change in epoch if isinstance(change, FactChange)]
        added = [change.rule for change in epoch if isinstance(change, RuleAdded)]
        removed = [change.label for change in epoch if isinstance(change, RuleRemoved)]
        instances = [change for change in epoch if isinstance(change, InstanceAdded | InstanceRemoved)]
        with session.trying(is_preview(epoch)):
            commit(session, facts, added, removed, instances)


def commit(
    session: ReplState,
    facts: Sequence[tuple[int, Atom]],
    added: Sequence[Rule],
    removed: Sequence[str] = (),
    instances: Sequence[InstanceAdded | InstanceRemoved] = (),
) -> None:
    """Commit everything given as one epoch."""
    if not session.dry:
        session.must_change()
    if not (facts or added or removed or instances):
        return

    warn_of_endless_rules(session, added)

    def collect(epoch: Epoch) -> list[str]:
        for change in instances:
            if isinstance(change, InstanceAdded):
                epoch.add_instance(change.instance)
            else:
                epoch.remove_instance(change.name)
        labels = add_rules(session, epoch, added)
        for label in removed:
            epoch.remove_rule(label)
        for sign, atom in facts:
            row = tuple(ground_value(arg, core_of(session.db).rules.functions) for arg in atom.args)
            epoch.write(sign, atom.predicate, written_rows(atom.predicate, [row]))
        return labels

    carry_out(session, collect)


def warn_of_endless_rules(session: ReplState, added: Sequence[Rule]) -> None:
    """Warn of rules that may run forever, before they run; a program with errors is refused later."""
    rules, sources = core_of(session.db).rules, {id(rule.span.source) for rule in added if rule.span is not None}
    if not sources:
        return
    program = replace(rules.program, rules=(*rules.program.rules, *added))
    found = examine_program(program, rules.functions, bound=rules.bound, known=rules.known)[1]
    new = (finding for finding in found if finding.span is not None and id(finding.span.source) in sources)
    endless = tuple(finding for finding in new if finding.code == ENDLESS)
    if endless:
        session.report(Findings(endless))


def add_rules(session: ReplState, epoch: Epoch, rules: Sequence[Rule]) -> list[str]:
    """Add rules that are not there yet, replacing those with the same labels; returns the labels of new rules."""
    known = {rule.label: rule for rule in session.db.program.rules}
    unlabelled = {replace(rule, label=None) for rule in known.values()}
    labels = []
    for rule in rules:
        if known.get(rule.label) == rule or (rule.label is None and rule in unlabelled):
            continue
        if rule.label in known:
            epoch.remove_rule(rule.label or "")
        labels.append(epoch.add_rule(rule))
    return labels


def carry_out(session: ReplState, collect: Callable[[Epoch], list[str]]) -> None:
    """Run the collected changes as an epoch; a dry run is reported and rolled back."""
    db = session.db
    with session.waiting("epoch"):
        if session.dry:
            epoch = db.epoch()
            collect(epoch)
            texts = tuple(print_rule(rule, db.convention) for rule in epoch.collected.added)
            db.preview(epoch)
        else:
            with db.epoch() as epoch:
                labels = collect(epoch)
            texts = tuple(db.rules[label] for label in labels)
    session.report(EpochReport(epoch, db.convention, texts, session.dry))
    if not session.dry:
        session.last = epoch
        session.note_undefined(undefined_counts(core_of(db)))


def epoch_number(text: str) -> int:
    """Parse the number of an epoch."""
    try:
        return int(text)
    except ValueError:
        raise failures.NO_EPOCH_NUMBER.error(text=text) from None


def undo(session: ReplState, text: str) -> None:
    """Undo the last epoch, or one of the state folder by its number; undoing it again restores its changes."""
    session.must_change()
    number, db = epoch_number(text) if text else None, session.db
    with session.waiting("epoch"):
        epoch = db.revert(session.last if number is None else number)
    session.last = epoch
    session.report(EpochReport(epoch, db.convention, (), dry=False))
    session.note_undefined(undefined_counts(core_of(db)))


def declare(session: ReplState, text: str) -> None:
    """Add declarations, constraints and instances to an engine with content; how names are read stays the same."""
    if text.startswith((".comp", ".init")):
        carry_out(session, lambda epoch: _instance(epoch, text))
        return
    known = session.db.program
    declarations = parse_program(_with_types(session, text), session.name, convention=session.convention, include=".")
    constraints = [rule for rule in declarations.rules if rule.constraint is not None]
    others = (
        declarations.facts,
        declarations.components,
        declarations.pragmas,
        declarations.directives,
        declarations.functors,
    )
    if any(others) or len(constraints) < len(declarations.rules):
        raise failures.LATE_DECLARATION.error()
    after = with_declarations(known, declarations)

    def collect(epoch: Epoch) -> list[str]:
        if after != known:
            epoch.collected.program = after
        return add_rules(session, epoch, constraints)

    carry_out(session, collect)


def _instance(epoch: Epoch, text: str) -> list[str]:
    epoch.add_instance(text)
    return []


def _with_types(session: ReplState, text: str) -> str:
    """A declaration, preceded by those of types that it may name."""
    types = [line for line in session.declared.splitlines() if ".type" in line]
    return "\n".join([*types, text])


def delete(session: ReplState, fact: str) -> None:
    """Retract one fact."""
    text = require_argument(fact, "delete", "edge(1, 2)")
    commit(session, [(-1, parse_ground_atom(text, name=session.name, prefixes=session.prefixes))], [])


HANDLERS = {"delete": delete, "undo": undo}
