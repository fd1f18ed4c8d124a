"""A node: its tables, and how it processes an update until nothing follows from it locally.

Law: what a node does depends on its tables, the update, the clock and its own random stream. Updates of tables are
processed in the order in which they arise, and events after them: an event meets tables that have come to rest, and is
gone afterwards.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from tidelog.lab.network import network_failures as failures
from tidelog.lab.network.aggregates import grouped
from tidelog.lab.network.compile import (
    HERE,
    Bindings,
    CompiledProgram,
    CompiledRule,
    Compute,
    Head,
    Join,
    Pattern,
    Step,
    Strand,
)
from tidelog.lab.network.functions import Surroundings, text
from tidelog.lab.network.program import BROADCAST, COUNT, Row, Value
from tidelog.lab.network.tables import Outcome, Table

EVENT, INSERT, RETRACT, DELETE, EXPIRE = "event", "insert", "retract", "delete", "expire"
MOST_LOCAL = 20_000


@dataclass(frozen=True, slots=True)
class NodeUpdate:
    """What a node is to process. `holes` are the columns of a `delete` that match every value."""

    kind: str
    relation: str
    row: Row
    support: Hashable = None
    holes: tuple[int, ...] = ()
    said: bool = False
    encrypted: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A row that a node gained, refreshed or lost, and when it will expire."""

    sign: int
    relation: str
    row: Row
    expires: float | None = None


_Output: TypeAlias = tuple[str | None, NodeUpdate]
_Fact: TypeAlias = tuple[str, Row]


