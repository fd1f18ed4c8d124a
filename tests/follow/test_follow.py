"""Following: snapshot and stream, restarts, truncates, values that are not sent, columns that change."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import pytest

from tests.follow.conftest import Database
from tests.follow.following import LINK, REACH, caught_up, following, judged, refused
from tidelog import Engine
from tidelog.follow import Health

ROWS = "INSERT INTO link VALUES ('a', 'b'), ('b', 'c')"


@pytest.fixture(params=["folder", "memory"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "state" if request.param == "folder" else None


def test_snapshot_then_stream(database: Database, path: Path | None) -> None:
    database.run(LINK)
    database.run(ROWS)
    with Engine(REACH, path=path) as db, following(db, database) as follower:
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database) != []
        database.run("INSERT INTO link VALUES ('c', 'd')")
        database.run("DELETE FROM link WHERE source = 'a'")
        database.run("UPDATE link SET target = 'a' WHERE source = 'c'")
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database)
        assert (follower.health.state, follower.health.trouble) == ("following", None)


def test_a_transaction_is_one_epoch_with_its_place_as_offset(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    with Engine(REACH, path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
        before = db.epoch_number
        database.run("BEGIN; INSERT INTO link VALUES ('x', 'y'); INSERT INTO link VALUES ('y', 'z'); COMMIT")
        database.run("INSERT INTO link VALUES ('z', 'x')")
        caught_up(follower, database)
        entries = [entry for entry in db.log() if entry.epoch > before]
        assert [entry.asserted for entry in entries] == [{"link": 2}, {"link": 1}]
        assert {entry.source for entry in entries} == {db.log()[-1].source}
        assert entries[0].offset < entries[1].offset  # type: ignore[operator]
        assert follower.health.transactions == 2


def test_a_restart_goes_on_where_it_ended(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    database.run(ROWS)
    for number in range(3):
        with Engine(REACH if number == 0 else "", path=tmp_path) as db:
            with following(db, database) as follower:
                caught_up(follower, database)
                assert sorted(db["reach"]) == judged(database)
                assert follower.health.snapshots == (number == 0)
            database.run("INSERT INTO link VALUES (%s, 'a')", f"while away {number}")
            database.run("DELETE FROM link WHERE source = 'b'")
    with Engine("", path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
        changed = [entry.changed["link"] for entry in db.log() if "link" in entry.changed]
        assert [(change.inserted, change.deleted) for change in changed] == [(2, 0), (1, 0), (0, 1), (1, 0), (1, 0)]


def test_a_broken_connection_loses_nothing(database: Database, path: Path | None) -> None:
    database.run(LINK)
    with Engine(REACH, path=path) as db, following(db, database) as follower:
        caught_up(follower, database)
        for number in range(3):
            waited("following", follower)
            database.run("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active")
            database.run("INSERT INTO link VALUES (%s, %s)", str(number), str(number + 1))
            caught_up(follower, database)
            assert sorted(db["reach"]) == judged(database)
        assert follower.health.reconnects >= 3
        assert follower.health.snapshots == (1 if path else 4)


def test_truncate_empties_the_relation(database: Database) -> None:
    database.run(LINK)
    database.run(ROWS)
    with Engine(REACH) as db, following(db, database) as follower:
        database.run(
            "BEGIN; INSERT INTO link VALUES ('p', 'q'); TRUNCATE link; INSERT INTO link VALUES ('a', 'b'); COMMIT"
        )
        caught_up(follower, database)
        assert list(db["link"]) == [("a", "b")]
        database.run("TRUNCATE link")
        caught_up(follower, database)
        assert len(db["reach"]) == 0


def test_a_large_value_that_is_not_sent_again_stays(database: Database, path: Path | None) -> None:
    database.run("CREATE TABLE page (id int PRIMARY KEY, body text, title text)")
    database.run("ALTER TABLE page ALTER COLUMN body SET STORAGE EXTERNAL")
    large = "x" * 20_000
    with Engine("", path=path) as db, following(db, database, tables={"page": "page"}) as follower:
        database.run("INSERT INTO page VALUES (1, %s, 'a')", large)
        caught_up(follower, database)
        database.run("UPDATE page SET title = 'b'")
        database.run("UPDATE page SET id = 2")
        caught_up(follower, database)
        assert list(db["page"]) == [(2, large, "b")]
        # the row stops being a fact, and then becomes one again that the stream does not send completely
        database.run("UPDATE page SET title = NULL")
        caught_up(follower, database)
        assert (len(db["page"]), follower.health.left_out, follower.health.snapshots) == (0, 1, 1)
        database.run("UPDATE page SET title = 'c'")
        caught_up(follower, database)
        while follower.health.snapshots < 2:
            time.sleep(0.01)
        caught_up(follower, database)
        assert list(db["page"]) == [(2, large, "c")]


def test_rows_with_nulls_are_left_out(database: Database) -> None:
    database.run("CREATE TABLE p (id int PRIMARY KEY, name text); INSERT INTO p VALUES (1, 'a'), (2, NULL)")
    with Engine("") as db, following(db, database, tables={"p": "p"}) as follower:
        caught_up(follower, database)
        assert (list(db["p"]), follower.health.left_out) == ([(1, "a")], 1)
        database.run("UPDATE p SET name = 'b' WHERE id = 2; UPDATE p SET name = NULL WHERE id = 1")
        caught_up(follower, database)
        assert (list(db["p"]), follower.health.left_out) == ([(2, "b")], 1)
        database.run("DELETE FROM p WHERE id = 1")
        caught_up(follower, database)
        assert (list(db["p"]), follower.health.left_out) == ([(2, "b")], 0)


def test_columns_that_come_go_or_are_renamed_beside_those_followed_change_nothing(database: Database) -> None:
    database.run(LINK)
    with Engine(REACH) as db, following(db, database) as follower:
        database.run("ALTER TABLE link ADD COLUMN more int DEFAULT 5; INSERT INTO link VALUES ('a', 'b')")
        database.run("ALTER TABLE link DROP COLUMN note; INSERT INTO link VALUES ('b', 'c')")
        database.run("ALTER TABLE link RENAME COLUMN more TO less; INSERT INTO link VALUES ('c', 'd')")
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database)
        assert follower.health.snapshots == 1


def test_a_changed_type_is_read_once_more(database: Database) -> None:
    database.run("CREATE TABLE n (id int PRIMARY KEY, name varchar(9)); INSERT INTO n VALUES (1, 'abcdef')")
    with Engine("") as db, following(db, database, tables={"n": "n"}) as follower:
        caught_up(follower, database)
        database.run("ALTER TABLE n ALTER COLUMN name TYPE varchar(3) USING left(name, 3), ALTER COLUMN id TYPE bigint")
        database.run("INSERT INTO n VALUES (8589934592, 'new')")
        caught_up(follower, database)
        while follower.health.snapshots < 2:
            time.sleep(0.01)
        caught_up(follower, database)
        assert sorted(db["n"]) == [(1, "abc"), (8589934592, "new")]


def waited(state: str, follower: object) -> Health:
    """The health of a follower once it is in a state."""
    while (health := follower.health).state != state:  # type: ignore[attr-defined]
        time.sleep(0.01)
    return health  # type: ignore[no-any-return]


def test_a_column_that_is_gone_is_refused_by_name_until_it_is_back(database: Database) -> None:
    database.run(LINK)
    with Engine(REACH) as db, following(db, database) as follower:
        caught_up(follower, database)
        database.run("ALTER TABLE link RENAME COLUMN target TO aim; INSERT INTO link VALUES ('a', 'b')")
        health = waited("refused", follower)
        assert health.trouble is not None
        assert health.trouble.code == "TL7117"
        assert "source, aim, note" in health.trouble.message
        database.run("ALTER TABLE link RENAME COLUMN aim TO target")
        waited("following", follower)
        caught_up(follower, database)
        assert sorted(db["reach"]) == judged(database)


def test_a_table_made_anew_is_read_once_more(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    database.run(ROWS)
    with Engine(REACH, path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
    database.run("DROP TABLE link")
    database.run(LINK)
    database.run("INSERT INTO link VALUES ('new', 'row')")
    with Engine("", path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
        assert list(db["reach"]) == [("new", "row")]


def test_another_choice_of_tables_is_read_once_more(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    database.run(ROWS)
    database.run("CREATE TABLE city (name text PRIMARY KEY); INSERT INTO city VALUES ('Rome')")
    with Engine(REACH + ".decl city(name: symbol)", path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
    database.run("DELETE FROM link WHERE source = 'a'")
    both = {"link": "link", "city": "city"}
    with Engine("", path=tmp_path) as db, following(db, database, tables=both) as follower:
        caught_up(follower, database)
        assert (sorted(db["reach"]), list(db["city"])) == (judged(database), [("Rome",)])
        database.run("INSERT INTO city VALUES ('Oslo')")
        caught_up(follower, database)
        assert len(db["city"]) == 2


def test_a_partitioned_table_is_followed_by_its_root(database: Database) -> None:
    database.run(
        "CREATE TABLE link (source text, target text, PRIMARY KEY (source, target)) PARTITION BY HASH (source)"
    )
    for number in range(2):
        database.run(f"CREATE TABLE l{number} PARTITION OF link FOR VALUES WITH (MODULUS 2, REMAINDER {number})")
    database.run(ROWS)
    with Engine(REACH) as db, following(db, database) as follower:
        database.run("UPDATE link SET source = target || source; INSERT INTO link VALUES ('c', 'd')")
        caught_up(follower, database)
        assert sorted(db["link"]) == database.run("SELECT * FROM link ORDER BY 1, 2")


def test_heirs_of_a_table_are_not_followed_with_it(database: Database) -> None:
    database.run(LINK)
    database.run("CREATE TABLE heir () INHERITS (link); ALTER TABLE heir REPLICA IDENTITY FULL")
    database.run("INSERT INTO heir VALUES ('x', 'y'); INSERT INTO link VALUES ('a', 'b')")
    with Engine(REACH) as db, following(db, database) as follower:
        database.run("INSERT INTO heir VALUES ('p', 'q'); INSERT INTO link VALUES ('b', 'c')")
        caught_up(follower, database)
        assert sorted(db["link"]) == database.run("SELECT source, target FROM ONLY link ORDER BY 1")


def test_a_relation_with_facts_of_its_own_is_refused(database: Database) -> None:
    database.run(LINK)
    with Engine(REACH + 'link("own", "fact").') as db, following(db, database) as follower:
        health = waited("refused", follower)
        assert health.trouble is not None
        assert health.trouble.code == "TL7126"
        assert "`link` already contains 1 fact that did not come from table `public.link`" in health.trouble.message


def test_an_epoch_that_the_engine_refuses_is_tried_again(database: Database) -> None:
    database.run("CREATE TABLE n (id int PRIMARY KEY, v bigint)")
    with Engine("") as db, following(db, database, tables={"n": "n"}) as follower:
        with db.epoch() as epoch:
            label = epoch.add_rule("m(X, Y + 1) :- n(X, Y).")
        caught_up(follower, database)
        database.run("INSERT INTO n VALUES (1, 9223372036854775807)")
        assert waited("refused", follower).trouble is not None
        with db.epoch() as epoch:
            epoch.remove_rule(label)
        caught_up(follower, database)
        assert list(db["n"]) == [(1, 9223372036854775807)]


def test_a_database_that_is_not_there_yet_is_waited_for(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    from tidelog.follow import follow

    wrong = f"{database.dsn}_not_yet password=very-secret"
    with caplog.at_level(logging.INFO, "tidelog.follow"), Engine(REACH) as db:
        with follow(db, wrong, tables={"link": "link"}).start() as follower:
            health = waited("waiting", follower)
            assert health.trouble is not None
            assert health.trouble.code == "TL7112"
            assert "does not exist" in health.trouble.message
        assert follower.health.state == "stopped"
    assert "very-secret" not in caplog.text + repr(health)


def test_the_place_moves_on_while_others_write(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidelog.follow.link.MOVE_AFTER", 1 << 16)
    database.run(LINK)
    database.run("CREATE TABLE other (text text)")
    with Engine(REACH, path=tmp_path) as db, following(db, database) as follower:
        caught_up(follower, database)
        before = db.epoch_number
        for _ in range(5):
            database.run("INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 100)")
            caught_up(follower, database)
        assert db.epoch_number > before
        assert all(not entry.changed for entry in db.log()[before:])


def test_two_engines_follow_one_database(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    with (
        Engine(REACH, path=tmp_path / "1") as one,
        Engine(REACH, path=tmp_path / "2") as two,
        following(one, database, slot="one") as first,
        following(two, database, slot="two") as second,
    ):
        database.run(ROWS)
        caught_up(first, database)
        caught_up(second, database)
        assert sorted(one["reach"]) == sorted(two["reach"]) == judged(database)


def test_unmapped_columns_can_be_left_out(database: Database) -> None:
    database.run("CREATE TABLE p (id int PRIMARY KEY, name text, extra jsonb)")
    assert "TL7118" in refused(Engine(""), database, "p", relation="p")
    database.run("""INSERT INTO p VALUES (1, 'a', '{"x": 1}')""")
    with Engine("") as db, following(db, database, tables={"p": "p(name, id)"}) as follower:
        caught_up(follower, database)
        database.run("UPDATE p SET extra = '{}', name = 'b'")
        caught_up(follower, database)
        assert list(db["p"]) == [("b", 1)]


def test_transactions_that_wait_may_be_one_epoch(database: Database, tmp_path: Path) -> None:
    database.run("CREATE TABLE n (id int PRIMARY KEY, v int)")
    options = {"tables": {"n": "n"}, "group": 50}
    with Engine("", path=tmp_path) as db, following(db, database, **options) as follower:
        caught_up(follower, database)
    for number in range(120):
        database.run("INSERT INTO n VALUES (%s, 0)", number)
        database.run("UPDATE n SET v = v + 1 WHERE id = %s", number // 2)
    with Engine(path=tmp_path) as db, following(db, database, **options) as follower:
        before = db.epoch_number
        caught_up(follower, database)
        assert sorted(db["n"]) == database.run("SELECT * FROM n ORDER BY 1")
        assert follower.health.transactions == 240
        assert 5 <= db.epoch_number - before < 240
        database.run("DELETE FROM n WHERE id = 7")
        caught_up(follower, database)
        assert (7, 2) not in db["n"]
