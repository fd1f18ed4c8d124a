"""The rows of the tables at one moment, and how the facts differ from them.

Law: after the epoch that a snapshot makes, each relation holds exactly the rows of its table at the moment from which
on the stream tells everything: what is missing is inserted, what is too much is deleted. The first snapshot and any
later one are the same act.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tidelog.follow.catalog import FollowedTable
from tidelog.follow.connect import connect, told
from tidelog.follow.options import Options
from tidelog.follow.types import read_value

if TYPE_CHECKING:
    from psycopg import Connection

Row = tuple[Any, ...]


def read_tables(
    options: Options, tables: Sequence[FollowedTable], snapshot: str
) -> Iterator[tuple[FollowedTable, list[Row], int]]:
    """All rows of the tables in a snapshot that another connection exports, and how many have nulls."""
    from psycopg import sql

    with connect(options.dsn) as connection:
        for table in tables:
            with told(options.dsn, f"to read `{table.title}`"), connection.transaction():
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
                rows = list(_rows(connection, table))
            facts = [row for row in rows if None not in row]
            yield table, facts, len(rows) - len(facts)


def _rows(connection: Connection[tuple[Any, ...]], table: FollowedTable) -> Iterator[Row]:
    from psycopg import sql

    name = sql.Identifier(table.schema, table.name)
    only = sql.SQL("") if table.is_partitioned else sql.SQL("ONLY ")
    columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
    command = sql.SQL("COPY (SELECT {} FROM {}{}) TO STDOUT").format(columns, only, name)
    readers = [(column.kind, column.name) for column in table.columns]
    with connection.cursor() as cursor, cursor.copy(command) as copy:
        for row in copy.rows():
            yield tuple(
                None if text is None else read_value(kind, text, name, table.title)
                for (kind, name), text in zip(readers, row, strict=True)
            )


def difference(facts: Iterable[Row], rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
    """What has to come and what has to go, so that facts are rows.

    >>> difference([(1,), (2,)], [(2,), (3,)])
    ([(3,)], [(1,)])
    """
    have = set(facts)
    if not have:
        return rows, ()
    wanted = set(rows)
    return [row for row in rows if row not in have], [row for row in have if row not in wanted]