class Node:
    """The state of one node."""

    def __init__(
        self,
        address: str,
        program: CompiledProgram,
        random: Random,
        evict_by: Mapping[str, int],
        neighbours: Callable[[str], list[str]],
    ) -> None:
        self.address = address
        self.program = program
        self.neighbours = neighbours
        self.surroundings = Surroundings(0.0, random)
        self.tables = {name: Table(table, evict_by.get(name)) for name, table in program.tables.items()}
        self._uses: dict[_Fact, dict[_Output, tuple[_Fact, ...]]] = {}  # what a row supports, with all rows used
        self._outputs: dict[str, dict[Row, _Output]] = {}
        self._rows_due: deque[NodeUpdate] = deque()
        self._events_due: deque[NodeUpdate] = deque()
        self._sent: list[tuple[str, NodeUpdate]] = []
        self._changes: list[Change] = []
        self._events: list[NodeUpdate] = []

    def process(
        self, update: NodeUpdate, now: float
    ) -> tuple[list[tuple[str, NodeUpdate]], list[Change], list[NodeUpdate]]:
        """Process an update and all that follows from it here: what is sent elsewhere, what changed, which events."""
        self.surroundings.now = now
        self._sent, self._changes, self._events = [], [], []
        self._emit(self.address, update)
        count = 0
        while self._rows_due or self._events_due:
            count += 1
            if count > MOST_LOCAL:
                self._rows_due.clear()
                self._events_due.clear()
                raise failures.LOCAL_STEPS.error(node=self.address, limit=MOST_LOCAL)
            self._process((self._rows_due or self._events_due).popleft())
        return self._sent, self._changes, self._events

    def detached(self, neighbours: Callable[[str], list[str]]) -> Node:
        """A copy that belongs to no run."""
        known, self.neighbours = self.neighbours, neighbours
        try:
            return copy.deepcopy(self)
        finally:
            self.neighbours = known

    # ---- updates

    def _process(self, update: NodeUpdate) -> None:
        table = self.tables.get(update.relation)
        if table is None:
            if update.kind in (EVENT, INSERT):
                self._events.append(update)
                self._fire(update.relation, update.row, refreshed=False)
        elif update.kind in (EVENT, INSERT):
            self._insert(table, update)
        elif update.kind == RETRACT:
            if table.retract(update.row, update.support):
                self._removed(update.relation, update.row)
        elif update.kind == EXPIRE:
            entry = table.entries.get(update.row)
            if entry is not None and entry.expires is not None and entry.expires <= self.surroundings.now:
                self._remove(table, update.row)
        else:
            for row in self._matching(table, update):
                self._remove(table, row)

    def _insert(self, table: Table, update: NodeUpdate) -> None:
        row, relation = update.row, update.relation
        outcome, gone = table.insert(row, self.surroundings.now, update.support)
        for old in gone:
            self._removed(relation, old)
        if outcome is Outcome.NEW:
            self._changes.append(Change(1, relation, row, table.entries[row].expires))
            self._fire(relation, row, refreshed=False)
        elif outcome is Outcome.REFRESHED and table.is_soft:
            self._changes.append(Change(0, relation, row, table.entries[row].expires))
            self._fire(relation, row, refreshed=True)

    def _matching(self, table: Table, update: NodeUpdate) -> list[Row]:
        columns = tuple(at for at in range(len(update.row)) if at not in update.holes)
        wanted = tuple(update.row[at] for at in columns)
        return [row for row in table.lookup(columns, wanted) if len(row) == len(update.row)]

    def _remove(self, table: Table, row: Row) -> None:
        table.remove(row)
        self._removed(table.declaration.relation, row)

    def _removed(self, relation: str, row: Row) -> None:
        """A row has gone: what it supported is withdrawn, and rules that wait for deletions fire."""
        self._changes.append(Change(-1, relation, row))
        for (target, update), rows in self._uses.pop((relation, row), {}).items():
            for other in rows:  # which must not withdraw it again
                self._uses.get(other, {}).pop((target, update), None)
            self._emit(target, NodeUpdate(RETRACT, update.relation, update.row, update.support))
        for strand in self.program.deletions.get(relation, ()):
            self._fire_strand(strand, row)
        for strand in self.program.strands.get(relation, ()):
            if strand.rule.grouping is not None and not strand.rule.has_event:
                self._regroup(strand, row, refreshed=False)

    # ---- rules

    def _fire(self, relation: str, row: Row, *, refreshed: bool) -> None:
        for strand in self.program.strands.get(relation, ()):
            if strand.rule.grouping is not None and not strand.rule.has_event:
                self._regroup(strand, row, refreshed=refreshed)
            else:
                self._fire_strand(strand, row)

    def _fire_strand(self, strand: Strand, row: Row) -> None:
        rule = strand.rule
        start = self._start(rule)
        if start is None:
            return
        bindings = self._bind(strand.trigger, row, start)
        if bindings is None:
            return
        if rule.grouping is not None:
            found = [complete for complete, _ in self._solve(strand.steps, 0, bindings, ())]
            for _, place, made in self._groups(rule, found, bindings):
                self._emit(place, self._update(rule.head, made))
            return
        origin = (strand.trigger.relation, row)
        for complete, rows in self._solve(strand.steps, 0, bindings, ()):
            self._derive(rule, complete, (origin, *rows))

    def _derive(self, rule: CompiledRule, bindings: Bindings, rows: tuple[tuple[str, Row], ...]) -> None:
        head = rule.head
        for place, receiver in self._places(rule, bindings):
            bindings[BROADCAST] = receiver
            made = tuple(arg(bindings, self.surroundings) for arg in head.args)
            if not rule.is_maintained:
                self._emit(place, self._update(head, made))
                continue
            support = (rule.label, self.address, tuple(sorted(rows, key=repr)))
            update = self._update(head, made, support)
            for used in rows:
                self._uses.setdefault(used, {})[(place, update)] = rows
            self._emit(place, update)

    def _update(self, head: Head, row: Row, support: Hashable = None) -> NodeUpdate:
        kind = DELETE if head.deletes else INSERT if head.is_table else EVENT
        return NodeUpdate(kind, head.relation, row, support, head.holes, head.said, head.encrypted)

    def _places(self, rule: CompiledRule, bindings: Bindings) -> list[tuple[str, str]]:
        """Where the head goes, and what the variable `Broadcast` is there."""
        if rule.head.place is None:
            return [(neighbour, neighbour) for neighbour in self.neighbours(self.address)]
        place = rule.head.place(bindings, self.surroundings)
        if not isinstance(place, str):
            raise failures.NO_ADDRESS.error(rule=rule.label, found=text(place))
        return [(place, place)]

    def _emit(self, target: str | None, update: NodeUpdate) -> None:
        if target == self.address:
            (self._rows_due if update.relation in self.tables else self._events_due).append(update)
        elif target is not None:
            self._sent.append((target, update))

    def _start(self, rule: CompiledRule) -> Bindings | None:
        """The bindings before the body: the node's own address; None if the rule belongs to another node."""
        if rule.place is None and rule.constant is not None and rule.constant != self.address:
            return None
        start: Bindings = {HERE: self.address}
        if rule.place is not None:
            start[rule.place] = self.address
        return start

    def _bind(self, pattern: Pattern, row: Row, bindings: Bindings) -> Bindings | None:
        """The bindings after matching a row; None if it does not match."""
        if len(row) != pattern.width:
            return None
        for column, value in pattern.bound:
            if row[column] != value(bindings, self.surroundings):
                return None
        result = dict(bindings)
        for column, name in pattern.free:
            if result.setdefault(name, row[column]) != row[column]:
                return None
        return result

    def _solve(
        self, steps: tuple[Step, ...], at: int, bindings: Bindings, rows: tuple[tuple[str, Row], ...]
    ) -> Iterator[tuple[Bindings, tuple[tuple[str, Row], ...]]]:
        """All ways to complete bindings by the steps from `at` on, with the rows that are used."""
        while at < len(steps):
            step = steps[at]
            if isinstance(step, Compute):
                value = step.value(bindings, self.surroundings)
                if step.name is not None:
                    if step.name in bindings and bindings[step.name] != value:
                        return
                    bindings = {**bindings, step.name: value}
                elif not value:
                    return
                at += 1
                continue
            found = self._rows(step.pattern, bindings)
            if isinstance(step, Join):
                for row in found:
                    extended = self._bind(step.pattern, row, bindings)
                    if extended is not None:
                        used = (*rows, (step.pattern.relation, row))
                        yield from self._solve(steps, at + 1, extended, used)
                return
            if any(self._bind(step.pattern, row, bindings) is not None for row in found):
                return
            at += 1
        yield bindings, rows

    def _rows(self, pattern: Pattern, bindings: Bindings) -> list[Row]:
        table = self.tables.get(pattern.relation)
        if table is None:
            return []
        wanted = tuple(value(bindings, self.surroundings) for _, value in pattern.bound)
        return list(table.lookup(pattern.columns, wanted))

    # ---- aggregates

    def _regroup(self, strand: Strand, row: Row, *, refreshed: bool) -> None:
        """Compute the groups again that a row belongs to, and replace what they derived before."""
        rule = strand.rule
        start = self._start(rule)
        bindings = None if start is None else self._bind(strand.trigger, row, start)
        if bindings is None or rule.grouping is None or start is None:
            return
        fixed = {name: value for name, value in bindings.items() if name in rule.grouping.names or name in start}
        steps = rule.body(frozenset(fixed))
        found = [complete for complete, _ in self._solve(steps, 0, dict(fixed), ())]
        before = self._outputs.setdefault(rule.label, {})
        now = {group: (place, made) for group, place, made in self._groups(rule, found, None)}
        for group in [group for group in before if self._is_in(rule, group, fixed) and group not in now]:
            self._withdraw(before.pop(group))
        for group, (place, made) in now.items():
            update = self._update(rule.head, made, (rule.label, self.address, group, made))
            if before.get(group) == (place, update):
                if refreshed:
                    self._emit(place, update)
                continue
            if group in before:
                self._withdraw(before[group])
            before[group] = (place, update)
            self._emit(place, update)

    def _withdraw(self, output: _Output) -> None:
        place, update = output
        if update.kind == INSERT:
            self._emit(place, NodeUpdate(RETRACT, update.relation, update.row, update.support))

    def _is_in(self, rule: CompiledRule, group: Row, fixed: Bindings) -> bool:
        """Whether a group may belong to these bindings: it must agree where a column of it can be computed."""
        assert rule.grouping is not None
        for column, value in zip(rule.grouping.group, group, strict=True):
            try:
                wanted = rule.head.args[column](fixed, self.surroundings)
            except KeyError:
                continue
            if wanted != value:
                return False
        return True

    def _groups(
        self, rule: CompiledRule, found: list[Bindings], trigger: Bindings | None
    ) -> Iterator[tuple[Row, str, Row]]:
        """Group, place and head of every group; `trigger` are the bindings of an event that nothing may match."""
        grouping = rule.grouping
        assert grouping is not None
        if not found and trigger is not None and grouping.kind == COUNT:
            yield from self._count_of_nothing(rule, trigger)
            return
        for group, bindings, value in grouped(rule, found, self.surroundings):
            for place, receiver in self._places(rule, bindings):
                bindings[BROADCAST] = receiver
                yield group, place, self._row(rule, bindings, value)

    def _count_of_nothing(self, rule: CompiledRule, bindings: Bindings) -> Iterator[tuple[Row, str, Row]]:
        """P2: an event that nothing matches has the count 0, if it alone determines the head."""
        try:
            for place, receiver in self._places(rule, bindings):
                bindings[BROADCAST] = receiver
                yield (), place, self._row(rule, bindings, 0)
        except KeyError:
            return

    def _row(self, rule: CompiledRule, bindings: Bindings, value: Value) -> Row:
        assert rule.grouping is not None
        column = rule.grouping.column
        args = enumerate(rule.head.args)
        return tuple(value if at == column else arg(bindings, self.surroundings) for at, arg in args)
