"""Quarantine: the rows of a table that cannot be converted to facts, with their keys and reasons.

Law: a row of a followed table is either a fact or in quarantine. The quarantine changes in the epoch that changes the
facts, and its memos are written with that epoch's offset: after a restart or a crash, the quarantine is that of the
last committed epoch. The number of rows is exact; the first `KEPT` are kept in detail.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tidelog.follow.catalog import FollowedTable
from tidelog.follow.progress import prefix
from tidelog.follow.types import Reason

Key: TypeAlias = "tuple[str, ...]"  # as the database writes it, because it may be the part that cannot be read
KEPT = 1000  # rows of a table that are kept in detail
LONGEST = 60  # characters of a part of a key in a report


@dataclass(slots=True)
class TableQuarantine:
    """The rows of one table that are in quarantine: how many, and the details of the first ones by key."""

    relation: str
    table: str
    key: tuple[str, ...]
    count: int = 0
    rows: dict[Key, Reason] = field(default_factory=dict)

    @classmethod
    def of(cls, table: FollowedTable) -> TableQuarantine:
        """An empty quarantine."""
        return cls(table.relation, table.title, key_names(table))

    def copy(self) -> TableQuarantine:
        """A copy that can be changed."""
        return TableQuarantine(self.relation, self.table, self.key, self.count, dict(self.rows))

    def add(self, key: Key, reason: Reason) -> None:
        """Add a row that cannot be converted to a fact."""
        self.count += 1
        if len(self.rows) < KEPT:
            self.rows[key] = reason

    def remove(self, key: Key) -> None:
        """Remove a row, which was deleted or changed."""
        all_kept = len(self.rows) == self.count
        if self.rows.pop(key, None) is not None or not all_kept:
            self.count -= 1

    def clear(self) -> None:
        """Remove all rows."""
        self.count = 0
        self.rows.clear()

    def describe(self, key: Key) -> str:
        """A row and the reason why it is in quarantine.

        >>> typed = TableQuarantine("typed", "public.typed", ("id",), 1, {("7",): Reason("d", "is null")})
        >>> typed.describe(("7",))
        'row (id=7) of `public.typed`: column `d` is null'
        """
        return f"row {show_key(self.key, key)} of `{self.table}`: {self.rows[key]}"

    @property
    def example(self) -> str:
        """One of the rows; without its key if no row is kept in detail any more."""
        return self.describe(next(iter(self.rows))) if self.rows else f"a row of `{self.table}`"

    def as_json(self, limit: int = KEPT) -> dict[str, Any]:
        """The number of rows, and the first ones with their keys and reasons."""
        first = [
            {
                "key": {name: _short(part) for name, part in zip(self.key, key, strict=True)},
                "column": self.rows[key].column,
                "reason": str(self.rows[key]),
            }
            for key in list(self.rows)[:limit]
        ]
        return {"relation": self.relation, "table": self.table, "rows": self.count, "first": first}


def key_names(table: FollowedTable) -> tuple[str, ...]:
    """The columns that identify a row of a table."""
    return tuple(table.columns[place].name for place in table.key)


def show_key(names: Iterable[str], key: Key) -> str:
    """A key in a message.

    >>> show_key(("a", "b"), ("1", "x" * 99))
    '(a=1, b=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...)'
    """
    return f"({', '.join(f'{name}={_short(part)}' for name, part in zip(names, key, strict=True))})"


def _short(part: str) -> str:
    text = part.encode("utf-8", "backslashreplace").decode()  # bytes that are not text
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


Quarantine: TypeAlias = "Mapping[str, TableQuarantine]"  # by relation; without tables that have no such rows


class QuarantineChanges:
    """The quarantine after an epoch; the one before the epoch is not changed."""

    def __init__(self, before: Quarantine) -> None:
        self._before = before
        self._changed: dict[str, TableQuarantine] = {}

    def of(self, table: FollowedTable) -> TableQuarantine:
        """The quarantine of a table, to be changed."""
        current = self._changed.get(table.relation)
        if current is None:
            before = self._before.get(table.relation)
            current = self._changed[table.relation] = TableQuarantine.of(table) if before is None else before.copy()
        return current

    def reason(self, table: FollowedTable, key: Key) -> Reason | None:
        """Why a row is in quarantine, if it is, and is kept in detail."""
        current = self._changed.get(table.relation) or self._before.get(table.relation)
        return None if current is None else current.rows.get(key)

    def replace_all(self) -> None:
        """Empty the quarantine of every table, because all tables are read again."""
        self._changed = {name: TableQuarantine(name, before.table, before.key) for name, before in self._before.items()}

    def begin(self, table: FollowedTable) -> TableQuarantine:
        """The quarantine of a table that is read again, empty."""
        current = self._changed[table.relation] = TableQuarantine.of(table)
        return current

    @property
    def after(self) -> Quarantine:
        """The quarantine after the epoch."""
        both = {**self._before, **self._changed}
        return {relation: current for relation, current in both.items() if current.count}

    def memos(self, slot: str) -> dict[str, str | None]:
        """The memos to store with the epoch."""
        entries: dict[str, str | None] = {}
        for relation, after in self._changed.items():
            before = self._before.get(relation) or TableQuarantine(relation, after.table, after.key)
            name = _name(slot, relation)
            if _head(before) != _head(after):
                entries[name] = _head(after) if after.count else None
            for key in before.rows.keys() | after.rows.keys():
                reason = after.rows.get(key)
                if reason != before.rows.get(key):
                    entries[f"{name} {json.dumps(key)}"] = None if reason is None else _text(reason)
        return entries

    def news(self) -> Iterator[tuple[TableQuarantine, int, Key | None]]:
        """By changed table: the difference of its number of rows, and the first new row that is kept in detail."""
        for relation, after in self._changed.items():
            before = self._before.get(relation) or TableQuarantine(relation, after.table, after.key)
            new = next((key for key in after.rows if key not in before.rows), None)
            if new is not None or after.count != before.count:
                yield after, after.count - before.count, new


def is_recorded(memos: Mapping[str, str], slot: str) -> bool:
    """Whether rows in quarantine have been recorded since the last snapshot; older versions did not record them."""
    return _memo_name(slot) in memos


def recording_memo(slot: str) -> dict[str, str]:
    """The memo that a snapshot stores: from now on, rows in quarantine are recorded."""
    return {_memo_name(slot): "recorded"}


def _memo_name(slot: str) -> str:
    return f"{prefix(slot)}quarantine"


def read_memos(memos: Mapping[str, str], slot: str) -> Quarantine:
    """The quarantine of a slot, as the last committed epoch left it."""
    start = _name(slot, "")
    tables: dict[str, TableQuarantine] = {}
    rows: list[tuple[str, Key, Reason]] = []
    for name, text in memos.items():
        if name.startswith(start):
            relation, _, key = name.removeprefix(start).partition(" ")
            value = json.loads(text)
            if key:
                rows.append((relation, tuple(json.loads(key)), Reason(*value)))
            else:
                tables[relation] = TableQuarantine(relation, value["table"], tuple(value["key"]), value["rows"])
    for relation, row, reason in rows:
        tables[relation].rows[row] = reason
    return tables


def _name(slot: str, relation: str) -> str:
    return f"{_memo_name(slot)} {relation}"


def _head(table: TableQuarantine) -> str:
    return json.dumps({"table": table.table, "key": table.key, "rows": table.count})


def _text(reason: Reason) -> str:
    return json.dumps([reason.column, reason.problem])
