"""One PostgreSQL server for all tests of a process, and a separate database for each test.

A test that stops, crashes or restarts the server leaves it running as it was (`restarted`, `crash`). Statements of a
test go over one connection: a new one costs some fifty times as much as a statement.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, ClassVar

import pytest
from examples.data.postgresql import Server, running, why_not

NUMBERS = count()
FILE_COPY_SINCE = 150_000  # the version from which on copying files has to be asked for


class Database:
    """A database of a test."""

    connected: ClassVar[set[Database]] = set()

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.dsn = server.dsn(name)
        self._connection: Any = None

    def run(self, text: str, *values: object) -> list[tuple[object, ...]]:
        """Run statements; one that fails ends its session."""
        import psycopg

        if self._connection is None:
            self._connection = psycopg.connect(self.dsn, autocommit=True, prepare_threshold=None)
            self.connected.add(self)
        try:
            cursor = self._connection.execute(text.encode(), values or None)
            return cursor.fetchall() if cursor.description else []
        except psycopg.Error:
            self.close()
            raise

    def close(self) -> None:
        """End the session; the next statement begins another one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self.connected.discard(self)

    def end(self) -> int:
        """Where the log ends now: what was committed before lies before it."""
        ((found,),) = self.run("SELECT pg_current_wal_insert_lsn() - '0/0'")
        return int(str(found))


@pytest.fixture(scope="session")
def administration() -> Iterator[Database]:
    """The database that the server begins with."""
    if why := why_not():
        pytest.skip(why)
    with running() as found:
        database = Database(found, "postgres")
        yield database
        database.close()


@pytest.fixture(scope="session")
def server(administration: Database) -> Server:
    """The server, which runs after each test as it did before."""
    return administration.server


@pytest.fixture
def database(administration: Database) -> Iterator[Database]:
    """An empty database with logical replication."""
    with made(administration, f"test{next(NUMBERS)}") as found:
        yield found


@contextmanager
def made(administration: Database, name: str, options: str = "") -> Iterator[Database]:
    """A database for as long as a block, with all slots that followers make in it."""
    ((version,),) = administration.run("SELECT current_setting('server_version_num')::int")
    quick = "STRATEGY file_copy" if int(str(version)) >= FILE_COPY_SINCE else ""
    administration.run(f"CREATE DATABASE {name} {options} {quick}")
    found = Database(administration.server, name)
    yield found
    found.close()
    active, until = "SELECT 1 FROM pg_replication_slots WHERE database = %s AND active", time.monotonic() + 30
    while administration.run(active, name) and time.monotonic() < until:
        time.sleep(0.005)  # a follower has closed its connection, and the server has not seen it yet
    administration.run("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = %s", name)
    administration.run(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def restarted(server: Server, **settings: str) -> Iterator[None]:
    """The server with other settings for as long as a block."""
    try:
        _restart(server, "fast", settings)
        yield
    finally:
        _restart(server, "fast", {})


def crash(server: Server) -> None:
    """End the server as a crash does, and start it again."""
    _restart(server, "immediate", {})


def _restart(server: Server, mode: str, settings: dict[str, str]) -> None:
    for database in list(Database.connected):
        database.close()
    server.stop(mode)
    server.start(**settings)
