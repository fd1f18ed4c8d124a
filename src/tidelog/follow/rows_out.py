"""Write the rows of a view into a table: inserted rows, deleted rows, and rows that keep their key and change.

Law: after `apply` the table has changed exactly as the view did. If the table did not match the view before, `apply`
returns False, and the caller must roll back. `replace_all` makes the table equal to the view, whatever it contained.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidelog.follow import follow_failures as failures
from tidelog.follow.history import ViewChange
from tidelog.follow.target import TEXT_TYPE, Target, wire_type
from tidelog.io.texts import show_text

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composable, Composed

    from tidelog.engine.read.view import View

Row = tuple[Any, ...]
VIEW_ROWS = "tidelog_wanted"


def to_wire_rows(view: View, rows: Sequence[Row]) -> list[Row]:
    """Rows as they are sent to the database: lists and structures as text, as in programs."""
    texts = [t if wire_type(t) == TEXT_TYPE and t != "symbol" else None for t in view.types]
    if not any(texts):
        return list(rows)
    return [tuple(v if t is None else show_text(v, t) for v, t in zip(row, texts, strict=True)) for row in rows]


def apply(connection: Connection[tuple[Any, ...]], target: Target, change: ViewChange) -> bool:
    """Apply the changes of an epoch; returns whether the table matched the view before."""
    keys = {_key(target, row) for row in change.plus}
    if len(keys) < len(change.plus):
        why = "two rows of the view have the same primary key there"
        raise failures.NOT_STORED.error(view=target.view, table=target.title, why=why)
    old_keys = {_key(target, row) for row in change.minus}
    changed = [row for row in change.plus if _key(target, row) in old_keys]
    steps = (
        (_delete(target), [row for row in change.minus if _key(target, row) not in keys]),
        (_update(target), changed),
        (_insert(target), [row for row in change.plus if _key(target, row) not in old_keys]),
    )
    return all(_run(connection, target, text, rows) for text, rows in steps if rows)


def replace_all(connection: Connection[tuple[Any, ...]], target: Target, rows: Sequence[Row]) -> None:
    """Make the table contain exactly these rows."""
    from psycopg import sql

    columns, view_rows = _names(target), sql.Identifier("pg_temp", VIEW_ROWS)
    make = sql.SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA")
    connection.execute(make.format(sql.Identifier(VIEW_ROWS), columns, target.table))
    with (
        connection.cursor() as cursor,
        cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(view_rows, columns)) as copy,
    ):
        for row in rows:
            copy.write_row(row)
    connection.execute(sql.SQL("ANALYZE {}").format(view_rows))
    same = sql.SQL(" AND ").join(
        sql.SQL("w.{0} = t.{0}").format(sql.Identifier(column.name)) for column in target.columns
    )
    delete = sql.SQL("DELETE FROM {} AS t WHERE NOT EXISTS (SELECT FROM {} AS w WHERE {})")
    connection.execute(delete.format(target.table, view_rows, same))
    insert = sql.SQL("INSERT INTO {0} ({1}) SELECT {1} FROM {2} AS w WHERE NOT EXISTS (SELECT FROM {0} AS t WHERE {3})")
    connection.execute(insert.format(target.table, columns, view_rows, same))


def _key(target: Target, row: Row) -> Row:
    return tuple(row[place] for place in target.key)


def _run(connection: Connection[tuple[Any, ...]], target: Target, text: Composed, rows: Sequence[Row]) -> bool:
    columns = [[row[place] for row in rows] for place in range(len(target.columns))]
    return connection.execute(text, columns).rowcount == len(rows)


def _names(target: Target) -> Composed:
    from psycopg import sql

    return sql.SQL(", ").join(sql.Identifier(column.name) for column in target.columns)


def _parameter_rows(target: Target) -> Composed:
    """The rows among the parameters of a statement, as a table `g` with the columns of the target."""
    from psycopg import sql

    arrays = sql.SQL(", ").join(sql.SQL(f"%s::{column.wire_type}[]") for column in target.columns)
    return sql.SQL("unnest({}) AS g({})").format(arrays, _names(target))


def _cast(name: str, type_: str) -> Composable:
    """A parameter of a statement, cast to the type of its column."""
    from psycopg import sql

    return sql.SQL("g.{}::{}").format(sql.Identifier(name), sql.SQL(type_))


def _insert(target: Target) -> Composed:
    from psycopg import sql

    values = sql.SQL(", ").join(_cast(column.name, column.type) for column in target.columns)
    text = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}")
    return text.format(target.table, _names(target), values, _parameter_rows(target))


def _same_key(target: Target) -> Composed:
    from psycopg import sql

    keys = (target.columns[place] for place in target.key)
    return sql.SQL(" AND ").join(
        sql.SQL("t.{} = {}").format(sql.Identifier(column.name), _cast(column.name, column.type)) for column in keys
    )


def _delete(target: Target) -> Composed:
    from psycopg import sql

    text = sql.SQL("DELETE FROM {} AS t USING {} WHERE {}")
    return text.format(target.table, _parameter_rows(target), _same_key(target))


def _update(target: Target) -> Composed:
    from psycopg import sql

    others = (column for place, column in enumerate(target.columns) if place not in target.key)
    sets = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(column.name), _cast(column.name, column.type)) for column in others
    )
    text = sql.SQL("UPDATE {} AS t SET {} FROM {} WHERE {}")
    return text.format(target.table, sets, _parameter_rows(target), _same_key(target))
