"""What lifetimes add to the changes of an epoch: the ends of inserted facts, and the facts that expire by its time.

Law: within an epoch the signs of a fact are summed first (D3). An inserted fact ends at the later of its old and its
new end: refreshing extends, and a fact without an end stays without one. A deleted fact loses its end.
Facts that end by the time of the epoch are deleted in it; when a bounded table exceeds its size, so are the surplus
facts that were inserted or refreshed longest ago. All of this is part of the net change of the same epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engine.base.engine_time import FOREVER
from tidelog.kernel.cells import Cells
from tidelog.program.functions.table import display_key
from tidelog.program.graph.lifetime import EXPIRIES, NOW, Retention

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core
    from tidelog.plan.ruleset import Ruleset

Rows = dict[str, Cells]
Row = tuple[int, ...]
ExpiryTimes = Mapping[str, Sequence[tuple[int, Cells]]]  # ends given with inserted rows


@dataclass(slots=True)
class Expiry:
    """The time of an epoch, and by relation: how many facts end, how many arrived too late, and what is remembered."""

    moment: int
    ended: dict[str, int] = field(default_factory=dict)
    late: dict[str, int] = field(default_factory=dict)
    entered: Rows = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)


def concerned(core: Core, rules: Ruleset, moment: int, expiries: ExpiryTimes, changed: Iterable[str]) -> list[str]:
    """The relations with lifetimes, among those that an epoch changes and those whose facts end."""
    times = core.times
    if not rules.retentions and not expiries and not times.governed:
        return []
    found = {name for name in changed if name in rules.retentions or name in expiries or name in times.governed}
    return sorted(found | times.due(moment).keys())


def hidden_types(
    rules: Ruleset, names: Iterable[str], *, moves: bool
) -> tuple[dict[tuple[str, int], str], dict[str, int]]:
    """The types and numbers of columns of hidden relations that are not known yet; ``moves``: the time changes."""
    types = {name: rules.schema[name] for name in names if name in rules.schema}  # removed ones are known
    columns = {EXPIRIES + name: (*(t or "number" for t in types[name]), "number", "number") for name in types}
    if moves:
        columns[NOW] = ("number",)
    missing = {name: types for name, types in columns.items() if name not in rules.known}
    bound = {(name, i): type_ for name, types in missing.items() for i, type_ in enumerate(types)}
    return bound, {name: len(types) for name, types in missing.items()}


def govern(
    core: Core, rules: Ruleset, moment: int, names: Sequence[str], expiries: ExpiryTimes, inserts: Rows, deletes: Rows
) -> Expiry:
    """Add the effects of lifetimes to the net changes of an epoch."""
    expiry, due = Expiry(moment), core.times.due(moment) if names else {}
    for name in names:
        arity = len(rules.schema[name] if name in rules.schema else core.schema[name])
        change = _Change(core, name, rules.retentions.get(name, Retention()), moment, arity)
        change.take(inserts.pop(name, None), deletes.pop(name, None), due.get(name), expiries.get(name, ()))
        change.put(inserts, deletes, expiry)
    if moment != core.times.now:
        inserts[NOW] = np.array([[moment]], np.int64)
        if NOW in core.rules.schema:
            deletes[NOW] = np.array([[core.times.now]], np.int64)
    return expiry


class _Change:
    """What an epoch does to one relation whose facts may end."""

    def __init__(self, core: Core, name: str, life: Retention, moment: int, arity: int) -> None:
        self.core, self.name, self.life, self.moment, self.arity = core, name, life, moment, arity
        self.inserted: dict[Row, int] = {}  # with their ends
        self.gone: set[Row] = set()
        self.old: dict[Row, tuple[int, int]] = {}  # the ends and epochs that rows have
        self.ended = self.late = self.spent = 0

    def take(
        self, inserts: Cells | None, deletes: Cells | None, due: Cells | None, expiries: Sequence[tuple[int, Cells]]
    ) -> None:
        """Process the rows that are inserted, deleted and possibly due."""
        looked_at = [rows for rows in (inserts, deletes, due) if rows is not None]
        self.old = self._ends_of(np.concatenate(looked_at))
        self.gone = set() if deletes is None else _rows(deletes)
        if inserts is not None:
            self._insert(inserts, expiries)
        for row in () if due is None else _rows(due):
            is_over = row in self.old and self.old[row][0] <= self.moment
            if is_over and row not in self.inserted and row not in self.gone:
                self.ended += 1
                self.gone.add(row)
        if self.life.size is not None:
            self._evict(self.life.size)

    def _ends_of(self, rows: Cells) -> dict[Row, tuple[int, int]]:
        found = self._present(EXPIRIES + self.name, rows)
        return {tuple(row[:-2]): (row[-2], row[-1]) for row in found.tolist()}

    def _present(self, name: str, rows: Cells) -> Cells:
        """The rows of a relation that begin with one of these, at the last committed epoch."""
        types = self.core.rules.schema.get(name)  # None: removed; a relation added again with other columns has no rows
        if types is None:
            return rows[:0]
        facts = self.core.runtime.facts
        if not self.arity:
            return facts.rows(name)
        wide: Cells = np.zeros((len(rows), len(types)), np.int64)
        wide[:, : self.arity] = rows
        return facts.rows_with_keys(name, tuple(range(self.arity)), wide)

    def _insert(self, rows: Cells, expiries: Sequence[tuple[int, Cells]]) -> None:
        given_ends: dict[Row, int] = {}
        for end, cells in expiries:
            for row in _rows(cells):
                given_ends[row] = max(end, given_ends.get(row, end))
        lasting = _rows(self._present(self.name, rows)) - self.old.keys()
        for row in _rows(rows):
            end = given_ends[row] if row in given_ends else self._usual(row)
            end = FOREVER if row in lasting else max(end, self.old[row][0] if row in self.old else end)
            if end > self.moment:
                self.inserted[row] = end
            else:
                self.late += 1

    def _usual(self, row: Row) -> int:
        """The end of a fact that was inserted without one."""
        if self.life.lifetime is None:
            return FOREVER
        return min(FOREVER, (self.moment if self.life.column is None else row[self.life.column]) + self.life.lifetime)

    def _evict(self, size: int) -> None:
        """Delete the oldest facts of a table that has become too large; among those of one epoch, the least."""
        hidden, facts = EXPIRIES + self.name, self.core.runtime.facts
        known = hidden in self.core.rules.schema
        over = (facts.live(hidden) if known else 0) - size
        over += len(self.inserted.keys() - self.old.keys()) - len(self.gone & self.old.keys())
        if over <= 0:
            return
        for epoch, rows in self.core.times.oldest(self.name, lambda: facts.rows(hidden)) if known else ():
            ends = self._ends_of(rows)
            here = [row for row in ends if ends[row][1] == epoch and row not in self.inserted and row not in self.gone]
            self.old.update((row, ends[row]) for row in here)
            chosen = sorted(here, key=self._order)[:over]
            self.gone.update(chosen)
            self.ended += len(chosen)
            over -= len(chosen)
            if len(chosen) < len(here) or not over:
                break
            self.spent += 1
        for row in sorted(self.inserted, key=self._order)[:over]:
            del self.inserted[row]
            if row in self.old:
                self.gone.add(row)
            self.ended += 1

    def _order(self, row: Row) -> tuple[object, ...]:
        """The order of rows by their values, independent of where they live."""
        types = self.core.schema.get(self.name, (None,) * len(row))
        decode = self.core.dictionary.decode_any
        return tuple(display_key(decode(cell, type_), type_) for cell, type_ in zip(row, types, strict=True))

    def put(self, inserts: Rows, deletes: Rows, expiry: Expiry) -> None:
        """The changes of the relation and of its ends."""
        epoch, bounded = self.core.number + 1, self.life.size is not None
        ends = [(*row, end, epoch) for row, end in self.inserted.items() if bounded or end != FOREVER]
        before = [(*row, *self.old[row]) for row in (*self.gone, *self.inserted) if row in self.old]
        for name, rows, into in (
            (self.name, self.inserted, inserts),
            (self.name, self.gone, deletes),
            (EXPIRIES + self.name, ends, inserts),
            (EXPIRIES + self.name, before, deletes),
        ):
            if rows:
                width = self.arity + 2 * (name != self.name)
                into[name] = np.array(list(rows), np.int64).reshape(len(rows), width)
        if ends:
            expiry.entered[self.name] = inserts[EXPIRIES + self.name]
        for found, count in ((expiry.ended, self.ended), (expiry.late, self.late), (expiry.spent, self.spent)):
            if count:
                found[self.name] = count


def _rows(cells: Cells) -> set[Row]:
    return set(map(tuple, cells.tolist()))
