"""Epochs that change the columns of relations: add, drop, rename or reorder them, or change their types.

Law: after the epoch the engine is equal to one that was built from the new program and the mapped base facts. Nothing
is guessed: a new column needs a default or an expression, another type an expression, and a column whose values are
lost has to be dropped by name; a column is renamed if its expression is the former name. Partitions are built beside
those in force, as by `repartition`, and the frame in the state folder makes them valid; a failure leaves engine and
folder as they were. The cost is that of building the state.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.committed_epoch import CommittedEpoch
from tidelog.engine.base.facts import program_facts
from tidelog.engine.base.location import OpenedRuntime
from tidelog.engine.core.core import Core
from tidelog.engine.open.open import make_runtime
from tidelog.engine.open.repartition import moving
from tidelog.engine.open.start import start
from tidelog.engine.read import members as read
from tidelog.engine.read.report import EpochStatistics
from tidelog.engine.read.view import open_view, table_data
from tidelog.engine.write import commit
from tidelog.engine.write.durable import collect_difference, is_repeated, named_relations
from tidelog.engine.write.epoch import CollectedChanges, Epoch
from tidelog.io.rows import Data, read_rows
from tidelog.partition.code.machine import nothing
from tidelog.plan.plan_epoch import Planner
from tidelog.plan.ruleset import Ruleset
from tidelog.program import SOUFFLE, Column, Declaration, Program
from tidelog.program.functions.arguments import must_be
from tidelog.program.graph.choice import split_relations
from tidelog.program.graph.lifetime import EXPIRIES
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.term import variables
from tidelog.rewrite.names import is_auxiliary
from tidelog.runtime.base.interrupts import Guard
from tidelog.runtime.one.embedded import EmbeddedRuntime
from tidelog.store.base.memos import change_memos
from tidelog.store.folder.durable import EpochRecord
from tidelog.store.image.difference import Difference, fact_texts
from tidelog.syntax import parse_program, parse_rule, print_program, print_rule
from tidelog.syntax.printer import print_declaration, print_term

if TYPE_CHECKING:
    from tidelog.runtime.protocol.runtime import Runtime

Columns = Mapping[str, Mapping[str, str | None]]
Facts = list[tuple[int, str, Data]]
OLD, NEW = "former_rows", "mapped_rows"
TEXT_CONVENTION = f".convention {SOUFFLE}\n"


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """How the columns of a relation change, and how its base facts are mapped, if it has any."""

    before: Declaration
    after: Declaration
    values: tuple[str, ...] = ()  # for each new column an expression over the former ones
    count: int = 0

    def line(self) -> str:
        """The change for people, such as `* p(x: number) -> p(x: number, y: number): y = 0; 3 facts`."""
        names = [column.name for column in self.after.columns]
        given = [f"{name} = {text}" for name, text in zip(names, self.values, strict=False) if name != text]
        mapped = f": {', '.join(given)}" if given else ""
        facts = f"; {self.count:,} fact{'s' * (self.count != 1)}" if self.count else ""
        sides = (print_declaration(each).removeprefix(".decl ") for each in (self.before, self.after))
        return f"* {' -> '.join(sides)}{mapped}{facts}"


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """The program after an epoch that changes columns, its rules with labels, and the changes."""

    program: Program
    changes: tuple[ColumnChange, ...]
    gone: frozenset[str]  # relations that the new program does not have

    @property
    def relations(self) -> frozenset[str]:
        """The relations whose columns change."""
        return frozenset(change.after.relation for change in self.changes)


def epoch_to(core: Core, program: str | Program, columns: Columns | None) -> tuple[Epoch, Difference]:
    """An epoch that changes the program of the state to the given one, and the difference between the two."""
    must_be(columns, (Mapping, type(None)), "columns", "a mapping of relations to mappings of columns, or None")
    given = parse_program(program) if isinstance(program, str) else program
    must_be(given, Program, "program", "the text of a program, or a `Program`")
    with core.writing:
        changes = tuple(_column_changes(core, given, columns or {}))
        if not changes:
            epoch = Epoch(commit.Committer(core))
            return epoch, collect_difference(core, given, epoch.collected)
        return _altering_epoch(core, given, changes)


def _altering_epoch(core: Core, given: Program, changes: tuple[ColumnChange, ...]) -> tuple[Epoch, Difference]:
    collected = CollectedChanges()
    difference = collect_difference(core, replace(given, facts=()), collected)
    removed = {rule.label for rule in difference.removed}
    kept = [rule for rule in core.rules.program.rules if rule.label not in removed]
    after = replace(given, rules=(*kept, *collected.added))
    change = SchemaChange(after, changes, frozenset(core.rules.declared - named_relations(after)))
    target = SchemaCommitter(core, change)
    epoch = Epoch(target)
    epoch.rehearse = partial(target.preview, epoch)
    epoch.collected.program = replace(after, rules=(), facts=())
    epoch.collected.added, epoch.collected.removed = list(collected.added), sorted(filter(None, removed))
    epoch.collected.text_facts = fact_texts(given)
    return epoch, _difference(core, difference, given, changes)


def _difference(core: Core, difference: Difference, given: Program, changes: Sequence[ColumnChange]) -> Difference:
    """The difference, with the changed columns after the lines of declarations."""
    old = set(() if core.durable is None else core.durable.facts)
    new = set(fact_texts(given))
    lines = tuple(change.line() for change in changes)
    return replace(
        difference,
        facts_added=tuple(sorted(new - old)),
        facts_removed=tuple(sorted(old - new)),
        other=(*difference.other, *lines),
    )


# What changes


def _column_changes(core: Core, given: Program, columns: Columns) -> Iterator[ColumnChange]:
    """The relations that are declared before and after the epoch with different columns."""
    old = {declaration.relation: declaration for declaration in core.rules.program.declarations}
    new = {declaration.relation: declaration for declaration in given.declarations}
    types = TypeNames(core.rules.program.types), TypeNames(given.types)
    for name in columns:
        if name not in old or name not in new:
            reason = "it is not declared before and after the epoch"
            raise failures.COLUMNS_CANNOT_CHANGE.error(relation=name, reason=reason)
    for name in sorted(old.keys() & new.keys()):
        before, after = old[name], new[name]
        signatures = [
            [(column.name, known.base(column.type)) for column in each.columns]
            for each, known in zip((before, after), types, strict=True)
        ]
        if signatures[0] != signatures[1] or columns.get(name):
            yield _column_change(core, before, after, types, columns.get(name, {}))


def _column_change(
    core: Core,
    before: Declaration,
    after: Declaration,
    types: tuple[TypeNames, TypeNames],
    given: Mapping[str, str | None],
) -> ColumnChange:
    """How the facts of a relation are mapped; every refusal names the first column that is unclear."""
    relation = after.relation
    old = {column.name: column for column in before.columns}
    new = {column.name: column for column in after.columns}
    for column, text in given.items():
        if column not in (old if text is None else new):
            place, known = ("before", old) if text is None else ("after the epoch", new)
            raise failures.UNKNOWN_COLUMN.error(
                relation=relation, column=column, place=place, known=", ".join(f"`{name}`" for name in known)
            )
    count = len(read.asserted(core, relation)) if core.knows(relation) else 0
    if not count:
        return ColumnChange(before, after)
    values = tuple(_value(relation, column, old, types, given, count) for column in after.columns)
    used = {name for text in values for name in _variables(text)}
    for name in old:
        if name not in used and name not in given:
            raise failures.COLUMN_WITH_DATA.error(relation=relation, column=name, count=count)
    return ColumnChange(before, after, values, count)


def _value(
    relation: str,
    column: Column,
    old: Mapping[str, Column],
    types: tuple[TypeNames, TypeNames],
    given: Mapping[str, str | None],
    count: int,
) -> str:
    """The expression for a column of existing facts."""
    text = given.get(column.name)
    if text is not None:
        must_be(text, str, "columns", "expressions as text, or None for a column that is dropped")
        return text
    former = old.get(column.name) if column.name not in given else None
    if former is None:
        if column.default is None:
            about = {"relation": relation, "column": column.name, "type": column.type, "count": count}
            raise failures.COLUMN_WITHOUT_VALUE.error(**about)
        return print_term(column.default, SOUFFLE)
    if types[0].base(former.type) != types[1].base(column.type):
        raise failures.COLUMN_OF_OTHER_TYPE.error(
            relation=relation, column=column.name, before=former.type, after=column.type, count=count
        )
    return column.name


def _variables(text: str) -> set[str]:
    rule = parse_rule(f"{NEW}({text}) :- {OLD}().", convention=SOUFFLE)
    return {variable.name for term in rule.head.args for variable in variables(term)}


def _mapped(core: Core, change: ColumnChange, given: Program, rows: Sequence[tuple[Any, ...]]) -> Data:
    """The base facts of a relation with their new columns, computed by a rule."""
    name = change.after.relation
    declared = (replace(change.before, relation=OLD), replace(change.after, relation=NEW))
    bare = [replace(each, qualifiers=(), domains=()) for each in declared]
    types = tuple({each.name: each for each in (*core.rules.program.types, *given.types)}.values())
    text = print_program(Program(types=types, convention=SOUFFLE)) + "".join(f"{print_declaration(d)}\n" for d in bare)
    former = ", ".join(column.name for column in change.before.columns)
    rule = f"{NEW}({', '.join(change.values)}) :- {OLD}({former}).\n"
    runtime = EmbeddedRuntime(core.opened.functions)
    scratch = _core(core, runtime, parse_program(TEXT_CONVENTION + text + rule))
    try:
        epoch = Epoch(commit.Committer(scratch))
        epoch.insert(OLD, list(rows))
        epoch.commit()
        return read_rows(name, open_view(scratch, NEW).rows())
    finally:
        scratch.close()


def _core(core: Core, runtime: Runtime, program: Program) -> Core:
    """An engine with a program on empty partitions, with the functions of another."""
    opened = OpenedRuntime(runtime, None, None, {}, core.opened.functions, core.opened.where)
    planner = Planner(runtime.partitions, runtime.facts, lambda: runtime.node.groups, core.planner.plans)
    rules = Ruleset(Program(convention=program.convention), core.opened.functions)
    made = Core(CommittedEpoch(rules, {}, 0, {}), (opened, planner), core.find_causes)
    if program.rules:
        start(made, program)
    return made


# The epoch


@dataclass(frozen=True, slots=True)
class SchemaCommitter(commit.Committer):
    """Commits and previews an epoch that changes columns."""

    change: SchemaChange

    @property
    def takes_arrivals(self) -> bool:
        """False: rows of DataFrames pass through this process, since the partitions of the epoch do not exist yet."""
        return False

    def commit(self, epoch: Epoch) -> None:
        """Commit the epoch."""
        core = self.core
        core.must_be_open()
        if core.durable is not None:
            core.durable.must_be_writable()
        with core.writing:
            if not is_repeated(core, epoch):
                _commit(core, epoch, self.change)

    def preview(self, epoch: Epoch) -> None:
        """Build the state in a separate partition, which is dropped."""
        core, began = self.core, time.perf_counter()
        with core.writing:
            runtime = EmbeddedRuntime(core.opened.functions)
            made = _core(core, runtime, Program(convention=core.rules.program.convention))
            try:
                inner = _fill(made, core, epoch, self.change, _facts(core, self.change, epoch))
            finally:
                made.close()
            epoch.violations = inner.violations
            _report(epoch, core, time.perf_counter() - began)
            epoch.number = None


def _commit(core: Core, epoch: Epoch, change: SchemaChange) -> None:
    began = time.perf_counter()
    before, opened, in_force = core.runtime, core.opened, core.rules
    facts = _facts(core, change, epoch)  # before the partitions that hold them stop
    with _watched() as watch, moving(core, before.handover.images()):
        where = replace(opened.where, partitions=before.partitions, room=None)
        runtime = make_runtime(where, core.durable, opened.lasting, before.dictionary)
        try:
            runtime.set_limits(before.limits)
            if core.durable is not None:
                runtime.open_state(core.durable)
            made = _core(core, runtime, Program(convention=in_force.program.convention))
            inner = _fill(made, core, epoch, change, facts)
            watch()
            seconds = time.perf_counter() - began
            if core.durable is not None:
                schema = made.planner.placing.form.schema
                note = _note(epoch, change, seconds)
                runtime.handover.record(core.durable, core.number + 1, made.rules, schema, note)
        except BaseException:
            runtime.close()
            raise
        _take_over(core, replace(opened, runtime=runtime, where=where), made, epoch)
    epoch.violations = inner.violations
    epoch.breaks_feeds = True
    _report(epoch, core, seconds)
    epoch.number = core.number
    commit.notify(core, epoch)


@contextmanager
def _watched() -> Iterator[_Watch]:
    """A context in which Ctrl-C waits for a moment at which nothing is half done."""
    watch = _Watch()
    with Guard(watch):
        yield watch


class _Watch:
    """The function that is called between parts of the work."""

    def __init__(self) -> None:
        self.on_slice = nothing

    def __call__(self) -> None:
        self.on_slice()


def _must_be_possible(core: Core, change: SchemaChange) -> None:
    """Refuse an epoch if a build from the base facts would not reproduce the state."""
    relation = min(change.relations)
    rules, reason = core.rules, ""
    if core.feeds:
        reason = "a feed of files is being written (`write_feed`), whose rows have the former columns"
    elif split_relations(change.program) or split_relations(rules.program):
        reason = "the program has `choice-domain` or `eqrel`, whose facts depend on the order of former epochs"
    elif rules.retentions or any(name.startswith(EXPIRIES) for name in rules.schema):
        reason = "the program has lifetimes, and the ends of facts would be lost"
    if reason:
        raise failures.COLUMNS_CANNOT_CHANGE.error(relation=relation, reason=reason)


def _fill(made: Core, core: Core, epoch: Epoch, change: SchemaChange, facts: Facts) -> Epoch:
    """The epoch that builds the new state on empty partitions."""
    rules, collected = core.rules, epoch.collected
    changed = change.relations | change.gone
    bare = collected.program or replace(change.program, rules=(), facts=())
    kept = [rule for rule in rules.program.rules if rule.label not in collected.removed]
    bound = {place: type_ for place, type_ in rules.bound.items() if place[0] not in changed}
    known = {name: width for name, width in rules.known.items() if name not in changed and not is_auxiliary(name)}
    origins = {name: origin for name, origin in rules.origins.items() if name not in changed}
    made.begin_with(Ruleset(bare, rules.functions, rules.used, bound, known, origins=origins))
    inner = Epoch(commit.Committer(made))
    inner.collected = CollectedChanges(
        facts=[*facts, *collected.facts],
        added=[*kept, *collected.added],
        program=bare,
        at=core.times.now or None,
    )
    commit.commit(made, inner)
    return inner


def _facts(core: Core, change: SchemaChange, epoch: Epoch) -> Facts:
    """The base facts after the epoch: mapped where columns change, and as the text of the program says."""
    _must_be_possible(core, change)
    given, by_name = change.program, {each.after.relation: each for each in change.changes}
    functions = core.rules.functions
    old_texts = () if core.durable is None else core.durable.facts
    new_texts = epoch.collected.text_facts or ()
    removed = _text_rows(core.rules.program.convention, [text for text in old_texts if text not in set(new_texts)])
    facts: Facts = []
    for name in core.relations:
        if name in change.gone:
            continue
        rows = read.asserted(core, name)
        if name not in by_name:
            facts.append((1, name, table_data(rows)))
        elif by_name[name].values:
            old = {row for _, of, data in program_facts(removed, functions) if of == name for row in _rows(data)}
            kept = [row for row in rows.rows() if row not in old]
            facts.append((1, name, _mapped(core, by_name[name], given, kept)))
    unchanged = ((-1, name, data) for _, name, data in program_facts(removed, functions) if name not in by_name)
    facts += [fact for fact in unchanged if fact[1] not in change.gone]
    return [*facts, *program_facts(_text_rows(given.convention, new_texts), functions)]


def _rows(data: Data) -> Iterator[tuple[Any, ...]]:
    """The rows of columns of Python values."""
    return zip(*data.columns, strict=True)


def _text_rows(convention: str, texts: Sequence[str]) -> Program:
    return parse_program("\n".join((f".convention {convention}", *texts)))


def _note(epoch: Epoch, change: SchemaChange, seconds: float) -> EpochRecord:
    collected, convention = epoch.collected, change.program.convention
    return EpochRecord(
        seconds,
        [print_rule(rule, convention) for rule in collected.added],
        collected.removed,
        epoch.source,
        epoch.offset,
        collected.text_facts,
        {},
        epoch.signature.author,
        epoch.signature.note,
        epoch.memos,
        [each.line() for each in change.changes],
    )


def _take_over(core: Core, opened: OpenedRuntime, made: Core, epoch: Epoch) -> None:
    """Make the new partitions, rules and types those of the engine."""
    with opened.runtime.facts.one_epoch():
        before = core.committed
        core.questions.clear()
        core.replicas.clear()
        core.road = None
        core.resources = (opened, made.planner)
        schema = {**before.schema, **made.schema}
        core.committed = CommittedEpoch(made.rules, schema, before.number + 1, made.committed.sizes)
        if epoch.source is not None and epoch.offset is not None:
            core.offsets[epoch.source] = epoch.offset
        change_memos(core.memos, epoch.memos)
    made.resources = None  # they now belong to the engine


def _report(epoch: Epoch, core: Core, seconds: float) -> None:
    nothing_changed = commit.Committer(core).no_changes()
    epoch.report(lambda: (nothing_changed, EpochStatistics(seconds)))
