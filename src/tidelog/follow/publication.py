"""The publication: which tables the database publishes.

Law: it publishes every change of every row of the followed tables. A missing publication is created; an existing one
gets the tables that it lacks; one that hides rows, columns or kinds of changes is refused with the SQL that fixes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tidelog.follow import follow_failures as failures
from tidelog.follow.catalog import FollowedTable
from tidelog.follow.connect import database_errors
from tidelog.follow.options import FollowOptions

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composable

PUBLICATION = """
SELECT puballtables, pubinsert AND pubupdate AND pubdelete AND pubtruncate, pubviaroot
FROM pg_publication WHERE pubname = %s
"""
TABLES = """
SELECT r.prrelid, to_jsonb(r) ->> 'prqual', to_jsonb(r) ->> 'prattrs' FROM pg_publication_rel r
JOIN pg_publication p ON p.oid = r.prpubid WHERE p.pubname = %s
"""
PUBLISHED_TABLES = "SELECT (p.gpt).relid FROM (SELECT pg_get_publication_tables(%s) AS gpt) AS p"


def ensure(connection: Connection[tuple[Any, ...]], options: FollowOptions, tables: Sequence[FollowedTable]) -> bool:
    """Add the tables to the publication; returns whether it lacked some, so that changes may have been missed.

    If no table is missing, nothing is changed, so a role without privileges can use a publication of an administrator.
    """
    from psycopg import sql

    name = sql.Identifier(options.publication)
    with database_errors(options.dsn, f"to use the publication `{options.publication}`"):
        entry = connection.execute(PUBLICATION, (options.publication,)).fetchone()
        if entry is None:
            text = sql.SQL("CREATE PUBLICATION {} FOR TABLE {} WITH (publish_via_partition_root = true)")
            connection.execute(text.format(name, sql.SQL(", ").join(map(_table_name, tables))))
            return True
        everything, all_kinds, via_root = entry
        _check_kinds(options, all_kinds)
        if any(table.is_partitioned for table in tables) and not via_root:
            change = "SET (publish_via_partition_root = true)"
            raise _hidden(options, "publishes the partitions of a table instead of the partitioned table", change)
        if everything:
            return False
        missing = _missing_tables(connection, options, tables)
        for table in missing:
            connection.execute(sql.SQL("ALTER PUBLICATION {} ADD TABLE {}").format(name, _table_name(table)))
        return bool(missing)


def _table_name(table: FollowedTable) -> Composable:
    """A table in a statement, without the tables that inherit from it."""
    from psycopg import sql

    name = sql.Identifier(table.schema, table.name)
    return name if table.is_partitioned else sql.SQL("ONLY {}").format(name)


def _check_kinds(options: FollowOptions, all_kinds: bool) -> None:
    if not all_kinds:
        change = "SET (publish = 'insert, update, delete, truncate')"
        raise _hidden(options, "omits inserts, updates, deletes or truncates", change)


def _missing_tables(
    connection: Connection[tuple[Any, ...]], options: FollowOptions, tables: Sequence[FollowedTable]
) -> list[FollowedTable]:
    own = {oid: (rows, columns) for oid, rows, columns in connection.execute(TABLES, (options.publication,))}
    for table in tables:
        rows, columns = own.get(table.oid, (None, None))
        if rows is not None or columns is not None:
            what = f"includes only some {'rows' if rows is not None else 'columns'} of `{table.title}`"
            raise _hidden(options, what, f"DROP TABLE {table.title}")
    covered = {oid for (oid,) in connection.execute(PUBLISHED_TABLES, (options.publication,))}
    return [table for table in tables if table.oid not in own and table.oid not in covered]


def _hidden(options: FollowOptions, what: str, change: str) -> Exception:
    name = options.publication
    return failures.PUBLICATION.error(name=name, what=what, sql=f"ALTER PUBLICATION {name} {change};")
