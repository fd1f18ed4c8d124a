"""Slots: whose they are, and what happens if slot and state do not belong together any more."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from tests.follow.conftest import Database
from tests.follow.following import LINK, REACH, caught_up, following, judged
from tidelog import Engine
from tidelog.follow.snapshot import read_tables


def refusal(follower: object) -> str:
    while (health := follower.health).state != "refused":  # type: ignore[attr-defined]
        time.sleep(0.01)
    return f"{health.trouble.code}: {health.trouble.message}"


def test_a_slot_of_somebody_else_is_refused(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    database.run("SELECT pg_create_logical_replication_slot('tidelog', 'pgoutput')")
    with Engine(REACH, path=tmp_path / "a") as db, following(db, database) as follower:
        assert refusal(follower) == ("TL7124: the slot `tidelog` already exists, but this engine has never used it")
    database.run("SELECT pg_drop_replication_slot('tidelog')")
    database.run("SELECT pg_create_logical_replication_slot('tidelog', 'test_decoding')")
    with Engine(REACH, path=tmp_path / "b") as db, following(db, database) as follower:
        assert "has another type or belongs to another database" in refusal(follower)


def test_a_slot_that_another_follower_uses_is_refused(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    with Engine(REACH, path=tmp_path / "a") as db, following(db, database) as follower:
        caught_up(follower, database)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    with Engine(path=tmp_path / "a") as one, following(one, database) as first, Engine(path=tmp_path / "b") as two:
        caught_up(first, database)
        with following(two, database) as second:
            assert "is in use by another connection" in refusal(second)


def test_a_slot_that_was_dropped_is_made_again(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database.run(LINK)
    database.run("INSERT INTO link VALUES ('a', 'b'), ('c', 'd')")
    with Engine(REACH, path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
    database.run("SELECT pg_drop_replication_slot('tidelog')")
    database.run("DELETE FROM link WHERE source = 'a'; INSERT INTO link VALUES ('d', 'e')")
    with caplog.at_level("INFO"), Engine(path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database)
        assert follower.health.snapshots == 1
        assert "taking a snapshot: the slot `tidelog` was dropped" in caplog.text
        change = db.log()[-1].changed["link"]
        assert (change.inserted, change.deleted) == (1, 1)  # what is the same stays


def test_a_state_older_than_its_slot_is_brought_up_to_date(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    with Engine(REACH, path=tmp_path / "new") as db, following(db, database) as follower:
        caught_up(follower, database)
    shutil.copytree(tmp_path / "new", tmp_path / "backup")
    with Engine(path=tmp_path / "new") as db, following(db, database) as follower:
        database.run("INSERT INTO link VALUES ('a', 'b')")
        caught_up(follower, database)
    with Engine(path=tmp_path / "backup") as db, following(db, database) as follower:
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database) == [("a", "b")]
        assert follower.health.snapshots == 1


def test_a_snapshot_that_was_broken_off_is_begun_again(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.run(LINK)
    database.run("INSERT INTO link VALUES ('a', 'b')")

    def broken(*_: object) -> None:
        raise KeyboardInterrupt  # like a kill: nothing is cleaned up

    monkeypatch.setattr("tidelog.follow.link.read_tables", broken)
    with Engine(REACH, path=tmp_path) as db:
        from tidelog.follow import follow

        with pytest.raises(KeyboardInterrupt):
            follow(db, database.dsn, tables={"link": "link"}).run()
        assert database.run("SELECT slot_name FROM pg_replication_slots WHERE slot_name = 'tidelog'") == [("tidelog",)]
        assert len(db["link"]) == 0
    monkeypatch.setattr("tidelog.follow.link.read_tables", read_tables)
    with Engine(path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database)


def test_an_engine_without_a_folder_leaves_no_slot(database: Database) -> None:
    database.run(LINK)
    with Engine(REACH) as db, following(db, database) as follower:
        caught_up(follower, database)
        slots = "SELECT count(*) FROM pg_replication_slots WHERE database = %s"
        assert database.run(slots, database.name) == [(1,)]
    for _ in range(500):
        if database.run(slots, database.name) == [(0,)]:
            break
        time.sleep(0.01)
    assert database.run(slots, database.name) == [(0,)]
