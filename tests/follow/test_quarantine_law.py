"""The law of the quarantine: a row of a table is a fact, or it is in quarantine for a reason that a judge confirms.

The judge is SQL: one condition for each column says which values have a counterpart here. After random transactions
with good and bad values of every type, changes of keys, truncates, restarts, broken connections, lost slots and other
replica identities, the relation holds the rows that the judge accepts, the quarantine holds exactly the others, each
with the first column that the judge rejects, and a published view equals its relation.
What it can notice: a row lost, kept or reported twice, a wrong reason, a quarantine of another moment than the facts.
What it cannot: kills of the process (`test_kills`), bytes that are not text (`test_quarantine`).
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.follow.conftest import Database
from tests.follow.following import SECONDS, following
from tidelog import Engine
from tidelog.follow import Follower

PROGRAM = """
.decl typed(id: number, n: number, u: unsigned, x: float, r: float, q: float, w: symbol, s: symbol, c: symbol,
  b: boolean, d: date, t: timestamp, z: timestamp, v: symbol)
.decl keyed(d: date, z: timestamp, note: symbol)
.decl open(d: date, z: timestamp)
open(d, z) :- keyed(d, z, _).
"""
TABLES = """
CREATE DOMAIN day AS date;
CREATE TABLE typed (id int PRIMARY KEY, n bigint, u smallint, x double precision, r real, q numeric, w numeric, s text,
  c char(4), b boolean, d day, t timestamp, z timestamptz, v uuid, unused text DEFAULT 'x');
