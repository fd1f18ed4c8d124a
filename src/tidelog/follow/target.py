"""The tables in which views are published, and the control table, which records the epoch of each.

Law: a missing table is created; an existing one is used only if it fits and has no rows of other clients. Columns
are matched by name, or by position if the view declares no names. The names of tables and columns come from the
catalog and are quoted in statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidelog.follow import follow_failures as failures
from tidelog.follow.catalog import COLUMNS, KEYS, TABLE
from tidelog.follow.options import PublishOption

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composed, Identifier

    from tidelog.engine.read.view import View

CONTROL = "tidelog_published"
OWN_TYPES = {
    "number": "bigint",
    "unsigned": "numeric(20)",
    "float": "double precision",
    "symbol": "text",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
}  # values of other types are sent as text, as in programs
TEXT_TYPE = "text"
FITTING = {
    "bigint": {20, 21, 23, 1700},
    "numeric(20)": {1700},
    "double precision": {700, 701},
    "text": {25, 1043, 1700, 2950},
    "boolean": {16},
    "date": {1082},
    "timestamp": {1114, 1184},
}


@dataclass(frozen=True, slots=True)
class TargetColumn:
    """A column of a table that a view is published in; ``wire_type`` is the type in which values are sent."""

    name: str
    type: str
    wire_type: str


@dataclass(frozen=True, slots=True)
class Target:
    """A table with the columns of a view, in the view's order; ``key``: places of the primary key."""

    view: str
    schema: str
    name: str
    columns: tuple[TargetColumn, ...]
    key: tuple[int, ...]

    @property
    def title(self) -> str:
        """The table as messages, and the control table, name it."""
        return f"{self.schema}.{self.name}"

    @property
    def table(self) -> Identifier:
        """The table in a statement."""
        from psycopg import sql

        return sql.Identifier(self.schema, self.name)

    @property
    def control(self) -> Identifier:
        """The control table of its schema, in a statement."""
        from psycopg import sql

        return sql.Identifier(self.schema, CONTROL)


def wire_type(type_: object) -> str:
    """The type in which values of a column of a view are sent.

    >>> wire_type("number"), wire_type("list")
    ('bigint', 'text')
    """
    return OWN_TYPES.get(type_, TEXT_TYPE) if isinstance(type_, str) else TEXT_TYPE


def find_target(connection: Connection[tuple[Any, ...]], option: PublishOption, view: View) -> Target | None:
    """The table of a view, checked; None if it does not exist."""
    entry = connection.execute(TABLE, (option.table,)).fetchone()
    if entry is None:
        return None
    oid, schema, name, kind, *_ = entry
    title = f"{schema}.{name}"
    if kind not in "rp":
        raise failures.TARGET.error(view=view.name, table=title, why="it is not a table")
    rows = [
        (number, column, base, text)
        for number, column, _, _, base, text, _ in connection.execute(COLUMNS, {"table": oid})
    ]
    ordered = _order_columns(view, title, rows)
    keys = [columns[:count] for columns, count, primary, *_ in connection.execute(KEYS, (oid,)) if primary]
    if not keys:
        raise failures.TARGET.error(view=view.name, table=title, why="it has no primary key")
    places = {number: place for place, (number, *_) in enumerate(ordered)}
    columns = tuple(TargetColumn(c, text, wire_type(t)) for (_, c, _, text), t in zip(ordered, view.types, strict=True))
    return Target(view.name, schema, name, columns, tuple(places[number] for number in keys[0]))


def _order_columns(
    view: View, title: str, rows: Sequence[tuple[int, str, int, str]]
) -> list[tuple[int, str, int, str]]:
    """The columns of a table in the order of the view's columns."""
    by_name = {row[1]: row for row in rows}
    has_all_names = by_name.keys() == set(view.columns)
    if len(rows) != len(view.columns) or not (has_all_names or _has_default_names(view)):
        why = f"it has the columns {', '.join(by_name)}, but the view has {', '.join(view.columns)}"
        raise failures.TARGET.error(view=view.name, table=title, why=why)
    ordered = [by_name[name] for name in view.columns] if has_all_names else list(rows)
    for (_, column, base, text), type_ in zip(ordered, view.types, strict=True):
        if base not in FITTING[wire_type(type_)]:
            expected = f"the type {type_}" if type_ else "an unknown type"
            why = f"its column `{column}` has the type {text}, but that of the view has {expected}"
            raise failures.TARGET.error(view=view.name, table=title, why=why)
    return ordered


def _has_default_names(view: View) -> bool:
    return view.columns == tuple(f"c{place}" for place in range(1, len(view.columns) + 1))


def make_target(connection: Connection[tuple[Any, ...]], option: PublishOption, view: View) -> None:
    """Create the table of a view; all columns together are its primary key."""
    from psycopg import sql

    if not view.columns or None in view.types:
        why = (
            "the view has no columns" if not view.columns else "the types of its columns are unknown; declare the view"
        )
        raise failures.TARGET.error(view=view.name, table=option.table, why=why)
    row = connection.execute("SELECT parse_ident(%s)", (option.table,)).fetchone()
    assert row is not None
    columns = [sql.SQL("{} {} NOT NULL").format(sql.Identifier(c), sql.SQL(wire_type(t))) for c, t in _pairs(view)]
    key = sql.SQL(", ").join(map(sql.Identifier, view.columns))
    parts: list[Composed] = [*columns, sql.SQL("PRIMARY KEY ({})").format(key)]
    text = sql.SQL("CREATE TABLE {} ({})").format(sql.Identifier(*row[0]), sql.SQL(", ").join(parts))
    connection.execute(text)


def _pairs(view: View) -> list[tuple[str, str | None]]:
    return list(zip(view.columns, view.types, strict=True))


@dataclass(frozen=True, slots=True)
class PublishedEpoch:
    """The epoch of a published table, and the mark of that epoch."""

    epoch: int
    mark: str


def read_control(connection: Connection[tuple[Any, ...]], target: Target) -> PublishedEpoch | None:
    """The epoch of a table in the control table; a table without an entry must be empty."""
    from psycopg import sql

    make = """
    CREATE TABLE IF NOT EXISTS {} (table_name text PRIMARY KEY, view_name text NOT NULL, epoch bigint NOT NULL,
      mark text NOT NULL, written timestamptz NOT NULL DEFAULT now())"""
    find = "SELECT epoch, mark FROM {} WHERE table_name = %s AND view_name = %s"
    connection.execute(sql.SQL(make).format(target.control))
    row = connection.execute(sql.SQL(find).format(target.control), (target.title, target.view)).fetchone()
    if row is not None:
        return PublishedEpoch(*row)
    if connection.execute(sql.SQL("SELECT 1 FROM {} LIMIT 1").format(target.table)).fetchone() is not None:
        raise failures.ROWS_OF_OTHERS.error(table=target.title, view=target.view)
    return None


def write_control(
    connection: Connection[tuple[Any, ...]], target: Target, before: PublishedEpoch | None, now: PublishedEpoch
) -> bool:
    """Record the epoch of a table; returns whether no other client had recorded one in the meantime."""
    from psycopg import sql

    if before is None:
        text = "INSERT INTO {} (table_name, view_name, epoch, mark) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
        parameters: tuple[object, ...] = (target.title, target.view, now.epoch, now.mark)
    else:
        text = "UPDATE {} SET epoch = %s, mark = %s, written = now() WHERE table_name = %s AND epoch = %s AND mark = %s"
        parameters = (now.epoch, now.mark, target.title, before.epoch, before.mark)
    return connection.execute(sql.SQL(text).format(target.control), parameters).rowcount == 1
