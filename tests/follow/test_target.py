"""Tables that views are published in: made, taken if they fit, refused by name."""

from __future__ import annotations

import pytest

from tests.follow.conftest import Database
from tests.follow.following import LINK, REACH, caught_up, following
from tidelog import Engine
from tidelog.follow import FollowError, follow

PUBLISH = {"reach": "public.reach"}


def trouble(engine: Engine, database: Database, table: str = "public.reach") -> str:
    with pytest.raises(FollowError) as raised:
        follow(engine, database.dsn, tables={"link": "link"}, publish={"reach": table}).check()
    return f"{raised.value.code}: {raised.value}"


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ("TABLE reach (source text, target text)", "it has no primary key"),
        ("TABLE reach (source text PRIMARY KEY)", "it has the columns source, but the view has source, target"),
        ("TABLE reach (source text PRIMARY KEY, goal text)", "it has the columns source, goal, but the view has"),
        ("TABLE reach (source text PRIMARY KEY, target bytea)", "its column `target` has the type bytea"),
        ("VIEW reach AS SELECT 1 AS source, 2 AS target", "it is not a table"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(database: Database, made: str, why: str) -> None:
    database.run(LINK)
    database.run(f"CREATE {made}")
    output = trouble(Engine(REACH), database)
    assert output.startswith("TL7128: view `reach` cannot be published to table `public.reach`")
    assert why in output


def test_a_table_that_is_followed_is_not_published_in(database: Database) -> None:
    database.run("CREATE TABLE link (source text, target text, PRIMARY KEY (source, target))")
    output = trouble(Engine(REACH), database, "link")
    assert output.startswith("TL7131: no view can be published to table `public.link`")


def test_rows_of_others_are_never_overwritten(database: Database) -> None:
    database.run(LINK)
    database.run("CREATE TABLE reach (source text, target text, PRIMARY KEY (source, target))")
    database.run("INSERT INTO reach VALUES ('not', 'ours')")
    with Engine(REACH) as db, following(db, database, publish=PUBLISH) as follower:
        caught_up(follower, database)
        while follower.health.trouble is None:
            pass
        assert follower.health.trouble.code == "TL7129"
    assert database.run("SELECT * FROM reach") == [("not", "ours")]


def test_a_view_whose_types_are_not_known_has_no_table(database: Database) -> None:
    database.run(LINK)
    with Engine("out(X) :- nothing(X).") as db:
        options = {"tables": {"link": "link(source, target)"}, "publish": {"out": "public.out"}}
        with following(db, database, **options) as follower:
            while follower.health.trouble is None:
                pass
            assert "the types of its columns are unknown" in follower.health.trouble.message


def test_columns_are_matched_by_name(database: Database) -> None:
    database.run(LINK)
    database.run("CREATE TABLE reach (target varchar, source text, PRIMARY KEY (source, target))")
    with Engine(REACH) as db, following(db, database, publish=PUBLISH) as follower:
        database.run("INSERT INTO link VALUES ('a', 'b')")
        caught_up(follower, database)
        assert follower.wait_published(db.epoch_number)
        assert database.run("SELECT source, target FROM reach") == [("a", "b")]
