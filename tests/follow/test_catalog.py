"""Tables to follow are looked at before anything is changed, and refused by name, with the SQL that mends it."""

from __future__ import annotations

import datetime

import pytest

from tests.follow.conftest import Database
from tests.follow.following import caught_up, following, refused
from tidelog import Engine

TYPES = """
CREATE DOMAIN town AS varchar(20);
CREATE TABLE all_types (id bigint PRIMARY KEY, a smallint, b integer, c real, d double precision, e numeric(10, 2),
  f boolean, g date, h timestamp, i timestamptz, j uuid, k varchar(5), l char(3), m town);
INSERT INTO all_types VALUES (1, -2, 3, 0.1, 1e300, 12.50, true, '2024-02-29', '2024-02-29 12:00:00.25',
  '2024-02-29 12:00:00+02', '00000000-0000-0000-0000-00000000002a', 'abc', 'x', 'Rome');
"""
ROW = (
    1,
    -2,
    3,
    0.1,
    1e300,
    "12.50",
    True,
    datetime.date(2024, 2, 29),
    datetime.datetime(2024, 2, 29, 12, 0, 0, 250_000),
    datetime.datetime(2024, 2, 29, 10),
    "00000000-0000-0000-0000-00000000002a",
    "abc",
    "x  ",
    "Rome",
)


def test_every_mapped_type_is_the_same_in_snapshot_and_stream(database: Database) -> None:
    database.run(TYPES)
    with Engine("") as db, following(db, database, tables={"all_types": "all_types"}) as follower:
        caught_up(follower, database)
        assert list(db["all_types"]) == [ROW]
        database.run("DELETE FROM all_types")
        caught_up(follower, database)
        assert len(db["all_types"]) == 0
        database.run(TYPES[TYPES.index("INSERT") :])
        caught_up(follower, database)
        assert list(db["all_types"]) == [ROW]


def test_numeric_is_a_float_where_the_relation_says_so(database: Database) -> None:
    database.run("CREATE TABLE price (id int PRIMARY KEY, amount numeric); INSERT INTO price VALUES (1, 2.50)")
    declared = Engine(".decl price(id: number, amount: float)")
    for db, options in ((declared, {}), (Engine(""), {"numeric": "float"})):
        with db, following(db, database, tables={"price": "price"}, **options) as follower:
            caught_up(follower, database)
            assert list(db["price"]) == [(1, 2.5)]


def test_a_table_that_is_not_there_is_refused(database: Database) -> None:
    output = refused(Engine(""), database, "public.lnik")
    assert output.startswith(f"TL7115: there is no table `public.lnik` in database `{database.name}`")


def test_views_and_unlogged_tables_are_refused(database: Database) -> None:
    database.run("CREATE TABLE t (id int PRIMARY KEY); CREATE VIEW v AS SELECT * FROM t")
    database.run("CREATE UNLOGGED TABLE u (id int PRIMARY KEY)")
    assert "TL7116: `public.v` is a view" in refused(Engine(""), database, "v")
    assert "TL7116: `public.u` is unlogged" in refused(Engine(""), database, "u")


def test_columns_that_do_not_fit_are_refused(database: Database) -> None:
    database.run("CREATE TABLE link (source text, target text, note text, PRIMARY KEY (source, target))")
    assert "needs source, traget" in refused(Engine(""), database, "link(source, traget)")
    output = refused(Engine("reach(X, Y) :- link(X, Y)."), database, "link")
    assert output.startswith(
        "TL7117: table `public.link` has columns source, target, note, but relation `link` needs 2"
    )
    assert "link=public.link(one, another)" in output


def test_types_that_are_not_mapped_are_refused(database: Database) -> None:
    database.run("CREATE TYPE mood AS ENUM ('ok'); CREATE TABLE t (id int PRIMARY KEY, j jsonb, m mood, a int[])")
    database.run("ALTER TABLE t ADD COLUMN twice int GENERATED ALWAYS AS (id * 2) STORED")
    for column, type_ in (("j", "jsonb"), ("m", "mood"), ("a", "integer[]"), ("twice", "integer generated")):
        output = refused(Engine(""), database, f"t(id, {column})")
        assert output.startswith(
            f"TL7118: column `{column}` of `public.t` has the type `{type_}`, which is not supported"
        )


