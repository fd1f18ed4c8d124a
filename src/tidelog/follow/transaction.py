"""The changes of one transaction, from messages to signed facts.

Law: the sum of a fact's signs says whether the transaction brings it, takes it or leaves it (D3). The old row of an
update or delete is sent by the database, or found by its key: among the rows that the transaction has touched, else
among the facts of the last epoch. A row with a null in a column that is followed is no fact. What cannot be known is
never guessed: the tables are read once more (`OutOfStep`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tidelog.follow import failures
from tidelog.follow.catalog import FollowedTable
from tidelog.follow.pgoutput import Delete, Insert, Relation, Truncate, Unchanged, Update, Values
from tidelog.follow.types import read_value

Row: TypeAlias = "tuple[Any, ...]"
Find: TypeAlias = Callable[[FollowedTable, Row], "Row | None"]  # the fact with a key, at the last epoch


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns that are followed stand in the rows of the stream."""

    table: FollowedTable
    places: tuple[int, ...]


def layout(table: FollowedTable, sent: Relation) -> Layout:
    """How rows come from here on; `OutOfStep` if the columns followed are not those that were looked at."""
    found = {column.name: (place, column) for place, column in enumerate(sent.columns)}
    for place, column in enumerate(table.columns):
        _, other = found.get(column.name, (0, None))
        if other is None or (other.type, other.modifier) != (column.type, column.modifier):
            raise out_of_step(f"column `{column.name}` of `{table.title}` was changed")
        if place in table.key and not other.in_key:
            raise out_of_step(f"the replica identity of `{table.title}` was changed")
    return Layout(table, tuple(found[column.name][0] for column in table.columns))


def out_of_step(why: str) -> Exception:
    """The error that makes a follower read the tables once more."""
    return failures.OUT_OF_STEP.error(why=why)


@dataclass(slots=True)
class Signs:
    """What a transaction does to one relation."""

    rows: dict[Row, int] = field(default_factory=dict)
    touched: dict[Row, Row | None] = field(default_factory=dict)  # by key: the row now, None for no fact
    emptied: bool = False

    def add(self, row: Row, sign: int) -> None:
        """Count a fact."""
        total = self.rows.get(row, 0) + sign
        if total:
            self.rows[row] = total
        else:
            del self.rows[row]


class Transaction:
    """Collects the changes of one transaction, or of several that are one epoch."""

    def __init__(
        self,
        tables: Mapping[int, FollowedTable],
        layouts: dict[int, Layout],
        find: Find,
        all_rows: Callable[[FollowedTable], Iterable[Row]],
    ) -> None:
        self._tables = tables
        self._layouts = layouts  # of the connection: the stream tells of a table once
        self._find = find
        self._all_rows = all_rows
        self._signs: dict[str, Signs] = {}
        self.left_out = 0

    def take(self, message: Relation | Insert | Update | Delete | Truncate) -> None:
        """Take in a message; those about other tables are passed over."""
        if isinstance(message, Truncate):
            for oid in message.tables:
                if oid in self._tables:
                    self._empty(self._tables[oid])
        elif message.table not in self._tables:
            return
        elif isinstance(message, Relation):
            self._layouts[message.table] = layout(self._tables[message.table], message)
        else:
            self._change(message)

    def changes(self) -> Iterable[tuple[str, list[Row], list[Row]]]:
        """By relation, the facts that come and those that go."""
        for relation, signs in self._signs.items():
            plus = [row for row, sign in signs.rows.items() if sign > 0]
            yield relation, plus, [row for row, sign in signs.rows.items() if sign < 0]

    def _change(self, message: Insert | Update | Delete) -> None:
        if message.table not in self._layouts:
            raise failures.MALFORMED.error(what=f"a row of the table {message.table}, of which nothing was told")
        known = self._layouts[message.table]
        signs = self._signs.setdefault(known.table.relation, Signs())
        if isinstance(message, Insert):
            self._put(known, signs, _read(known, message.new))
        elif isinstance(message, Delete):
            self._remove(known, signs, _read(known, message.old), message.old_is_key)
        else:
            self._update(known, signs, message)

    def _update(self, known: Layout, signs: Signs, message: Update) -> None:
        new = _read(known, message.new)
        old = new if message.old is None else _read(known, message.old)
        gone = self._remove(known, signs, old, message.old is None or message.old_is_key)
        self._put(known, signs, _filled(known, new, old, gone))

    def _put(self, known: Layout, signs: Signs, row: Row) -> None:
        is_fact = None not in row
        signs.touched[_key(known, row)] = row if is_fact else None
        if is_fact:
            signs.add(row, 1)
        else:
            self.left_out += 1

    def _remove(self, known: Layout, signs: Signs, old: Row, is_key: bool) -> Row | None:
        """Take the old row away; gives it, if it was a fact."""
        key = _key(known, old)
        row = self._by_key(known.table, signs, key) if is_key else None if None in old else old
        if row is not None:
            signs.add(row, -1)
        signs.touched[key] = None
        return row

    def _by_key(self, table: FollowedTable, signs: Signs, key: Row) -> Row | None:
        if key in signs.touched:
            return signs.touched[key]
        if signs.emptied:
            return None
        if table.key_is_all:
            by_place = dict(zip(table.key, key, strict=True))
            return tuple(by_place[place] for place in range(len(key)))
        return self._find(table, key)

    def _empty(self, table: FollowedTable) -> None:
        """All facts go: those of the last epoch, and none of what the transaction has brought stays."""
        self._signs[table.relation] = Signs(dict.fromkeys(self._all_rows(table), -1), emptied=True)


def _read(known: Layout, values: Values) -> Row:
    """The columns that are followed, read; None for a null, `UNCHANGED` for what was not sent."""
    table = known.table
    if max(known.places, default=-1) >= len(values):
        raise failures.MALFORMED.error(what=f"a row of `{table.title}` has too few values")
    found = ((column, values[place]) for column, place in zip(table.columns, known.places, strict=True))
    return tuple(
        read_value(column.kind, value, column.name, table.title) if isinstance(value, str) else value
        for column, value in found
    )


def _key(known: Layout, row: Row) -> Row:
    """What tells the row from all others of its table."""
    key = tuple(row[place] for place in known.table.key)
    if any(part is None or isinstance(part, Unchanged) for part in key):
        raise out_of_step(f"the database did not send the key of a row of `{known.table.title}`")
    return key


def _filled(known: Layout, new: Row, old: Row, gone: Row | None) -> Row:
    """The new row, with what the database did not send again put in from the old one."""
    if not any(isinstance(value, Unchanged) for value in new):
        return new
    return tuple(
        _kept(known, place, old, gone) if isinstance(value, Unchanged) else value for place, value in enumerate(new)
    )


def _kept(known: Layout, place: int, old: Row, gone: Row | None) -> Any:
    """A value that stayed: as the database sent the old row, or as the fact had it."""
    if old[place] is not None and not isinstance(old[place], Unchanged):
        return old[place]
    if gone is not None:
        return gone[place]
    column, table = known.table.columns[place].name, known.table.title
    raise out_of_step(f"the database did not send column `{column}` of a row of `{table}` that was no fact before")
