"""Connections to a database, and its errors as ours.

Law: the database writes all values in one format (ISO dates, UTC, UTF-8, floats with all digits), and no message or log
line contains a password. The driver is imported when the first connection is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidelog.follow import follow_failures as failures

if TYPE_CHECKING:
    import psycopg

SETTINGS = "-c datestyle=ISO -c timezone=UTC -c extra_float_digits=3 -c row_security=off"
PASSING = ("", "08", "40", "53", "57", "58")  # classes of errors that trying again may mend
PATIENCE = 10  # seconds to wait for a connection


def driver() -> Any:
    """The package psycopg."""
    try:
        import psycopg
    except ImportError:
        raise failures.NO_DRIVER.error() from None
    return psycopg


def place_of(dsn: str) -> str:
    """Where a connection goes to, without its secrets.

    >>> place_of("postgresql://ada:secret@db.example/shop")
    'database `shop` at db.example'
    """
    try:
        found = driver().conninfo.conninfo_to_dict(dsn)
    except driver().Error:
        return "the database"
    host = found.get("host") or found.get("hostaddr") or "this machine"
    port = f":{found['port']}" if found.get("port") else ""
    return f"database `{found.get('dbname') or found.get('user') or ''}` at {host}{port}"


def without_secrets(text: str, dsn: str) -> str:
    """A text of the driver in one line, without what only the connection string should have."""
    line = " ".join(text.split())
    try:
        found = driver().conninfo.conninfo_to_dict(dsn)
    except driver().Error:
        return "invalid connection string"
    for name in ("password", "sslpassword", "passfile", "sslkey"):
        if found.get(name):
            line = line.replace(str(found[name]), "***")
    return line.replace(dsn, "***")[:500]


@contextmanager
def database_errors(dsn: str, what: str) -> Iterator[None]:
    """Errors of the driver as ours: a connection that broke, or a statement that was refused."""
    postgres = driver()
    try:
        yield
    except postgres.Error as error:
        said = without_secrets(str(error), dsn)
        gone = isinstance(error, postgres.OperationalError | postgres.InterfaceError)
        if gone and (error.sqlstate or "")[:2] in PASSING:
            raise failures.UNREACHABLE.error(where=place_of(dsn), said=said or "the connection was closed") from None
        raise failures.REFUSED.error(where=place_of(dsn), what=what, said=said) from None


def connect(dsn: str, **more: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection whose statements stand alone."""
    postgres = driver()
    with database_errors(dsn, "to connect"):
        own = postgres.conninfo.conninfo_to_dict(dsn)
        settings = f"{own.get('options') or ''} {SETTINGS}".strip()
        limits = {"connect_timeout": own.get("connect_timeout") or PATIENCE, "keepalives_idle": 30}
        name = own.get("application_name") or "tidelog"
        given = {"options": settings, "client_encoding": "UTF8", "application_name": name, **limits, **more}
        found: psycopg.Connection[tuple[Any, ...]] = postgres.connect(dsn, autocommit=True, **given)
        return found


def replication(dsn: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection that takes the commands of replication."""
    return connect(dsn, replication="database")
