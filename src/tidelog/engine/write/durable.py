"""The use of the state folder by an engine: durable epochs, change feeds, the log, edited programs.

Law: an epoch is on disk before it counts. Input that names its source and offset is applied once. Without a state
folder there is no history, and asking for it is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.facts import program_facts
from tidelog.engine.write.instances import retract_all
from tidelog.plan.ruleset import changed_types
from tidelog.program import Program
from tidelog.program.functions.arguments import must_be
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.store.image.difference import Difference, compare_programs, fact_texts
from tidelog.syntax import parse_program, print_rule

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core
    from tidelog.engine.write.epoch import CollectedChanges, Epoch
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.runtime.base.outcome import EpochOutcome
    from tidelog.store.folder.durable import Durable
    from tidelog.store.folder.history import Change, LogEntry
    from tidelog.store.log.markers import PieceContext


def state_folder(core: Core, what: str) -> Durable:
    """The state folder that ``what`` needs; a temporary one, as engines on Spark may have, does not count."""
    if core.durable is None or core.opened.lasting is None:
        raise failures.NEEDS_STATE.error(what=what)
    return core.durable


def changes_since(core: Core, view: str, since: int) -> list[Change]:
    """The changes of a relation in every epoch after one."""
    return list(changes_in_turn(core, view, since))


def changes_in_turn(core: Core, view: str, since: int) -> Iterator[Change]:
    """Like `changes_since`, but read lazily."""
    must_be(since, int, "since", "the number of an epoch")
    from tidelog.store.folder.history import texts_of, view_changes

    state = state_folder(core, "a change feed")
    values = texts_of(state) if state.partitions else core.dictionary  # partitions forget values that no fact has
    return view_changes(state, view, since, values, core.rules)


def log(core: Core, after: int | None = None, until: int | None = None) -> list[LogEntry]:
    """The epochs that the state folder keeps, or those after one, and up to another, oldest first."""
    from tidelog.store.folder.history import log_entries

    core.must_be_open()
    entries = log_entries(state_folder(core, "a log"), after)
    return list(entries if until is None else takewhile(lambda entry: entry.epoch <= until, entries))


def snapshot(core: Core) -> None:
    """Write the whole state now."""
    core.must_be_open()
    with core.writing:
        take_snapshot(core, state_folder(core, "a snapshot"), only_if_due=False)


def take_snapshot(core: Core, durable: Durable, *, only_if_due: bool) -> None:
    """Write the whole state, always or only if the log has outgrown it."""
    core.runtime.snapshot(durable, core.rules, core.planner.placing.form.schema, only_if_due=only_if_due)


def is_repeated(core: Core, epoch: Epoch) -> bool:
    """Whether the input of an epoch was already committed."""
    if epoch.source is None or epoch.offset is None or epoch.source not in core.offsets:
        return False
    return epoch.offset <= core.offsets[epoch.source]


def types_before(core: Core, rules: Ruleset) -> Schema:
    """The types of deleted facts, if an epoch that results in these rules changes them."""
    return {} if rules is core.rules else changed_types(core.schema, rules.schema)


def kept_at_once(core: Core, rules: Ruleset) -> PieceContext | None:
    """What partitions need to write their pieces during the run; None if the epoch may still be refused.

    Writing early would not be wrong, since a piece counts only once the epoch is recorded, but it would be wasted work.
    """
    program = rules.program
    if core.durable is None or program.keys or rules.constraints or rules.orders:
        return None
    schema = core.planner.placing.next_form(rules).schema
    return core.durable.keeping(core.number + 1, rules, schema, types_before(core, rules))


def record(core: Core, durable: Durable, epoch: Epoch, rules: Ruleset, outcome: EpochOutcome) -> None:
    """Make the epoch that ran last durable."""
    from tidelog.store.folder.durable import EpochRecord

    durable.waits = epoch.waits and core.sync_later is not None
    collected = epoch.collected
    added = [print_rule(rule, rules.program.convention) for rule in collected.added]
    note = EpochRecord(
        outcome.seconds,
        added,
        collected.removed,
        epoch.source,
        epoch.offset,
        collected.text_facts,
        types_before(core, rules),
        epoch.signature.author,
        epoch.signature.note,
        epoch.memos,
        [change.line() for change in collected.columns],
    )
    schema = core.planner.placing.next_form(rules).schema
    core.runtime.record(durable, core.number + 1, rules, schema, note)


def collect_difference(core: Core, program: str | Program, collected: CollectedChanges) -> Difference:
    """Collect the changes that turn the program of the state into the given one; returns how the two differ."""
    must_be(program, (str, Program), "program", "the text of a program, or a `Program`")
    core.must_be_open()
    # Without a state folder, the facts of the former text are not known.
    facts: Sequence[str] = () if core.durable is None else core.durable.facts
    given = parse_program(program) if isinstance(program, str) else program
    difference = compare_programs(core.rules.program, facts, given)
    collected.removed = [rule.label or "" for rule in difference.removed]
    collected.added = list(core.rules.label(difference.added))
    collected.program = given if difference.other else None
    for sign, facts in ((1, difference.facts_added), (-1, difference.facts_removed)):
        parsed = parse_program("\n".join((f".convention {given.convention}", *facts)))
        collected.facts += ((sign, name, rows) for _, name, rows in program_facts(parsed, core.rules.functions))
    if difference.other:
        gone = core.rules.declared - named_relations(given)
        collected.facts = [change for change in collected.facts if change[1] not in gone]
        retract_all(core, collected, sorted(gone))
    collected.text_facts = fact_texts(given)
    return difference


def named_relations(program: Program) -> set[str]:
    """The relations that a program declares or that its rules mention."""
    read = {atom.predicate for rule in program.rules for atom in (rule.head, *atoms(rule_literals(rule)))}
    return read | {declaration.relation for declaration in program.declarations}
