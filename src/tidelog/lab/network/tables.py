"""The tables of a node: rows with keys, lifetimes, a bounded number, and reasons.

Law: two rows of a table never share a key; no table holds more rows than its size; a row is present as long as it is
asserted or has a support. Inserting a present row again restarts its lifetime and changes nothing else. Among too many
rows, those go that were inserted or refreshed longest ago, or, if the table is ordered by a column, those with the
greatest values there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from tidelog.lab.network.functions import order
from tidelog.lab.network.program import Row, TableDeclaration


class Outcome(Enum):
    """What an insertion did."""

    NEW = "new"
    REFRESHED = "refreshed"
    EVICTED = "evicted"


@dataclass(slots=True)
class Entry:
    """A row: when it expires, which derivations support it, and whether it is asserted without one."""

    row: Row
    expires: float | None
    turn: int
    is_asserted: bool
    supports: set[Hashable] = field(default_factory=set)


class Table:
    """The rows of one relation at one node."""

    def __init__(self, declaration: TableDeclaration, evict_by: int | None = None) -> None:
        self.declaration = declaration
        self.evict_by = evict_by
        self.entries: dict[Row, Entry] = {}
        self._by_key: dict[Row, Row] = {}
        self._indexes: dict[tuple[int, ...], dict[Row, dict[Row, None]]] = {}
        self._turn = 0

    @property
    def is_soft(self) -> bool:
        """Whether rows expire."""
        return self.declaration.lifetime is not None

    def rows(self) -> Iterator[Row]:
        """All rows, oldest first."""
        return iter(self.entries)

    def insert(self, row: Row, now: float, support: Hashable | None) -> tuple[Outcome, list[Row]]:
        """Insert or refresh a row; the rows that had to go are returned, and still have to be reported."""
        self._turn += 1
        lifetime = self.declaration.lifetime
        expires = None if lifetime is None else now + lifetime
        entry = self.entries.get(row)
        if entry is not None:
            entry.expires, entry.turn = expires, self._turn
            self._give_reason(entry, support)
            return Outcome.REFRESHED, []
        replaced = self._by_key.get(self._key(row))
        gone = [] if replaced is None else [replaced]
        for old in gone:
            self.remove(old)
        entry = Entry(row, expires, self._turn, False)
        self._give_reason(entry, support)
        self._add(entry)
        evicted = self._evict()
        return (Outcome.EVICTED if row in evicted else Outcome.NEW), [*gone, *(old for old in evicted if old != row)]

    def _give_reason(self, entry: Entry, support: Hashable | None) -> None:
        if support is None:
            entry.is_asserted = True
        else:
            entry.supports.add(support)

    def retract(self, row: Row, support: Hashable | None) -> bool:
        """Take a reason away; whether the row has gone."""
        entry = self.entries.get(row)
        if entry is None:
            return False
        if support is None:
            entry.is_asserted = False
        else:
            entry.supports.discard(support)
        if entry.is_asserted or entry.supports:
            return False
        self.remove(row)
        return True

    def remove(self, row: Row) -> None:
        """Remove a present row, whatever supports it."""
        del self.entries[row]
        del self._by_key[self._key(row)]
        for columns, index in self._indexes.items():
            value = _project(row, columns)
            found = index[value]
            del found[row]
            if not found:
                del index[value]

    def lookup(self, columns: tuple[int, ...], value: Row) -> Iterable[Row]:
        """The rows with these values in these columns."""
        if not columns:
            return tuple(self.entries)
        index = self._indexes.get(columns)
        if index is None:
            index = self._indexes[columns] = {}
            for row in self.entries:
                index.setdefault(_project(row, columns), {})[row] = None
        return tuple(index.get(value, ()))

    def _add(self, entry: Entry) -> None:
        row = entry.row
        self.entries[row] = entry
        self._by_key[self._key(row)] = row
        for columns, index in self._indexes.items():
            index.setdefault(_project(row, columns), {})[row] = None

    def _evict(self) -> list[Row]:
        size = self.declaration.size
        if size is None or len(self.entries) <= size:
            return []
        column = self.evict_by
        if column is None:
            victim = min(self.entries.values(), key=lambda entry: entry.turn)
        else:
            victim = max(self.entries.values(), key=lambda entry: (order(entry.row[column]), entry.turn))
        self.remove(victim.row)
        return [victim.row]

    def _key(self, row: Row) -> Row:
        keys = self.declaration.keys
        return _project(row, keys) if keys else row


def _project(row: Row, columns: tuple[int, ...]) -> Row:
    """The values of some columns; a row that is too short has null there."""
    return tuple(row[column] if column < len(row) else None for column in columns)
