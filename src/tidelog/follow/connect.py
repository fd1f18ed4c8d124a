"""Connections to a database, and the conversion of its errors.

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
TRANSIENT = ("", "08", "40", "53", "57", "58")  # classes of errors that a retry may fix
PATIENCE = 10  # seconds to wait for a connection


def driver() -> Any:
    """The package psycopg."""
    try:
        import psycopg
    except ImportError:
        raise failures.NO_DRIVER.error() from None
    return psycopg


def place_of(dsn: str) -> str:
    """The database of a connection string, without its secrets.

    >>> place_of("postgresql://ada:secret@db.example/shop")
    'database `shop` at db.example'
    """
    try:
        parameters = driver().conninfo.conninfo_to_dict(dsn)
    except driver().Error:
        return "the database"
    host = parameters.get("host") or parameters.get("hostaddr") or "this machine"
    port = f":{parameters['port']}" if parameters.get("port") else ""
    return f"database `{parameters.get('dbname') or parameters.get('user') or ''}` at {host}{port}"


def without_secrets(text: str, dsn: str) -> str:
    """A message of the driver in one line, without the secrets of the connection string."""
    line = " ".join(text.split())
    try:
        parameters = driver().conninfo.conninfo_to_dict(dsn)
    except driver().Error:
        return "invalid connection string"
    for name in ("password", "sslpassword", "passfile", "sslkey"):
        if parameters.get(name):
            line = line.replace(str(parameters[name]), "***")
    return line.replace(dsn, "***")[:500]


@contextmanager
def database_errors(dsn: str, what: str) -> Iterator[None]:
    """Convert errors of the driver to ours: a lost connection, or a rejected statement."""
    postgres = driver()
    try:
        yield
    except postgres.Error as error:
        message = without_secrets(str(error), dsn)
        is_lost = isinstance(error, postgres.OperationalError | postgres.InterfaceError)
        if is_lost and (error.sqlstate or "")[:2] in TRANSIENT:
            raise failures.UNREACHABLE.error(
                where=place_of(dsn), error=message or "the connection was closed"
            ) from None
        raise failures.REFUSED.error(where=place_of(dsn), what=what, error=message) from None


def connect(dsn: str, **more: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection in which each statement is a transaction (autocommit)."""
    postgres = driver()
    with database_errors(dsn, "to connect"):
        parameters = postgres.conninfo.conninfo_to_dict(dsn)
        settings = f"{parameters.get('options') or ''} {SETTINGS}".strip()
        limits = {"connect_timeout": parameters.get("connect_timeout") or PATIENCE, "keepalives_idle": 30}
        name = parameters.get("application_name") or "tidelog"
        arguments = {"options": settings, "client_encoding": "UTF8", "application_name": name, **limits, **more}
        connection: psycopg.Connection[tuple[Any, ...]] = postgres.connect(dsn, autocommit=True, **arguments)
        return connection


def replication(dsn: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection that accepts replication commands."""
    return connect(dsn, replication="database")
