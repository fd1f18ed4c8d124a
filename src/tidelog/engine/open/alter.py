"""Epochs that change the columns of relations: add, drop, rename or reorder them, or change their types.

Law: nothing is guessed: a new column needs a default or an expression, another type an expression, and a column whose
values are lost has to be dropped by name; a column is renamed if its expression is the former name. The epoch is an
ordinary one otherwise, and commits as a whole (`write.column_change`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.facts import program_facts
from tidelog.engine.core.core import Core
from tidelog.engine.read import members as read
from tidelog.engine.write import commit
from tidelog.engine.write.column_change import ColumnChange
from tidelog.engine.write.durable import collect_difference
from tidelog.engine.write.epoch import Epoch
from tidelog.plan.work import FORMER, MAPPED
from tidelog.program import SOUFFLE, Column, Declaration, Program
from tidelog.program.functions.arguments import must_be
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.term import variables
from tidelog.store.image.difference import Difference
from tidelog.syntax import parse_program, parse_rule
from tidelog.syntax.printer import print_term

Columns = Mapping[str, Mapping[str, str | None]]


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
    epoch = Epoch(commit.Committer(core))
    collected = epoch.collected
    difference = collect_difference(core, given, collected)
    collected.program = given
    renewed = {c.after.relation for c in changes if not c.keeps_facts(core.rules.program, given)}
    texts = () if core.durable is None else core.durable.facts
    former = parse_program("\n".join((f".convention {core.rules.program.convention}", *texts)))
    before, after = (
        [(name, data) for _, name, data in program_facts(program, core.rules.functions) if name in renewed]
        for program in (former, given)
    )
    collected.columns = tuple(
        replace(change, without=tuple(data for name, data in before if name == change.after.relation))
        for change in changes
    )
    collected.facts = [fact for fact in collected.facts if fact[1] not in renewed]
    collected.facts += ((1, name, data) for name, data in after)
    return epoch, replace(difference, other=(*difference.other, *(change.line() for change in changes)))


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
    count = _asserted_count(core, relation)
    if not count:
        return ColumnChange(before, after)
    values = tuple(_value(relation, column, old, types, given, count) for column in after.columns)
    used = {name for text in values for name in _variables(text)}
    for name in old:
        if name not in used and name not in given:
            raise failures.COLUMN_WITH_DATA.error(relation=relation, column=name, count=count)
    return ColumnChange(before, after, values, count)


def _asserted_count(core: Core, relation: str) -> int:
    """The number of base facts of a relation; they are read only if it also has derived ones."""
    if not core.knows(relation):
        return 0
    stored = core.rules.asserted_elsewhere.get(relation, relation)
    if any(rule.head.predicate == stored for rule in core.rules.core.values()):
        return len(read.asserted(core, relation))
    return core.runtime.facts.live(stored)


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
    rule = parse_rule(f"{MAPPED}({text}) :- {FORMER}().", convention=SOUFFLE)
    return {variable.name for term in rule.head.args for variable in variables(term)}
