"""The first snapshot on Spark: tasks read the rows from the database; they do not pass through this process.

Law: the rows are those that `snapshot` reads: the same moment, the same texts for the same values. Those that may not
be convertible to facts (`snapshot.suspects`) are read by this process instead.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tidelog.engine.engine import core_of
from tidelog.follow import follow_failures as failures
from tidelog.follow.catalog import FollowedTable
from tidelog.follow.connect import connect, driver
from tidelog.follow.options import FollowOptions
from tidelog.follow.snapshot import suspects
from tidelog.spark.jdbc import read_query
from tidelog.spark.views import session_or_active

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine
    from tidelog.spark.types import DataFrame

PARTS = 8  # tasks per table
CASTS = {
    "number": "{}::bigint",
    "float": "{}::text::float8",
    "symbol": "format('%s', {})",
    "timestamp": "{}::timestamp",
}
PREPARE = "SET timezone = 'UTC'; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '{}'"


def read_frame(engine: Engine, options: FollowOptions, table: FollowedTable, snapshot: str) -> DataFrame:
    """The rows of a table in a snapshot that another connection exports."""
    with connect(options.dsn) as connection:
        query = _query(table).as_string(connection)
    hashed = f'abs(hashtext("{table.columns[table.key[0]].name}"::text)::bigint) % {PARTS}'
    url, properties = _address(options)
    parts = [f"{hashed} = {part}" for part in range(PARTS)]
    core = core_of(engine)
    session = session_or_active(core.runtime.session)
    frame = read_query(session, url, properties, query, parts, PREPARE.format(snapshot))
    if table.relation not in core.rules.declared:
        return frame
    return frame.toDF(*core.columns(table.relation))  # a table is read by position, as the stream's rows are


def can_read_in_tasks(engine: Engine, options: FollowOptions) -> bool:
    """Whether Spark tasks are requested to read the tables, and can do so."""
    return options.jdbc and core_of(engine).runtime.session is not None


def _query(table: FollowedTable) -> Any:
    from psycopg import sql

    names = [sql.Identifier(column.name) for column in table.columns]
    values = [
        sql.SQL("{} AS {}").format(sql.SQL(CASTS.get(column.kind.type, "{}")).format(name), name)
        for column, name in zip(table.columns, names, strict=True)
    ]
    only = sql.SQL("" if table.is_partitioned else "ONLY ")
    text = sql.SQL("SELECT {} FROM {}{} WHERE NOT ({})")
    name = sql.Identifier(table.schema, table.name)
    return text.format(sql.SQL(", ").join(values), only, name, suspects(table))


def _address(options: FollowOptions) -> tuple[str, dict[str, str]]:
    """The JDBC URL and properties of the database."""
    parameters = driver().conninfo.conninfo_to_dict(options.dsn)
    host = str(parameters.get("host") or "")
    if not host or host.startswith("/"):
        what = f"the host is `{host}`, but Spark tasks connect to a database by host and port, not through a socket"
        raise failures.SETTING.error(what=what)
    secure = f"?sslmode={quote(str(parameters['sslmode']))}" if parameters.get("sslmode") else ""
    port, name = parameters.get("port") or 5432, quote(str(parameters.get("dbname") or ""))
    url = f"jdbc:postgresql://{host}:{port}/{name}{secure}"
    password = parameters.get("password") or os.environ.get("PGPASSWORD") or ""
    return url, {
        "driver": "org.postgresql.Driver",
        "user": str(parameters.get("user") or ""),
        "password": str(password),
    }
