"""The rows of the tables at one moment, and the differences between them and the facts.

Law: after the epoch of a snapshot, each relation contains exactly the rows of its table that can be converted to facts,
as of the position where the stream starts, and the quarantine contains the others. The first snapshot and later ones
work in the same way. `suspects` selects every row that cannot be converted, and may select others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidelog.follow.catalog import FollowedTable
from tidelog.follow.connect import connect, database_errors
from tidelog.follow.options import FollowOptions
from tidelog.follow.pgoutput import value_text
from tidelog.follow.quarantine import QuarantineChanges, TableQuarantine
from tidelog.follow.types import Reason, read_row

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composable

Row = tuple[Any, ...]


UTF8_IS_NOT_CHECKED = "SQL_ASCII"  # databases with this encoding hold any bytes
SMALLEST, LARGEST = "5e-324", str(2**1024 - 2**970)  # beyond, a float is 0 or infinite
SUSPECTS = {
    "date": "NOT ({0} >= '0001-01-01' AND {0} < '10000-01-01')",
    "timestamp": "NOT ({0} >= '0001-01-01' AND {0} < '10000-01-01')",
    "unsigned": "{0} < 0",
}
NUMERIC_SUSPECTS = (
    "{0}::numeric NOT IN ('NaN', 'Infinity', '-Infinity', 0)"
    f" AND (abs({{0}}::numeric) < {SMALLEST} OR abs({{0}}::numeric) >= {LARGEST})"
)


def read_tables(
    options: FollowOptions, tables: Sequence[FollowedTable], snapshot: str, changes: QuarantineChanges
) -> Iterator[tuple[FollowedTable, list[Row]]]:
    """The rows of the tables that become facts, in a snapshot that another connection exports.

    The other rows go into quarantine.
    """
    with connect(options.dsn) as connection:
        for table in tables:
            with database_errors(options.dsn, f"to read `{table.title}`"), in_snapshot(connection, snapshot):
                rows = _facts(connection, table, changes.begin(table))
            yield table, rows


def read_suspects(
    options: FollowOptions, table: FollowedTable, snapshot: str | None, changes: QuarantineChanges
) -> list[Row]:
    """The facts among the rows that `suspects` selects; the other rows go into quarantine."""
    reading = database_errors(options.dsn, f"to read `{table.title}`")
    with connect(options.dsn) as connection, reading, in_snapshot(connection, snapshot):
        return _facts(connection, table, changes.begin(table), suspects(table))


@contextmanager
def in_snapshot(connection: Connection[tuple[Any, ...]], snapshot: str | None) -> Iterator[None]:
    """A transaction in a snapshot of another connection, or in a new one."""
    from psycopg import sql

    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        if snapshot is not None:
            connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
        yield


def suspects(table: FollowedTable) -> Composable:
    """The condition for rows that may not be convertible to facts."""
    from psycopg import sql

    conditions: list[Composable] = []
    for column in table.columns:
        name = sql.Identifier(column.name)
        conditions.append(sql.SQL("{} IS NULL").format(name))
        text = NUMERIC_SUSPECTS if not column.kind.exact else SUSPECTS.get(column.kind.type)
        if text is not None:
            conditions.append(sql.SQL("({})").format(sql.SQL(text).format(name)))
    return sql.SQL(" OR ").join(conditions)


def _facts(
    connection: Connection[tuple[Any, ...]],
    table: FollowedTable,
    quarantine: TableQuarantine,
    condition: Composable | None = None,
) -> list[Row]:
    """The rows that become facts; the others go into quarantine."""
    facts: list[Row] = []
    for texts in _rows(connection, table, condition):
        row = read_row(table.columns, texts)
        if isinstance(row, Reason):
            quarantine.add(tuple(str(texts[place]) for place in table.key), row)
        else:
            facts.append(row)
    return facts


def _rows(
    connection: Connection[tuple[Any, ...]], table: FollowedTable, condition: Composable | None
) -> Iterator[tuple[str | None, ...]]:
    from psycopg import sql

    name = sql.Identifier(table.schema, table.name)
    only = sql.SQL("") if table.is_partitioned else sql.SQL("ONLY ")
    columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
    where = sql.SQL("") if condition is None else sql.SQL(" WHERE {}").format(condition)
    command = sql.SQL("COPY (SELECT {} FROM {}{}{}) TO STDOUT").format(columns, only, name, where)
    as_bytes = has_any_bytes(connection)
    if as_bytes:
        connection.execute("SET LOCAL client_encoding = 'SQL_ASCII'")
    with connection.cursor() as cursor, cursor.copy(command) as copy:
        for row in copy.rows():
            yield tuple(None if value is None else value_text(value) for value in row) if as_bytes else row


def has_any_bytes(connection: Connection[tuple[Any, ...]]) -> bool:
    """Whether texts of the database may be invalid UTF-8; such texts must be requested as bytes."""
    return connection.info.parameter_status("server_encoding") == UTF8_IS_NOT_CHECKED


def difference(facts: Iterable[Row], rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
    """The rows to insert and the facts to delete, so that the facts equal the rows.

    >>> difference([(1,), (2,)], [(2,), (3,)])
    ([(3,)], [(1,)])
    """
    have = set(facts)
    if not have:
        return rows, ()
    new = set(rows)
    return [row for row in rows if row not in have], [row for row in have if row not in new]
