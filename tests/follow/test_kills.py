"""Kills in the middle of transactions: of the follower, of its connections, of the database. Nothing lost, nothing
twice, neither in the views here, nor in the quarantine, nor in the tables there.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
import pytest

from tests.follow.conftest import Database, crash
from tests.follow.kills import PUBLISH, TABLES
from tidelog import Engine
from tidelog.follow import follow

ROOT = Path(__file__).parents[2]
PATIENCE = 600.0  # seconds; the writer never stops, so a busy machine leaves much to catch up with
JUDGE = """
WITH RECURSIVE reach(source, target) AS (
  SELECT source, target FROM tick WHERE target IS NOT NULL
  UNION SELECT r.source, t.target FROM reach r JOIN tick t ON t.source = r.target WHERE t.target IS NOT NULL)
SELECT source, target FROM reach ORDER BY 1, 2
"""


class Writer(threading.Thread):
    """Transactions without an end, each with one row with a new number; some delete an old one, or repair it.

    Every third row cannot become a fact, and every second of these does so later.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(daemon=True)
        self._dsn = database.dsn
        self._chance = random.Random(5)
        self.ended = threading.Event()
        self.committed = 0

    def run(self) -> None:
        number = 0
        while not self.ended.is_set():
            try:
                with psycopg.connect(self._dsn, autocommit=True) as connection:
                    while not self.ended.is_set():
                        number += 1
                        self._write(connection, number)
                        self.committed += 1
                        time.sleep(0.01)
            except psycopg.Error:
                time.sleep(0.05)  # the database is away; whether the last one was committed, it knows

    def _write(self, connection: psycopg.Connection[tuple[object, ...]], number: int) -> None:
        ends = [f"n{self._chance.randrange(30)}", f"n{self._chance.randrange(30)}" if number % 3 else None]
        with connection.transaction():
            connection.execute("INSERT INTO tick VALUES (%s, %s, %s)", (number, *ends))
            if number % 6 == 0:
                connection.execute("UPDATE tick SET target = 'healed' WHERE n = %s", (number - 12,))
            if number > 50:
                connection.execute("DELETE FROM tick WHERE n = %s", (number - 50,))


def start(folder: Path, database: Database) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.follow.kills", str(folder), database.dsn]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == "following\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    """As a power failure ends it."""
    with process:
        process.kill()


def more(writer: Writer, count: int) -> None:
    """Wait for more transactions."""
    wanted = writer.committed + count
    while writer.committed < wanted:
        time.sleep(0.005)


@pytest.mark.parametrize("rounds", [1, pytest.param(12, marks=pytest.mark.long)])
def test_nothing_is_lost_and_nothing_comes_twice(database: Database, tmp_path: Path, rounds: int) -> None:
    state = tmp_path / "state"
    database.run("CREATE TABLE tick (n bigint PRIMARY KEY, source text, target text)")
    writer = Writer(database)
    writer.start()
    for _ in range(rounds):
        process = start(state, database)
        more(writer, 20)
        database.run("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active")
        more(writer, 20)
        crash(database.server)
        more(writer, 20)
        kill(process)
    writer.ended.set()
    writer.join()
    with Engine(path=state, history=None) as db:
        _compare(db, database)


def _compare(db: Engine, database: Database) -> None:
    with follow(db, database.dsn, tables=TABLES, publish=PUBLISH).start() as follower:
        assert follower.wait(database.end(), PATIENCE), follower.health
        assert follower.health.snapshots == 0
        assert sorted(db["tick"]) == database.run("SELECT * FROM tick WHERE target IS NOT NULL ORDER BY n")
        (bad,) = follower.health.quarantine
        wanted = {(str(n),) for (n,) in database.run("SELECT n FROM tick WHERE target IS NULL")}
        assert (set(bad.rows), bad.count) == (wanted, len(wanted))
        assert sorted(db["reach"]) == database.run(JUDGE)
        assert follower.wait_published(db.epoch_number, PATIENCE), follower.health
        assert database.run("SELECT * FROM reach ORDER BY 1, 2") == sorted(db["reach"])
    changes = db.changes("tick")
    numbers = [change.fact[0] for change in changes if change.sign == 1]
    assert len(numbers) == len(set(numbers)), "a transaction came twice"
    offsets = [entry.offset for entry in db.log() if entry.source is not None]
    assert offsets == sorted(set(offsets))  # type: ignore[type-var]
    first = next(entry.epoch for entry in db.log() if entry.changed.get("tick"))
    in_one = {epoch: sum(c.epoch == epoch and c.sign == 1 for c in changes) for epoch in {c.epoch for c in changes}}
    assert all(count <= 1 for epoch, count in in_one.items() if epoch != first), "two transactions in one epoch"
    assert db.verify()
