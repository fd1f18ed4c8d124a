"""One PostgreSQL server for all tests of a process, and a database of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from examples.data.postgresql import Server, running, why_not

NUMBERS = count()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server, which no test stops."""
    if why := why_not():
        pytest.skip(why)
    with running() as found:
        yield found


class Database:
    """A database of a test."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.dsn = server.dsn(name)

    def run(self, text: str, *values: object) -> list[tuple[object, ...]]:
        """Run statements."""
        return self.server.run(text, *values, database=self.name)

    def end(self) -> int:
        """Where the log ends now: what was committed before lies before it."""
        ((found,),) = self.run("SELECT pg_current_wal_insert_lsn() - '0/0'")
        return int(str(found))


@pytest.fixture
def database(server: Server) -> Iterator[Database]:
    """An empty database with logical replication."""
    name = f"test{next(NUMBERS)}"
    server.run(f"CREATE DATABASE {name}")
    yield Database(server, name)
    slots = "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = %s AND NOT active"
    server.run(slots, name)
    server.run(f"DROP DATABASE {name} WITH (FORCE)")