ALTER TABLE typed ALTER COLUMN s SET STORAGE EXTERNAL;
CREATE TABLE keyed (d date, z timestamptz, note text, PRIMARY KEY (d, z));
"""
IN_RANGE = "{} BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999999'"
GOOD = {
    "typed": {
        **dict.fromkeys(("id", "n", "x", "r", "w", "s", "c", "b", "v"), "{} IS NOT NULL"),
        "u": "{} >= 0",
        "q": "{0} IN ('Infinity', '-Infinity', 'NaN') OR abs({0}) < 1e308",
        **dict.fromkeys(("d", "t", "z"), IN_RANGE),
    },
    "keyed": {"d": IN_RANGE, "z": IN_RANGE, "note": "{} IS NOT NULL"},
}
ORDER = {
    "typed": ["id", "n", "u", "x", "r", "q", "w", "s", "c", "b", "d", "t", "z", "v"],
    "keyed": ["d", "z", "note"],
}
KEYS = {"typed": ["id"], "keyed": ["d", "z"]}
READ = {
    "q": "CASE WHEN abs(q) < 1e-300 THEN 0 ELSE q::text::float8 END",
    "w": "w::text",
    "z": "z AT TIME ZONE 'UTC'",
    "v": "v::text",
}
DATES = [
    "'2024-02-29'",
    "'0001-01-01'",
    "'9999-12-31'",
    "'infinity'",
    "'-infinity'",
    "'0044-03-15 BC'",
    "'10000-01-01'",
]
TIMES = [
    *("'2024-02-29 12:00:00.5'", "'0001-01-01'", "'9999-12-31 23:59:59.999999'"),
    *("'infinity'", "'-infinity'", "'0044-03-15 12:00:00 BC'", "'294276-12-31'"),
]
VALUES = {
    "n": ["0", "9223372036854775807", "-9223372036854775808"],
    "u": ["0", "32767", "-1", "-32768"],
    "x": ["1.5", "'NaN'", "'-Infinity'", "1e308", "5e-324"],
    "r": ["1.5", "'NaN'", "3e38"],
    "q": ["1.50", "'NaN'", "'Infinity'", "1e300", "1e400", "-1e310", "1e-400"],
    "w": ["1.50", "1e400", "'NaN'", "'-Infinity'"],
    "s": ["''", "'é \\\\ \t'", "repeat('x', 6000)", "repeat('y', 6000)"],
    "c": ["'ab'", "''"],
    "b": ["true", "false"],
    "d": DATES,
    "t": TIMES,
    "z": TIMES,
    "v": ["'00000000-0000-0000-0000-000000000001'"],
    "note": ["'a'", "'b'"],
}
CASES = int(os.environ.get("TIDELOG_CASES", "100"))
FOLLOWED = {name: f"{name}({', '.join(order)})" for name, order in ORDER.items()}
CUT = "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active AND database = current_database()"


def value(chance: random.Random, column: str) -> str:
    """A value, good more often than not so that whole rows are."""
    found = VALUES[column]
    if chance.random() < 0.04 and column not in ("d", "z"):  # these may be a key
        return "NULL"
    return chance.choice(found if chance.random() < 0.2 else found[:2])


def statement(chance: random.Random) -> str:
    """A random change."""
    number, free = chance.randrange(10), chance.randrange(100, 110)
    some = chance.sample(ORDER["typed"][1:], chance.randrange(1, 3))
    row = ", ".join([str(number), *(value(chance, column) for column in ORDER["typed"][1:])])
    sets = ", ".join(f"{column} = {value(chance, column)}" for column in some)
    day, time, note, other = (value(chance, column) for column in ("d", "z", "note", "d"))
    kinds = [
        f"INSERT INTO typed VALUES ({row}) ON CONFLICT DO NOTHING",
        f"INSERT INTO typed VALUES ({row}) ON CONFLICT (id) DO UPDATE SET {sets}",
        f"UPDATE typed SET {sets} WHERE id = {number}",
        f"UPDATE typed SET {sets} WHERE id % 3 = {number % 3}",
        f"UPDATE typed SET unused = 'y{number}' WHERE id = {number}",
        f"UPDATE typed SET id = {free} WHERE id = {number} AND NOT EXISTS (SELECT FROM typed WHERE id = {free})",
        f"DELETE FROM typed WHERE id % 10 = {number}",
        f"INSERT INTO keyed VALUES ({day}, {time}, {note}) ON CONFLICT (d, z) DO UPDATE SET note = 'c'",
        f"UPDATE keyed SET note = {note} WHERE d = {day}",
        f"UPDATE keyed k SET d = {other} WHERE d = {day} AND z = {time} "
        f"AND NOT EXISTS (SELECT FROM keyed o WHERE o.d = {other} AND o.z = k.z)",
        f"DELETE FROM keyed WHERE d = {day}",
        f"SAVEPOINT s; UPDATE typed SET {sets}; DELETE FROM keyed; ROLLBACK TO SAVEPOINT s",
    ]
    return chance.choice(["TRUNCATE typed", "TRUNCATE typed, keyed"] if chance.random() < 0.03 else kinds)


def check(database: Database, db: Engine, follower: Follower) -> None:
    """Compare facts, quarantine and published table with what the judge says of the tables."""
    found = {each.relation: each for each in follower.health.quarantine}
    for table, order in ORDER.items():
        tests = {column: f"COALESCE({GOOD[table][column].format(column)}, false)" for column in order}
        good = " AND ".join(f"({test})" for test in tests.values())
        facts = database.run(
            f"SELECT {', '.join(READ.get(column, column) for column in order)} FROM {table} WHERE {good}"
        )
        assert sorted(map(repr, db[table])) == sorted(map(repr, facts)), table
        first = " ".join(f"WHEN NOT ({test}) THEN '{column}'" for column, test in tests.items())
        keys = ", ".join(f"{column}::text" for column in KEYS[table])
        bad = database.run(f"SELECT CASE {first} END, {keys} FROM {table} WHERE NOT ({good})")
        rows = {} if table not in found else {key: reason.column for key, reason in found[table].rows.items()}
        assert rows == {tuple(key): column for column, *key in bad}, table
        assert (found[table].count if table in found else 0) == len(bad)
    assert follower.health.left_out == sum(each.count for each in found.values())
    assert follower.wait_published(db.epoch_number), follower.health
    assert sorted(database.run('SELECT * FROM "open"')) == sorted(db["open"])


@pytest.mark.parametrize("identity", ["DEFAULT", "FULL", "both"])
@pytest.mark.parametrize("kept", [True, False], ids=["folder", "memory"])
def test_a_row_is_a_fact_or_in_quarantine(database: Database, tmp_path: Path, kept: bool, identity: str) -> None:
    chance = random.Random(f"{kept} {identity}")
    database.run("SET timezone = 'UTC'")
    database.run(TABLES)
    for _ in range(20):
        database.run(f"BEGIN; {statement(chance)}; COMMIT")
    place = tmp_path if kept else None
    db = Engine(PROGRAM, path=place)
    seen = snapshots = 0
    for number in range(max(3, CASES // 25)):
        chosen = identity if identity != "both" else chance.choice(["DEFAULT", "FULL"])
        database.run(f"ALTER TABLE typed REPLICA IDENTITY {chosen}; ALTER TABLE keyed REPLICA IDENTITY {chosen}")
        options = {"tables": FOLLOWED, "publish": {"open": 'public."open"'}, "group": 1 + number % 2 * 5}
        with following(db, database, **options) as follower:
            for _ in range(3):
                for _ in range(chance.randrange(1, 6)):
                    changes = "; ".join(statement(chance) for _ in range(chance.randrange(1, 6)))
                    database.run(f"BEGIN; {changes}; {'COMMIT' if chance.random() < 0.9 else 'ROLLBACK'}")
                    if chance.random() < 0.05:
                        database.run(CUT)
                assert follower.wait(database.end(), SECONDS), follower.health
                check(database, db, follower)
                seen = max(seen, follower.health.left_out)
            snapshots += follower.health.snapshots
        if kept:
            db.close()
            if chance.random() < 0.3:
                database.run("SELECT pg_drop_replication_slot('tidelog')")
            for _ in range(3):
                database.run(f"BEGIN; {statement(chance)}; COMMIT")
            db = Engine(path=place)
    assert seen > 0
    assert db.verify()
    db.close()
