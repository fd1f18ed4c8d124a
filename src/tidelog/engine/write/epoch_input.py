"""The net input of an epoch that ran: kept with the epoch to explain later why something changed.

Law: the changes are those of base facts and rules between the previous epoch and this one; asserting a fact that was
already asserted is not a change. Recording them only keeps references, and for relations with both rules and asserted
facts the part that the epoch touched; rows are decoded on request.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engine.read.view import Rows
from tidelog.partition.memory.keys import base_keys
from tidelog.program.graph.asserted_facts import users_name
from tidelog.program.graph.lifetime import EXPIRIES, NOW
from tidelog.program.graph.well_founded import model_sources
from tidelog.program.values.scope import atoms
from tidelog.rewrite.names import is_auxiliary

if TYPE_CHECKING:
    from tidelog.blame.change import Change, FactChanged, Origin, Row
    from tidelog.engine.core.core import Core
    from tidelog.io.fact_text import FactWriter
    from tidelog.kernel.cells import Cells
    from tidelog.partition.base.net_changes import NetChange
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.program import Program
    from tidelog.runtime.base.outcome import EpochOutcome, RowChanges

SignedFacts = Iterable[tuple[str, int, "Row"]]  # relation, sign, values


@dataclass(frozen=True, slots=True)
class EpochInput:
    """The rules before and after an epoch, its changed rows, and the assertions if they contain more than the rows."""

    number: int  # of the epoch before
    before: Ruleset
    after: Ruleset
    schema: Schema  # before and after
    rows: RowChanges
    based: tuple[str, ...]  # relations whose changed rows are exactly the asserted and retracted ones
    assertions: Mapping[str, NetChange[Cells]]
    decode: Callable[[str, Cells, Schema], list[Row]]
    writer: Callable[[str], FactWriter]

    def changes(self, selects: Callable[[str], bool], origin: Origin) -> list[Change]:
        """The changes of facts in the given relations, and all changes of rules."""
        facts = fact_changes(self._signed(selects), self.after.program, origin, self._expired(), self.writer)
        return [*rule_changes(self.before.program, self.after.program, origin), *facts]

    def view_rows(self, relation: str) -> tuple[list[Row], list[Row]]:
        """The facts of a relation that were added and those that were removed."""
        if relation not in self.rows:
            return [], []
        inserted, deleted = self.rows[relation]
        old = {**self.schema, **self.before.schema}
        return self.decode(relation, inserted, self.schema), self.decode(relation, deleted, old)

    def changed_lifetimes(self) -> list[str]:
        """The relations in which facts lost or changed their lifetime, other than by expiring."""
        old, ended = {**self.schema, **self.before.schema}, self._expired()
        gone = {name.removeprefix(EXPIRIES): self.rows[name][1] for name in self.rows if name.startswith(EXPIRIES)}
        return sorted(
            name
            for name, cells in gone.items()
            if any((name, row) not in ended for row in self.decode(name, cells[:, :-2], old))
        )

    def _expired(self) -> set[tuple[str, Row]]:
        """The facts whose lifetime ended in the epoch."""
        old = {**self.schema, **self.before.schema}
        hidden = [name for name in self.rows if name.startswith(EXPIRIES) or name == NOW]
        ended = expired_cells((name, (1, -1)[i], self.rows[name][i]) for name in hidden for i in (0, 1)).items()
        return {(name, row) for name, cells in ended for row in self.decode(name, cells, old)}

    def _signed(self, selects: Callable[[str], bool]) -> Iterator[tuple[str, int, Row]]:
        old = {**self.schema, **self.before.schema}
        parts = [(name, self.rows[name]) for name in self.based if name in self.rows]
        for name, (asserted, retracted) in [*parts, *self.assertions.items()]:
            shown = users_name(name) if is_auxiliary(name) else name
            if shown is not None and selects(shown):
                yield from ((shown, 1, row) for row in self.decode(name, asserted, self.schema))
                yield from ((shown, -1, row) for row in self.decode(name, retracted, old))


def input_of(core: Core, rules: Ruleset, names: set[str], outcome: EpochOutcome) -> Callable[[], EpochInput]:
    """The input of the epoch that ran last and is not committed: it leads to ``rules`` and changes ``names``.

    The parts that a commit would lose are read now, the rest is assembled on request.
    """
    strata, in_force, number, known = core.runtime.node.strata, core.rules, core.number, core.schema
    ruled = {name for name in names if name in strata and strata[name].order >= 0}  # now, or once
    if rules is not in_force and names - ruled:
        ruled |= names & {rule.head.predicate for rule in in_force.core.values()}
    assertions = {name: core.runtime.facts.assertions(name) for name in ruled} if ruled else {}

    def decode(name: str, cells: Cells, types: Schema) -> list[Row]:
        return list(Rows(name, (), types[name], core.dictionary, cells).rows())

    def writer(name: str) -> FactWriter:
        return core.fact_writer(name, rules)

    def build() -> EpochInput:
        schema = known if rules is in_force else {**known, **rules.schema}
        based = tuple(names - ruled)
        return EpochInput(number, in_force, rules, schema, outcome.changes, based, assertions, decode, writer)

    return build


def rule_changes(before: Program, after: Program, origin: Origin) -> list[Change]:
    """The rules that differ between two programs, by label, and whether anything else differs."""
    from tidelog.blame.change import ProgramChanged, RuleChanged

    if before is after:
        return []
    old, new = ({rule.label or "": rule for rule in program.rules} for program in (before, after))
    found: list[Change] = [
        RuleChanged(label, new.get(label), old.get(label), after.convention, origin)
        for label in {**old, **new}
        if old.get(label) != new.get(label)
    ]
    bare = [replace(program, rules=(), facts=()) for program in (before, after)]
    return found if bare[0] == bare[1] else [ProgramChanged(bare[1], bare[0], origin), *found]


def expired_cells(signed: Iterable[tuple[str, int, Cells]]) -> dict[str, Cells]:
    """By relation, the facts whose lifetime ended in an epoch that changed these rows, hidden relations included.

    The hidden row of such a fact is removed, and the end in it is not after the time of the epoch.
    """
    moments: list[int] = []
    gone: dict[str, list[Cells]] = defaultdict(list)  # several partitions report parts
    for name, sign, cells in signed:
        if name == NOW and sign > 0:
            moments += cells[:, 0].tolist()
        elif name.startswith(EXPIRIES) and sign < 0:
            gone[name.removeprefix(EXPIRIES)].append(cells)
    if not moments:
        return {}
    found = {name: np.concatenate(parts) for name, parts in gone.items()}
    return {name: cells[cells[:, -2] <= max(moments), :-2] for name, cells in found.items()}


def fact_changes(
    signed: SignedFacts,
    program: Program,
    origin: Origin,
    expired: Set[tuple[str, Row]],
    writer: Callable[[str], FactWriter],
) -> list[FactChanged]:
    """Changes of facts: a fact both asserted and retracted is not a change, and rows with one key are one change."""
    from tidelog.blame.change import FactChanged

    sums: dict[tuple[str, Row], int] = defaultdict(int)
    for name, sign, row in signed:
        sums[name, row] += sign
    keys = base_keys(program)
    pairs: dict[tuple[str, Row], list[Row | None]] = {}
    for (name, row), total in sums.items():
        if total:
            place = name, tuple(row[column] for column in keys[name]) if name in keys else row
            pairs.setdefault(place, [None, None])[total < 0] = row
    writers = {name: writer(name) for name in {name for name, _ in pairs}}
    return [
        FactChanged(name, come, gone, origin, gone is not None and (name, gone) in expired, writers[name])
        for (name, _), (come, gone) in pairs.items()
    ]


def relations_behind(programs: Sequence[Ruleset], relation: str) -> frozenset[str]:
    """The relations that one may depend on under any of some rule sets, itself included, as users know them."""
    reads: dict[str, set[str]] = defaultdict(set)
    for rules in programs:
        for rule in rules.core.values():
            reads[rule.head.predicate].update(atom.predicate for atom in atoms(rule.body))
            reads[rule.head.predicate].update(model_sources(rule))
        for name, apart in rules.asserted_elsewhere.items():
            reads[name].add(apart)
    found, waiting = {relation}, [relation]
    while waiting:
        new = reads[waiting.pop()] - found
        found |= new
        waiting += new
    return frozenset(found | {users_name(name) or name for name in found if is_auxiliary(name)})
