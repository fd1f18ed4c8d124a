"""Convert the messages of one transaction to signed facts.

Law: the sum of a fact's signs is 1 if the transaction inserts it, -1 if it deletes it, else 0 (D3). The old row of an
update or delete is sent by the database, or looked up by its key: first among the rows that the transaction changed,
then among the facts of the last epoch. A row that cannot be converted to a fact is in quarantine until it is changed.
If a row is unknown, it is not guessed: the tables are read again (`OutOfStep`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tidelog.follow import follow_failures as failures
from tidelog.follow.catalog import FollowedTable
from tidelog.follow.pgoutput import Delete, Insert, Relation, Truncate, UnchangedValue, Update, Values
from tidelog.follow.quarantine import Key, QuarantineChanges
from tidelog.follow.types import Reason, read_row

Row: TypeAlias = "tuple[Any, ...]"
Find: TypeAlias = Callable[[FollowedTable, Row], "Row | None"]  # the fact with a key, at the last epoch

FULL = "f"  # the replica identity that sends whole rows


@dataclass(frozen=True, slots=True)
class RowLayout:
    """The positions of the followed columns in the rows of the stream."""

    table: FollowedTable
    places: tuple[int, ...]


def layout(table: FollowedTable, message: Relation) -> RowLayout:
    """The layout of the following rows; raises `OutOfStep` if the followed columns have changed since the check."""
    by_name = {column.name: (place, column) for place, column in enumerate(message.columns)}
    for column in table.columns:
        _, other = by_name.get(column.name, (0, None))
        if other is None or (other.type, other.modifier) != (column.type, column.modifier):
            raise out_of_step(f"column `{column.name}` of `{table.title}` was changed")
    keys = {column.name for column in message.columns if column.in_key}
    own_keys = {table.columns[place].name for place in table.key}
    if not own_keys <= keys or (message.identity != FULL and keys != own_keys):
        raise out_of_step(f"the replica identity of `{table.title}` was changed")
    return RowLayout(table, tuple(by_name[column.name][0] for column in table.columns))


def out_of_step(why: str) -> Exception:
    """The error that makes a follower read the tables again."""
    return failures.OUT_OF_STEP.error(why=why)


@dataclass(slots=True)
class Signs:
    """The changes of a transaction in one relation."""

    rows: dict[Row, int] = field(default_factory=dict)
    touched: dict[Key, Row | None] = field(default_factory=dict)  # by key: the row now, None for no fact
    emptied: bool = False

    def add(self, row: Row, sign: int) -> None:
        """Add a sign to a fact."""
        total = self.rows.get(row, 0) + sign
        if total:
            self.rows[row] = total
        else:
            del self.rows[row]


class Transaction:
    """Collects the changes of one transaction, or of several that are combined into one epoch."""

    def __init__(
        self,
        tables: Mapping[int, FollowedTable],
        layouts: dict[int, RowLayout],
        find: Find,
        all_rows: Callable[[FollowedTable], Iterable[Row]],
        quarantine: QuarantineChanges,
    ) -> None:
        self._tables = tables
        self._layouts = layouts  # of the connection: the stream describes a table once
        self._find = find
        self._all_rows = all_rows
        self._signs: dict[str, Signs] = {}
        self.quarantine = quarantine

    def take(self, message: Relation | Insert | Update | Delete | Truncate) -> None:
        """Process a message; messages about other tables are ignored."""
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
        """By relation, the facts to insert and to delete."""
        for relation, signs in self._signs.items():
            plus = [row for row, sign in signs.rows.items() if sign > 0]
            yield relation, plus, [row for row, sign in signs.rows.items() if sign < 0]

    def _change(self, message: Insert | Update | Delete) -> None:
        if message.table not in self._layouts:
            raise failures.MALFORMED.error(what=f"a row of the unknown table {message.table}")
        layout = self._layouts[message.table]
        table = layout.table
        signs = self._signs.setdefault(table.relation, Signs())
        if isinstance(message, Insert):
            new = _pick(layout, message.new)
            self._add_row(table, signs, _key(table, new), read_row(table.columns, _require_all(table, new)))
        elif isinstance(message, Delete):
            self._remove(table, signs, _pick(layout, message.old), message.old_is_key)
        else:
            self._update(layout, signs, message)

    def _update(self, layout: RowLayout, signs: Signs, message: Update) -> None:
        table, new = layout.table, _pick(layout, message.new)
        old = new if message.old is None else _pick(layout, message.old)
        new = tuple(o if isinstance(n, UnchangedValue) and o is not None else n for n, o in zip(new, old, strict=True))
        reason = self.quarantine.reason(table, _key(table, old))
        fact = self._remove(table, signs, old, message.old is None or message.old_is_key)
        self._add_row(table, signs, _key(table, new), _row(table, new, fact, reason))

    def _add_row(self, table: FollowedTable, signs: Signs, key: Key, row: Row | Reason) -> None:
        if isinstance(row, Reason):
            signs.touched[key] = None
            self.quarantine.of(table).add(key, row)
        else:
            signs.touched[key] = row
            signs.add(row, 1)

    def _remove(self, table: FollowedTable, signs: Signs, old: Values, is_key: bool) -> Row | None:
        """Remove the old row from the facts or from the quarantine; returns it if it was a fact."""
        key = _key(table, old)
        if is_key:
            row = self._by_key(table, signs, key)
        else:
            values = read_row(table.columns, _require_all(table, old))
            row = None if isinstance(values, Reason) else values
        if row is None:
            self.quarantine.of(table).remove(key)
        else:
            signs.add(row, -1)
        signs.touched[key] = None
        return row

    def _by_key(self, table: FollowedTable, signs: Signs, key: Key) -> Row | None:
        if key in signs.touched:
            return signs.touched[key]
        if signs.emptied:
            return None
        values = read_row([table.columns[place] for place in table.key], key)
        if isinstance(values, Reason):
            return None
        if table.key_is_all:
            by_place = dict(zip(table.key, values, strict=True))
            return tuple(by_place[place] for place in range(len(key)))
        return self._find(table, values)

    def _empty(self, table: FollowedTable) -> None:
        """Delete all facts: those of the last epoch and those that the transaction has inserted."""
        self._signs[table.relation] = Signs(dict.fromkeys(self._all_rows(table), -1), emptied=True)
        self.quarantine.of(table).clear()


def _pick(layout: RowLayout, values: Values) -> Values:
    """The followed columns, as the database sent them."""
    if max(layout.places, default=-1) >= len(values):
        raise failures.MALFORMED.error(what=f"a row of `{layout.table.title}` has too few values")
    return tuple(values[place] for place in layout.places)


def _key(table: FollowedTable, values: Values) -> Key:
    """The values that identify the row in its table."""
    key = tuple(part for place in table.key if isinstance(part := values[place], str))
    if len(key) < len(table.key):
        raise out_of_step(f"the database did not send the key of a row of `{table.title}`")
    return key


def _require_all(table: FollowedTable, values: Values) -> tuple[str | None, ...]:
    """The values, all of which must have been sent."""
    complete = tuple(value for value in values if not isinstance(value, UnchangedValue))
    if len(complete) < len(values):
        raise out_of_step(f"the database did not send all values of a row of `{table.title}`")
    return complete


def _row(table: FollowedTable, new: Values, fact: Row | None, reason: Reason | None) -> Row | Reason:
    """The new row; values that the database did not send again come from the fact before the update.

    A row in quarantine stays there if a sent value cannot be converted, or if its reason is a value that was not sent.
    """
    known = [
        (column, value)
        for column, value in zip(table.columns, new, strict=True)
        if not isinstance(value, UnchangedValue)
    ]
    prefix = read_row([column for column, _ in known], [value for _, value in known])
    if isinstance(prefix, Reason) or len(prefix) == len(new):
        return prefix
    if fact is not None:
        values = iter(prefix)
        return tuple(
            fact[place] if isinstance(value, UnchangedValue) else next(values) for place, value in enumerate(new)
        )
    missing = [
        column.name for column, value in zip(table.columns, new, strict=True) if isinstance(value, UnchangedValue)
    ]
    if reason is not None and reason.column in missing:
        return reason
    what = f"column `{missing[0]}` of a row of `{table.title}` that was not a fact before"
    raise out_of_step(f"the database did not send {what}")
