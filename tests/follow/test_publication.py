"""Publications: made where missing, used as they are where they contain everything, refused where they do not."""

from __future__ import annotations

import time

import pytest

from tests.follow.conftest import Database
from tests.follow.following import LINK, REACH, caught_up, following, judged
from tidelog import Engine

ADDED = "SELECT tablename FROM pg_publication_tables WHERE pubname = 'tidelog' ORDER BY 1"


def test_tables_are_added_to_a_publication_that_lacks_them(database: Database) -> None:
    database.run(LINK)
    database.run("CREATE TABLE other (a int PRIMARY KEY); CREATE PUBLICATION tidelog FOR TABLE other")
    with Engine(REACH) as db, following(db, database) as follower:
        database.run("INSERT INTO link VALUES ('a', 'b')")
        caught_up(follower, database)
        assert (sorted(db["reach"]), database.run(ADDED)) == (judged(database), [("link",), ("other",)])


@pytest.mark.parametrize("made", ["FOR ALL TABLES", "FOR TABLES IN SCHEMA public"])
def test_a_publication_of_everything_is_left_as_it_is(database: Database, made: str) -> None:
    database.run(LINK)
    database.run(f"CREATE PUBLICATION everything {made}")
    with Engine(REACH) as db, following(db, database, publication="everything") as follower:
        database.run("INSERT INTO link VALUES ('a', 'b')")
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database)
        assert database.run("SELECT count(*) FROM pg_publication_rel") == [(0,)]


@pytest.mark.parametrize(
    ("made", "output", "mended"),
    [
        ("FOR TABLE link WHERE (source > 'b')", "includes only some rows of `public.link`", "DROP TABLE public.link"),
        ("FOR TABLE link (source, target)", "includes only some columns of `public.link`", "DROP TABLE public.link"),
        ("FOR TABLE link WITH (publish = 'insert')", "omits inserts, updates, deletes", "SET (publish = "),
    ],
)
def test_a_publication_that_hides_changes_is_refused(database: Database, made: str, output: str, mended: str) -> None:
    database.run(LINK)
    database.run(f"CREATE PUBLICATION tidelog {made}")
    with Engine(REACH) as db, following(db, database) as follower:
        while follower.health.state != "refused":
            time.sleep(0.01)
        trouble = follower.health.trouble
        assert trouble is not None
        assert trouble.code == "TL7122"
        assert output in trouble.message
        assert f"ALTER PUBLICATION tidelog {mended}" in trouble.hint


def test_a_publication_that_tells_of_parts_is_refused(database: Database) -> None:
    database.run(
        "CREATE TABLE link (source text, target text, PRIMARY KEY (source, target)) PARTITION BY HASH (source)"
    )
    database.run("CREATE PUBLICATION tidelog FOR TABLE link")
    with Engine(REACH) as db, following(db, database) as follower:
        while follower.health.state != "refused":
            time.sleep(0.01)
        assert "instead of the partitioned table" in str(follower.health.trouble)


def test_a_publication_that_lost_a_table_is_mended_by_a_snapshot(database: Database) -> None:
    database.run(LINK)
    with Engine(REACH) as db, following(db, database) as follower:
        caught_up(follower, database)
        database.run("DROP PUBLICATION tidelog")
        database.run("INSERT INTO link VALUES ('unseen', 'row')")
        while follower.health.snapshots < 2:
            time.sleep(0.01)
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database)
