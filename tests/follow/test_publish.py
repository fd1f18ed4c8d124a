"""Views as tables: every epoch one transaction, its number beside it, whatever breaks in between."""

from __future__ import annotations

import datetime
import time
from pathlib import Path

import pytest

from tests.follow.conftest import Database
from tests.follow.following import LINK, REACH, caught_up, following, judged
from tidelog import Engine
from tidelog.follow import Follower

PUBLISH = {"reach": "public.reach"}
PUBLISHED = "SELECT source, target FROM reach ORDER BY 1, 2"
CONTROL = "SELECT epoch, mark FROM tidelog_published WHERE table_name = 'public.reach'"

KILL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE query LIKE '%%tidelog_published%%' AND pid <> pg_backend_pid() AND datname = %s
"""
SCORE = """
.decl score(name: symbol, points: number)
.decl best(name: symbol, points: number)
best(n, p) :- score(n, p).
"""


@pytest.fixture(params=["folder", "memory"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "state" if request.param == "folder" else None


def published(follower: Follower, db: Engine) -> int:
    """The last epoch, once it is in the database."""
    assert follower.wait_published(db.epoch_number), follower.health
    return db.epoch_number


def test_a_view_is_a_table(database: Database, path: Path | None) -> None:
    database.run(LINK)
    database.run("INSERT INTO link VALUES ('a', 'b'), ('b', 'c')")
    with Engine(REACH, path=path) as db, following(db, database, publish=PUBLISH) as follower:
        for change in ("INSERT INTO link VALUES ('c', 'd')", "DELETE FROM link WHERE source = 'a'", "TRUNCATE link"):
            database.run(change)
            caught_up(follower, database)
            epoch = published(follower, db)
            assert database.run(PUBLISHED) == judged(database) == sorted(db["reach"])
            assert database.run(CONTROL)[0][0] == epoch


def test_epochs_of_others_are_published_too(database: Database) -> None:
    database.run(LINK)
    database.run("INSERT INTO link VALUES ('a', 'b')")
    with Engine(REACH) as db, following(db, database, publish=PUBLISH) as follower:
        caught_up(follower, database)
        with db.epoch() as epoch:
            epoch.add_rule("reach(x, x) :- link(x, _).")
        published(follower, db)
        assert database.run(PUBLISHED) == [("a", "a"), ("a", "b")]


def test_without_tables_to_follow_views_are_published_all_the_same(database: Database, tmp_path: Path) -> None:
    with Engine(REACH, path=tmp_path) as db, following(db, database, tables={}, publish=PUBLISH) as follower:
        with db.epoch() as epoch:
            epoch.insert("link", [("a", "b")])
        published(follower, db)
        assert database.run(PUBLISHED) == [("a", "b")]


def test_what_was_committed_here_and_not_there_is_repaired_from_history(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database.run(LINK)
    with Engine(REACH, path=tmp_path) as db, following(db, database, publish=PUBLISH) as follower:
        database.run("INSERT INTO link VALUES ('a', 'b'), ('b', 'c')")
        caught_up(follower, database)
        published(follower, db)
    with Engine(path=tmp_path) as db:  # as if the crash came between the two commits
        with db.epoch() as epoch:
            epoch.delete("link", [("a", "b")])
        with db.epoch() as epoch:
            epoch.insert("link", [("x", "y")])
    with (
        caplog.at_level("INFO"),
        Engine(path=tmp_path) as db,
        following(db, database, tables={}, publish=PUBLISH) as follower,
    ):
        published(follower, db)
        assert database.run(PUBLISHED) == [("b", "c"), ("x", "y")]
    assert "is compared" not in caplog.text


@pytest.mark.parametrize("damage", ["another state", "rows changed", "control lost its mark", "older state"])
def test_a_table_that_is_not_of_this_history_is_compared(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    database.run(LINK)
    database.run("INSERT INTO link VALUES ('a', 'b'), ('b', 'c')")
    with Engine(REACH, path=tmp_path / "1") as db, following(db, database, publish=PUBLISH) as follower:
        caught_up(follower, database)
        published(follower, db)
    place, program = (tmp_path / "2", REACH) if damage == "another state" else (tmp_path / "1", "")
    if damage == "rows changed":
        database.run("DELETE FROM reach WHERE target = 'c'; INSERT INTO reach VALUES ('somebody', 'else')")
        with Engine(path=place) as db, db.epoch() as epoch:
            epoch.delete("link", [("b", "c")])
    elif damage == "control lost its mark":
        database.run("UPDATE tidelog_published SET mark = 'x'; INSERT INTO reach VALUES ('somebody', 'else')")
    elif damage == "older state":
        database.run("UPDATE tidelog_published SET epoch = 1000; INSERT INTO reach VALUES ('somebody', 'else')")
    with caplog.at_level("INFO"), Engine(program, path=place) as db:
        if damage == "another state":
            with db.epoch() as epoch:
                epoch.insert("link", [("x", "y")])
        with following(db, database, tables={}, publish=PUBLISH) as follower:
            published(follower, db)
            assert database.run(PUBLISHED) == sorted(db["reach"])
    assert "comparing `public.reach` with `reach`" in caplog.text


def test_a_broken_connection_is_repaired(database: Database, path: Path | None) -> None:
    database.run(LINK)
    with Engine(REACH, path=path) as db, following(db, database, publish=PUBLISH) as follower:
        caught_up(follower, database)
        for number in range(3):
            published(follower, db)
            database.run(KILL, database.name)
            database.run("INSERT INTO link VALUES (%s, %s)", str(number), str(number + 1))
            caught_up(follower, database)
            published(follower, db)
            assert database.run(PUBLISHED) == judged(database)


def test_two_publishers_of_one_table_do_not_mix(database: Database, tmp_path: Path) -> None:
    engines = [Engine(REACH, path=tmp_path / str(number)) for number in range(2)]
    with (
        engines[0] as one,
        engines[1] as two,
        following(one, database, tables={}, publish=PUBLISH) as first,
    ):
        published(first, one)
        with following(two, database, tables={}, publish=PUBLISH) as second:
            published(second, two)
            for number, db in enumerate(engines * 3):
                with db.epoch() as epoch:
                    epoch.insert("link", [(f"n{number}", "x")])
                time.sleep(0.02)
        with one.epoch() as epoch:
            epoch.insert("link", [("last", "word")])
        published(first, one)
        assert database.run(PUBLISHED) == sorted(one["reach"])


def test_a_primary_key_of_some_columns_makes_updates(database: Database) -> None:
    database.run("CREATE TABLE score (name text PRIMARY KEY, points bigint)")
    database.run("CREATE TABLE best (name text PRIMARY KEY, points bigint, seen timestamptz DEFAULT now())")
    database.run("ALTER TABLE best DROP COLUMN seen")
    database.run("CREATE TABLE changed (kind text, name text)")
    database.run(
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN INSERT INTO changed VALUES (TG_OP, coalesce(NEW.name, OLD.name)); RETURN NULL; END $$"
    )
    database.run("CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON best FOR EACH ROW EXECUTE FUNCTION note()")
    options = {"tables": {"score": "score"}, "publish": {"best": "best"}}
    with Engine(SCORE) as db, following(db, database, **options) as follower:
        database.run("INSERT INTO score VALUES ('ada', 1), ('bob', 2)")
        caught_up(follower, database)
        published(follower, db)
        database.run("UPDATE score SET points = 3 WHERE name = 'ada'; DELETE FROM score WHERE name = 'bob'")
        caught_up(follower, database)
        published(follower, db)
        assert database.run("SELECT * FROM best") == [("ada", 3)]
        kinds = sorted(database.run("SELECT * FROM changed"))
        assert ("UPDATE", "ada") in kinds
        assert ("DELETE", "bob") in kinds


VALUES = """
.decl v(a: number, b: unsigned, c: float, d: symbol, e: boolean, f: date, g: timestamp, h: list)
.decl w(a: number, b: unsigned, c: float, d: symbol, e: boolean, f: date, g: timestamp, h: list)
w(a, b, c, d, e, f, g, h) :- v(a, b, c, d, e, f, g, h).
"""


def test_values_of_every_type_are_published(database: Database) -> None:
    rows = [
        (
            1,
            2**64 - 1,
            0.1,
            'it\'s\t"x" ü',
            True,
            datetime.date(2024, 2, 29),
            datetime.datetime(2024, 2, 29, 1),
            (1, "a"),
        ),
        (-(2**63), 0, float("-inf"), "", False, datetime.date(1, 1, 1), datetime.datetime(9999, 12, 31), ()),
    ]
    with Engine(VALUES) as db, following(db, database, tables={}, publish={"w": "public.w"}) as follower:
        published(follower, db)
        for half in (rows[:1], rows[1:]):
            with db.epoch() as epoch:
                epoch.insert("v", half)
            published(follower, db)
        shown = [(*row[:-1], text) for row, text in zip(rows, ("[1, a]", "[]"), strict=True)]
        assert sorted(database.run("SELECT * FROM w"), reverse=True) == shown
        with db.epoch() as epoch:
            epoch.delete("v", rows)
        published(follower, db)
        assert database.run("SELECT * FROM w") == []


@pytest.mark.parametrize(("row", "why"), [(("a\0b", "c"), "NUL"), (("x", "y"), "index row")])
def test_a_row_that_cannot_be_stored_is_named(database: Database, row: tuple[str, str], why: str) -> None:
    with Engine(REACH) as db, following(db, database, tables={}, publish=PUBLISH) as follower:
        published(follower, db)
        with db.epoch() as epoch:
            epoch.insert("link", [(row[0] + "".join(map(chr, range(200, 5000))), row[1])])
        while follower.health.trouble is None:
            time.sleep(0.01)
        assert follower.health.trouble.code == "TL7130"
        assert why in follower.health.trouble.message
        with db.epoch() as epoch:
            epoch.delete("link", list(db["link"]))
        published(follower, db)
        assert follower.health.trouble is None


def test_epochs_go_on_when_the_rules_of_a_published_view_are_gone(database: Database) -> None:
    database.run("CREATE TABLE pair (source text, target text, PRIMARY KEY (source, target))")
    with (
        Engine("r: reach(X, Y) :- pair(X, Y).") as db,
        following(db, database, tables={"pair": "public.pair"}, publish=PUBLISH) as follower,
    ):
        database.run("INSERT INTO pair VALUES ('c', 'd')")
        caught_up(follower, database)
        with db.epoch() as epoch:
            epoch.remove_rule("r")
        database.run("INSERT INTO pair VALUES ('a', 'b')")
        caught_up(follower, database)
        assert sorted(db["pair"]) == [("a", "b"), ("c", "d")]
