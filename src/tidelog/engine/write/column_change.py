"""Changes of columns in an epoch: which relations get other ones, and how their asserted facts are mapped.

Law: after the epoch the engine is equal to one that was built from the new program and the mapped base facts. A fact
is mapped where it is, by a rule that reads nothing else (`runtime.node.map_facts`); the cost is that of the relation,
and of what depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.core.core import Core
from tidelog.io.rows import encode_rows
from tidelog.partition.memory.keys import base_keys
from tidelog.plan.plan_epoch import Planner
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.work import FORMER, MAPPED, ColumnMapping, EpochWork, RuleForm
from tidelog.program import SOUFFLE, Declaration, Program
from tidelog.program.graph.choice import choices
from tidelog.program.graph.lifetime import EXPIRIES
from tidelog.program.types.subtypes import TypeNames
from tidelog.syntax import parse_program, print_program
from tidelog.syntax.printer import print_declaration

if TYPE_CHECKING:
    from tidelog.io.rows import Data
    from tidelog.program.functions.table import Function

MAPPING = "columns_of_"  # begins the label of the rule that maps the facts of a relation


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """How the columns of a relation change, and how its base facts are mapped, if it has any."""

    before: Declaration
    after: Declaration
    values: tuple[str, ...] = ()  # for each new column an expression over the former ones
    count: int = 0
    without: tuple[Data, ...] = ()  # facts of the former text of the program, which are not mapped

    def line(self) -> str:
        """The change for people, such as `* p(x: number) -> p(x: number, y: number): y = 0; 3 facts`."""
        names = [column.name for column in self.after.columns]
        given = [f"{name} = {text}" for name, text in zip(names, self.values, strict=False) if name != text]
        mapped = f": {', '.join(given)}" if given else ""
        facts = f"; {self.count:,} fact{'s' * (self.count != 1)}" if self.count else ""
        sides = (print_declaration(each).removeprefix(".decl ") for each in (self.before, self.after))
        return f"* {' -> '.join(sides)}{mapped}{facts}"

    def keeps_facts(self, before: Program, after: Program) -> bool:
        """Whether all facts stay as they are: at most the names of columns change."""
        old, new = (
            [known.base(column.type) for column in declaration.columns]
            for known, declaration in ((TypeNames(before.types), self.before), (TypeNames(after.types), self.after))
        )
        return old == new and self.values in ((), tuple(column.name for column in self.before.columns))


def renewed_storage(changes: Iterable[ColumnChange], before: Ruleset, after: Ruleset) -> dict[str, ColumnChange]:
    """The changes that concern facts, by the relation in which the asserted facts are kept."""
    found = {}
    for change in changes:
        name = change.after.relation
        old, new = (rules.asserted_elsewhere.get(name, name) for rules in (before, after))
        if change.keeps_facts(before.program, after.program):
            continue
        if old != new:
            reason = "it becomes or no longer is a relation with `choice-domain`, `eqrel` or subsumption"
            raise failures.COLUMNS_CANNOT_CHANGE.error(relation=name, reason=reason)
        found[old] = change
    return found


def column_mappings(core: Core, after: Ruleset, changes: Iterable[ColumnChange]) -> dict[str, ColumnMapping | None]:
    """How the facts of all relations with other columns are mapped; None: they have no asserted facts."""
    keys = base_keys(after.program)
    found: dict[str, ColumnMapping | None] = {}
    for stored, change in renewed_storage(changes, core.rules, after).items():
        found.setdefault(change.after.relation, None)
        if change.count:
            types = [type_ or "number" for type_ in core.schema[stored]]
            cells = [encode_rows(change.after.relation, data, types, core.dictionary) for data in change.without]
            without = np.concatenate([np.zeros((0, len(types)), np.int64), *cells])
            found[stored] = ColumnMapping(_form(core, change, after.program), without, keys.get(stored, ()))
        else:
            found.setdefault(stored, None)
    return found


def _form(core: Core, change: ColumnChange, given: Program) -> RuleForm:
    """The rule that maps a fact."""
    rules = mapping_rules(change, core.rules.program, given, core.rules.functions)
    if len(rules.core) != 1:
        raise failures.COLUMNS_CANNOT_CHANGE.error(
            relation=change.after.relation, reason="an expression reads other facts than the one that it maps"
        )
    (rule,) = rules.core.values()
    return Planner(1, core.runtime.facts, lambda: ()).forming(rules)(rule)


def mapping_rules(
    change: ColumnChange, before: Program, given: Program, functions: Mapping[str, tuple[Function, ...]]
) -> Ruleset:
    """The rule that maps a fact, checked; the expressions are read as parts of a declared program."""
    declared = (replace(change.before, relation=FORMER), replace(change.after, relation=MAPPED))
    bare = [replace(each, qualifiers=(), domains=()) for each in declared]
    types = tuple({each.name: each for each in (*before.types, *given.types)}.values())
    former = ", ".join(column.name for column in change.before.columns)
    text = print_program(Program(types=types, convention=SOUFFLE))
    text += "".join(f"{print_declaration(each)}\n" for each in bare)
    text += f"{MAPPING}{change.after.relation}: {MAPPED}({', '.join(change.values)}) :- {FORMER}({former}).\n"
    program = parse_program(f".convention {SOUFFLE}\n{text}")
    return Ruleset(replace(program, rules=()), functions).changed(program.rules, whole=True)


def rehearse_columns(
    before: Program,
    given: Program,
    functions: Mapping[str, tuple[Function, ...]],
    columns: Mapping[str, Mapping[str, str | None]],
) -> None:
    """Read, check and expand the expressions for columns, without an engine."""
    old, new = ({each.relation: each for each in program.declarations} for program in (before, given))
    for name in columns.keys() & old.keys() & new.keys():
        values = tuple(columns[name].get(column.name) or column.name for column in new[name].columns)
        mapping_rules(ColumnChange(old[name], new[name], values), before, given, functions)


def check_renewed(core: Core, after: Ruleset, work: EpochWork) -> None:
    """Refuse to change the columns of relations whose contents depend on more than their base facts."""
    chosen = {*choices(core.rules.program), *choices(after.program)}
    written = {pending.feed.view for pending in core.feeds}
    for name in sorted(work.renewed):
        reason = ""
        if name in written:
            reason = "its changes are being written to files (`write_feed`), whose rows have the former columns"
        elif core.rules.modelled or after.modelled:
            reason = "relations of the program depend on their own negation or aggregate, and hold the former values"
        elif name in chosen:
            reason = "it has a `choice-domain`, whose facts depend on the order of former epochs"
        elif name in core.rules.retentions or name in after.retentions or EXPIRIES + name in core.rules.schema:
            reason = "its facts have lifetimes, and their ends would be lost"
        if reason:
            raise failures.COLUMNS_CANNOT_CHANGE.error(relation=name, reason=reason)
