"""Rows of a view into a table: those that come, those that go, and those that differ by more than their key.

Law: after `apply` the table has changed exactly as the view did; if the table was not as it should have been, it says
so and the caller's transaction is to be rolled back. `replace_all` makes the table the view, whatever it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidelog.follow import follow_failures as failures
from tidelog.follow.history import ViewChange
from tidelog.follow.target import TEXT_TYPE, Target, sent_type
from tidelog.io.texts import show_text

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composable, Composed

    from tidelog.engine.read.view import View

Row = tuple[Any, ...]
WANTED = "tidelog_wanted"


def as_sent(view: View, rows: Sequence[Row]) -> list[Row]:
    """Rows as they are sent: lists and structures as the texts that programs write."""
    texts = [t if sent_type(t) == TEXT_TYPE and t != "symbol" else None for t in view.types]
    if not any(texts):
        return list(rows)
    return [tuple(v if t is None else show_text(v, t) for v, t in zip(row, texts, strict=True)) for row in rows]


def apply(connection: Connection[tuple[Any, ...]], target: Target, change: ViewChange) -> bool:
    """Carry out what an epoch changed; whether the table was as the view had it before."""
    keys = {_key(target, row) for row in change.plus}
    if len(keys) < len(change.plus):
        why = "two rows of the view have the same primary key there"
        raise failures.NOT_STORED.error(view=target.view, table=target.title, why=why)
    gone = {_key(target, row) for row in change.minus}
    changed = [row for row in change.plus if _key(target, row) in gone]
    steps = (
        (_delete(target), [row for row in change.minus if _key(target, row) not in keys]),
        (_update(target), changed),
        (_insert(target), [row for row in change.plus if _key(target, row) not in gone]),
    )
    return all(_run(connection, target, text, rows) for text, rows in steps if rows)


def replace_all(connection: Connection[tuple[Any, ...]], target: Target, rows: Sequence[Row]) -> None:
    """Make the table hold these rows and no others."""
    from psycopg import sql

    columns, wanted = _names(target), sql.Identifier("pg_temp", WANTED)
    make = sql.SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA")
    connection.execute(make.format(sql.Identifier(WANTED), columns, target.table))
    with connection.cursor() as cursor, cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(wanted, columns)) as copy:
        for row in rows:
            copy.write_row(row)
    connection.execute(sql.SQL("ANALYZE {}").format(wanted))
    same = sql.SQL(" AND ").join(
        sql.SQL("w.{0} = t.{0}").format(sql.Identifier(column.name)) for column in target.columns
    )
    delete = sql.SQL("DELETE FROM {} AS t WHERE NOT EXISTS (SELECT FROM {} AS w WHERE {})")
    connection.execute(delete.format(target.table, wanted, same))
    insert = sql.SQL("INSERT INTO {0} ({1}) SELECT {1} FROM {2} AS w WHERE NOT EXISTS (SELECT FROM {0} AS t WHERE {3})")
    connection.execute(insert.format(target.table, columns, wanted, same))


def _key(target: Target, row: Row) -> Row:
    return tuple(row[place] for place in target.key)


def _run(connection: Connection[tuple[Any, ...]], target: Target, text: Composed, rows: Sequence[Row]) -> bool:
    columns = [[row[place] for row in rows] for place in range(len(target.columns))]
    return connection.execute(text, columns).rowcount == len(rows)


def _names(target: Target) -> Composed:
    from psycopg import sql

    return sql.SQL(", ").join(sql.Identifier(column.name) for column in target.columns)


def _given(target: Target) -> Composed:
    """The rows that a statement is given, as a table `g` with the columns of the target."""
    from psycopg import sql

    arrays = sql.SQL(", ").join(sql.SQL(f"%s::{column.sent}[]") for column in target.columns)
    return sql.SQL("unnest({}) AS g({})").format(arrays, _names(target))


def _cast(name: str, type_: str) -> Composable:
    """A value that a statement is given, in the type that the column has, as the catalog writes it."""
    from psycopg import sql

    return sql.SQL("g.{}::{}").format(sql.Identifier(name), sql.SQL(type_))


def _insert(target: Target) -> Composed:
    from psycopg import sql

    values = sql.SQL(", ").join(_cast(column.name, column.type) for column in target.columns)
    text = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}")
    return text.format(target.table, _names(target), values, _given(target))


def _same_key(target: Target) -> Composed:
    from psycopg import sql

    keys = (target.columns[place] for place in target.key)
    return sql.SQL(" AND ").join(
        sql.SQL("t.{} = {}").format(sql.Identifier(column.name), _cast(column.name, column.type)) for column in keys
    )


def _delete(target: Target) -> Composed:
    from psycopg import sql

    text = sql.SQL("DELETE FROM {} AS t USING {} WHERE {}")
    return text.format(target.table, _given(target), _same_key(target))


def _update(target: Target) -> Composed:
    from psycopg import sql

    others = (column for place, column in enumerate(target.columns) if place not in target.key)
    sets = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(column.name), _cast(column.name, column.type)) for column in others
    )
    text = sql.SQL("UPDATE {} AS t SET {} FROM {} WHERE {}")
    return text.format(target.table, sets, _given(target), _same_key(target))