def test_another_type_than_the_relation_has_is_refused(database: Database) -> None:
    database.run("CREATE TABLE link (source text, target int, PRIMARY KEY (source, target))")
    output = refused(Engine(".decl link(source: symbol, target: symbol)"), database, "link")
    assert output.startswith(
        "TL7119: column `target` of `public.link` has the type `integer`, which is read as number, but relation `link`"
    )


def test_a_table_without_a_key_is_refused_with_the_sql_that_mends_it(database: Database) -> None:
    database.run("CREATE TABLE t (id int PRIMARY KEY, name text, price numeric UNIQUE NOT NULL)")
    output = refused(Engine(""), database, "t(name)")
    assert output.startswith("TL7120: the followed columns of table `public.t` (name) do not include a key")
    assert "ALTER TABLE public.t ADD PRIMARY KEY (...);" in output
    database.run("CREATE TABLE full_row (a text, b text, price numeric UNIQUE NOT NULL, UNIQUE (a, b))")
    database.run("ALTER TABLE full_row REPLICA IDENTITY FULL")
    assert "TL7120" in refused(Engine(""), database, "full_row(a, b)")  # nulls are not unique
    assert "TL7120" in refused(Engine(""), database, "full_row(a, price)", numeric="float")


def test_a_table_without_replica_identity_is_refused(database: Database) -> None:
    database.run("CREATE TABLE bare (a int); CREATE TABLE none (a int PRIMARY KEY)")
    database.run("ALTER TABLE none REPLICA IDENTITY NOTHING")
    output = refused(Engine(""), database, "bare")
    assert output.startswith("TL7121: table `public.bare` does not identify changed rows: it has no primary key")
    assert "ALTER TABLE public.bare REPLICA IDENTITY FULL;" in output
    assert "ALTER TABLE public.none REPLICA IDENTITY DEFAULT;" in refused(Engine(""), database, "none")


def test_a_relation_with_rules_needs_the_whole_old_row(database: Database) -> None:
    database.run("CREATE TABLE p (id int PRIMARY KEY, name text)")
    db = Engine("p(X, Y) :- q(X, Y).")
    assert "TL7121" in refused(db, database, "p", relation="p")
    database.run("ALTER TABLE p REPLICA IDENTITY FULL; INSERT INTO p VALUES (1, 'a')")
    with db, following(db, database, tables={"p": "p"}) as follower:
        with db.epoch() as epoch:
            epoch.insert("q", [(1, "b")])
        database.run("UPDATE p SET name = 'c'")
        caught_up(follower, database)
        assert sorted(db["p"]) == [(1, "b"), (1, "c")]


@pytest.mark.parametrize("identity", ["DEFAULT", "FULL", "USING INDEX by_mail"])
def test_every_replica_identity_tells_the_old_row(database: Database, identity: str) -> None:
    database.run("CREATE TABLE p (id int PRIMARY KEY, mail text NOT NULL, name text)")
    database.run(f"CREATE UNIQUE INDEX by_mail ON p (mail); ALTER TABLE p REPLICA IDENTITY {identity}")
    database.run("INSERT INTO p SELECT n, 'm' || n, 'n' || n FROM generate_series(1, 9) AS n")
    with Engine("") as db, following(db, database, tables={"p": "p"}) as follower:
        caught_up(follower, database)
        database.run("UPDATE p SET name = 'x' WHERE id = 1; UPDATE p SET id = 20, mail = 'y' WHERE id = 2")
        database.run("UPDATE p SET name = NULL WHERE id = 4; DELETE FROM p WHERE id IN (3, 20)")
        database.run("UPDATE p SET name = 'z' WHERE id = 4; UPDATE p SET name = NULL WHERE id = 5")
        caught_up(follower, database)
        assert sorted(db["p"]) == database.run("SELECT * FROM p WHERE name IS NOT NULL ORDER BY 1")
        assert follower.health.snapshots == 1
