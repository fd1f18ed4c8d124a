"""The law of following: after any transactions, with breaks anywhere, the view is what recursive SQL says.

What it can notice: a row lost, doubled or taken from another moment, by inserts, updates of keys and of other columns,
deletes, truncates, nulls, values that are not sent again, savepoints that are rolled back, and restarts in between.
What it cannot: the numbers of epochs (`test_kills`).
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.follow.conftest import Database
from tests.follow.following import SECONDS, following
from tidelog import Engine

PROGRAM = """
.decl member(id: number, part: symbol, whole: symbol)
.decl note(id: number, text: symbol, mood: symbol)
.decl inside(part: symbol, whole: symbol)
.decl noted(part: symbol, text: symbol)
inside(p, w) :- member(_, p, w).
inside(p, w) :- inside(p, q), member(_, q, w).
noted(p, t) :- inside(p, _), member(i, p, _), note(i, t, _).
"""
TABLES = """
CREATE TABLE member (id int PRIMARY KEY, part text NOT NULL, whole text, extra int);
CREATE TABLE note (id int PRIMARY KEY, text text NOT NULL, mood text NOT NULL);
ALTER TABLE note ALTER COLUMN text SET STORAGE EXTERNAL;
"""
INSIDE = """
WITH RECURSIVE inside(part, whole) AS (
  SELECT part, whole FROM member WHERE whole IS NOT NULL
  UNION SELECT i.part, m.whole FROM inside i JOIN member m ON m.part = i.whole WHERE m.whole IS NOT NULL)
"""
JUDGES = {
    "inside": INSIDE + "SELECT part, whole FROM inside ORDER BY 1, 2",
    "noted": INSIDE + "SELECT DISTINCT i.part, n.text FROM inside i JOIN member m ON m.part = i.part "
    "JOIN note n ON n.id = m.id WHERE m.whole IS NOT NULL ORDER BY 1, 2",
}
FOLLOWED = {"member": "member(id, part, whole)", "note": "note"}
CASES = int(os.environ.get("TIDELOG_CASES", "100"))


def statement(chance: random.Random) -> str:
    """A random change."""
    number, other = chance.randrange(12), chance.randrange(12)
    part, whole = (f"'n{chance.randrange(8)}'" for _ in range(2))
    whole = "NULL" if chance.random() < 0.15 else whole
    free = other + 100
    text = f"repeat('{chance.choice('ab')}', {chance.choice([3, 6000])})"
    kinds = [
        f"INSERT INTO member VALUES ({number}, {part}, {whole}, {other}) ON CONFLICT DO NOTHING",
        f"INSERT INTO member VALUES ({number}, {part}, {whole}) ON CONFLICT (id) DO UPDATE SET whole = {whole}",
        f"INSERT INTO note VALUES ({number}, {text}, 'calm') ON CONFLICT DO NOTHING",
        f"UPDATE member SET whole = {whole} WHERE id = {number}",
        f"UPDATE member SET extra = {other} WHERE id < {number}",
        f"UPDATE note SET mood = 'm{other}' WHERE id = {number}",
        f"UPDATE note SET text = {text} WHERE id = {number}",
        f"UPDATE member SET id = {free} WHERE id = {number} AND NOT EXISTS (SELECT FROM member WHERE id = {free})",
        f"DELETE FROM member WHERE id % 12 = {number}",
        f"DELETE FROM note WHERE id = {number}",
        f"SAVEPOINT s; DELETE FROM member WHERE id > {number}; ROLLBACK TO SAVEPOINT s",
    ]
    rare = [
        "TRUNCATE member",
        "TRUNCATE note, member",
        "DELETE FROM member",
        "ALTER TABLE member ALTER extra SET DEFAULT 5",
    ]
    return chance.choice(rare if chance.random() < 0.03 else kinds)


@pytest.mark.parametrize("identity", ["DEFAULT", "FULL"])
@pytest.mark.parametrize("kept", [True, False], ids=["folder", "memory"])
def test_views_are_what_recursive_sql_says(database: Database, tmp_path: Path, kept: bool, identity: str) -> None:
    chance = random.Random(f"{kept} {identity}")
    database.run(TABLES)
    database.run(f"ALTER TABLE member REPLICA IDENTITY {identity}; ALTER TABLE note REPLICA IDENTITY {identity}")
    place, rounds = (tmp_path if kept else None), max(2, CASES // 25)
    db = Engine(PROGRAM, path=place)
    for number in range(rounds):
        options = {"tables": FOLLOWED, "publish": {"inside": "public.inside"}, "group": 1 + number % 3 * 5}
        with following(db, database, **options) as follower:
            for _ in range(4):
                for _ in range(chance.randrange(1, 8)):
                    changes = "; ".join(statement(chance) for _ in range(chance.randrange(1, 6)))
                    database.run(f"BEGIN; {changes}; {'COMMIT' if chance.random() < 0.9 else 'ROLLBACK'}")
                    if chance.random() < 0.05:
                        database.run("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active")
                assert follower.wait(database.end(), SECONDS), follower.health
                for view, judge in JUDGES.items():
                    assert sorted(db[view]) == database.run(judge), (number, view)
            assert follower.wait_published(db.epoch_number), follower.health
            assert database.run("SELECT * FROM inside ORDER BY 1, 2") == sorted(db["inside"])
        if kept:
            db.close()
            db = Engine(path=place)
    assert db.verify()
    db.close()
