"""The changes of one transaction, from messages to signed facts.

Law: the sum of a fact's signs says whether the transaction brings it, takes it or leaves it (D3). The old row of an
update or delete is sent by the database, or found by its key: among the rows that the transaction has touched, else
among the facts of the last epoch. A row that cannot become a fact goes into quarantine until a later change of it. What
cannot be known is never guessed: the tables are read once more (`OutOfStep`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tidelog.follow import follow_failures as failures
from tidelog.follow.catalog import FollowedTable
from tidelog.follow.pgoutput import Delete, Insert, Relation, Truncate, Unchanged, Update, Values
from tidelog.follow.quarantine import Changes, Key
from tidelog.follow.types import Reason, read_row

Row: TypeAlias = "tuple[Any, ...]"
Find: TypeAlias = Callable[[FollowedTable, Row], "Row | None"]  # the fact with a key, at the last epoch

FULL = "f"  # the replica identity that sends whole rows


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns that are followed stand in the rows of the stream."""

    table: FollowedTable
    places: tuple[int, ...]


def layout(table: FollowedTable, sent: Relation) -> Layout:
    """How rows come from here on; `OutOfStep` if the columns followed are not those that were looked at."""
    found = {column.name: (place, column) for place, column in enumerate(sent.columns)}
    for column in table.columns:
        _, other = found.get(column.name, (0, None))
        if other is None or (other.type, other.modifier) != (column.type, column.modifier):
            raise out_of_step(f"column `{column.name}` of `{table.title}` was changed")
    keys = {column.name for column in sent.columns if column.in_key}
    known = {table.columns[place].name for place in table.key}
    if not known <= keys or (sent.identity != FULL and keys != known):
        raise out_of_step(f"the replica identity of `{table.title}` was changed")
    return Layout(table, tuple(found[column.name][0] for column in table.columns))


def out_of_step(why: str) -> Exception:
    """The error that makes a follower read the tables once more."""
    return failures.OUT_OF_STEP.error(why=why)


@dataclass(slots=True)
class Signs:
    """What a transaction does to one relation."""

    rows: dict[Row, int] = field(default_factory=dict)
    touched: dict[Key, Row | None] = field(default_factory=dict)  # by key: the row now, None for no fact
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
        quarantine: Changes,
    ) -> None:
        self._tables = tables
        self._layouts = layouts  # of the connection: the stream describes a table once
        self._find = find
        self._all_rows = all_rows
        self._signs: dict[str, Signs] = {}
        self.quarantine = quarantine

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
            raise failures.MALFORMED.error(what=f"a row of the unknown table {message.table}")
        known = self._layouts[message.table]
        table = known.table
        signs = self._signs.setdefault(table.relation, Signs())
        if isinstance(message, Insert):
            new = _pick(known, message.new)
            self._put(table, signs, _key(table, new), read_row(table.columns, _sent(table, new)))
        elif isinstance(message, Delete):
            self._remove(table, signs, _pick(known, message.old), message.old_is_key)
        else:
            self._update(known, signs, message)

    def _update(self, known: Layout, signs: Signs, message: Update) -> None:
        table, new = known.table, _pick(known, message.new)
        old = new if message.old is None else _pick(known, message.old)
        new = tuple(o if isinstance(n, Unchanged) and o is not None else n for n, o in zip(new, old, strict=True))
        reason = self.quarantine.reason(table, _key(table, old))
        gone = self._remove(table, signs, old, message.old is None or message.old_is_key)
        self._put(table, signs, _key(table, new), _row(table, new, gone, reason))

    def _put(self, table: FollowedTable, signs: Signs, key: Key, row: Row | Reason) -> None:
        if isinstance(row, Reason):
            signs.touched[key] = None
            self.quarantine.of(table).add(key, row)
        else:
            signs.touched[key] = row
            signs.add(row, 1)

    def _remove(self, table: FollowedTable, signs: Signs, old: Values, is_key: bool) -> Row | None:
        """Take the old row away, out of the facts or out of the quarantine; returns it if it was a fact."""
        key = _key(table, old)
        if is_key:
            row = self._by_key(table, signs, key)
        else:
            found = read_row(table.columns, _sent(table, old))
            row = None if isinstance(found, Reason) else found
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
        """All facts go: those of the last epoch, and none of what the transaction has brought stays."""
        self._signs[table.relation] = Signs(dict.fromkeys(self._all_rows(table), -1), emptied=True)
        self.quarantine.of(table).clear()


def _pick(known: Layout, values: Values) -> Values:
    """The columns that are followed, as the database sent them."""
    if max(known.places, default=-1) >= len(values):
        raise failures.MALFORMED.error(what=f"a row of `{known.table.title}` has too few values")
    return tuple(values[place] for place in known.places)


def _key(table: FollowedTable, values: Values) -> Key:
    """The values that identify the row in its table."""
    key = tuple(part for place in table.key if isinstance(part := values[place], str))
    if len(key) < len(table.key):
        raise out_of_step(f"the database did not send the key of a row of `{table.title}`")
    return key


def _sent(table: FollowedTable, values: Values) -> tuple[str | None, ...]:
    """A row all of whose values were sent."""
    sent = tuple(value for value in values if not isinstance(value, Unchanged))
    if len(sent) < len(values):
        raise out_of_step(f"the database did not send all values of a row of `{table.title}`")
    return sent


def _row(table: FollowedTable, new: Values, gone: Row | None, reason: Reason | None) -> Row | Reason:
    """The new row, with what the database did not send again put in from the fact that it was.

    A row in quarantine stays there if what was sent has no fact, or what was not sent is its reason.
    """
    sent = [
        (column, value) for column, value in zip(table.columns, new, strict=True) if not isinstance(value, Unchanged)
    ]
    read = read_row([column for column, _ in sent], [value for _, value in sent])
    if isinstance(read, Reason) or len(read) == len(new):
        return read
    if gone is not None:
        values = iter(read)
        return tuple(gone[place] if isinstance(value, Unchanged) else next(values) for place, value in enumerate(new))
    missing = [column.name for column, value in zip(table.columns, new, strict=True) if isinstance(value, Unchanged)]
    if reason is not None and reason.column in missing:
        return reason
    what = f"column `{missing[0]}` of a row of `{table.title}` that was not a fact before"
    raise out_of_step(f"the database did not send {what}")
