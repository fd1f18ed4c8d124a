"""Rows that cannot become facts: following goes on without them, reports them, and takes them back when they heal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.follow.conftest import Database, made
from tests.follow.following import SECONDS, caught_up, following
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.follow import Follower
from tidelog.follow.patience import Patience

TYPED = "CREATE TABLE typed (id int PRIMARY KEY, d date, s text)"
TABLES = {"tables": {"typed": "typed"}}


@pytest.fixture(params=["folder", "memory"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "state" if request.param == "folder" else None


def quarantine(follower: Follower) -> dict[str, dict[tuple[str, ...], str]]:
    """The reasons by key, by relation."""
    return {each.relation: {k: str(r) for k, r in each.rows.items()} for each in follower.health.quarantine}


def ids(db: Engine) -> list[int]:
    return sorted(row[0] for row in db["typed"]) if "typed" in db else []


def test_a_value_without_counterpart_does_not_stop_following(
    database: Database, path: Path | None, caplog: pytest.LogCaptureFixture
) -> None:
    database.run(TYPED)
    with Engine("", path=path) as db, following(db, database, **TABLES) as follower:
        caught_up(follower, database)
        before = db.epoch_number
        database.run(
            "BEGIN; INSERT INTO typed VALUES (6, '2024-01-01', 'six');"
            "INSERT INTO typed VALUES (7, 'infinity', 'seven');"
            "INSERT INTO typed VALUES (8, '2024-01-02', 'eight'); COMMIT"
        )
        caught_up(follower, database)
        assert (ids(db), db.epoch_number) == ([6, 8], before + 1)
        reason = "column `d` is `infinity`, which is not a date in the years 1 to 9999"
        assert quarantine(follower) == {"typed": {("7",): reason}}
        health = follower.health
        assert (health.state, health.trouble, health.left_out, health.reconnects) == ("following", None, 1, 0)
        shown = {"key": {"id": "7"}, "column": "d", "reason": reason}
        assert health.as_json()["quarantine"] == [
            {"relation": "typed", "table": "public.typed", "rows": 1, "first": [shown]}
        ]
        line = "quarantine of `public.typed` changed by +1, rows in quarantine: 1. New: row (id=7) of `public.typed`"
        assert f"{line}: {reason}" in caplog.text
        database.run("DELETE FROM typed WHERE id = 7")
        database.run("INSERT INTO typed VALUES (9, '2024-01-01', 'nine')")
        caught_up(follower, database)
        assert (ids(db), quarantine(follower), follower.health.left_out) == ([6, 8, 9], {}, 0)


def test_rows_of_the_first_snapshot_are_quarantined(database: Database, path: Path | None) -> None:
    database.run(TYPED)
    database.run("INSERT INTO typed VALUES (1, '-infinity', 'a'), (2, '2024-01-01', 'b'), (3, NULL, NULL)")
    with Engine("", path=path) as db, following(db, database, **TABLES) as follower:
        caught_up(follower, database)
        assert ids(db) == [2]
        assert quarantine(follower)["typed"].keys() == {("1",), ("3",)}
        database.run("UPDATE typed SET d = '2024-01-01', s = 'healed'")
        caught_up(follower, database)
        assert (ids(db), quarantine(follower), follower.health.snapshots) == ([1, 2, 3], {}, 1)


def test_a_fact_that_becomes_a_bad_row_is_retracted(database: Database, path: Path | None) -> None:
    database.run(TYPED)
    database.run("INSERT INTO typed VALUES (1, '2024-01-01', 'a'), (2, '2024-01-01', 'b')")
    with Engine("", path=path) as db, following(db, database, **TABLES) as follower:
        database.run("UPDATE typed SET d = '0044-03-15 BC' WHERE id = 1")
        caught_up(follower, database)
        assert (ids(db), list(quarantine(follower)["typed"])) == ([2], [("1",)])
        database.run("UPDATE typed SET id = 5 WHERE id = 1")
        caught_up(follower, database)
        assert (ids(db), list(quarantine(follower)["typed"])) == ([2], [("5",)])
        database.run("UPDATE typed SET d = '2024-01-01' WHERE id = 5")
        caught_up(follower, database)
        assert (ids(db), quarantine(follower)) == ([2, 5], {})


def test_truncate_clears_the_quarantine(database: Database) -> None:
    database.run(TYPED)
    with Engine("") as db, following(db, database, **TABLES) as follower:
        database.run("INSERT INTO typed VALUES (1, 'infinity', 'a'), (2, '2024-01-01', 'b')")
        database.run("BEGIN; TRUNCATE typed; INSERT INTO typed VALUES (3, 'infinity', 'a'); COMMIT")
        caught_up(follower, database)
        assert (ids(db), list(quarantine(follower)["typed"])) == ([], [("3",)])
        database.run("TRUNCATE typed")
        caught_up(follower, database)
        assert (ids(db), quarantine(follower)) == ([], {})


def test_a_restart_has_the_quarantine_before_it_hears_from_the_database(database: Database, tmp_path: Path) -> None:
    database.run(TYPED)
    with Engine("", path=tmp_path) as db, following(db, database, **TABLES) as follower:
        database.run("INSERT INTO typed VALUES (1, 'infinity', 'a'), (2, '2024-01-01', NULL), (3, '2024-01-01', 'c')")
        caught_up(follower, database)
        before = follower.health.quarantine
        db.snapshot()
    with Engine(path=tmp_path) as db, following(db, database, **TABLES) as follower:
        caught_up(follower, database)
        assert follower.health.quarantine == before
        assert (ids(db), follower.health.snapshots) == ([3], 0)
        database.run("DELETE FROM typed WHERE id = 1; UPDATE typed SET s = 'b' WHERE id = 2")
        caught_up(follower, database)
        assert (ids(db), quarantine(follower)) == ([2, 3], {})
    database.run("SELECT pg_drop_replication_slot('tidelog')")
    database.run("UPDATE typed SET d = 'infinity' WHERE id = 3")
    with Engine(path=tmp_path) as db, following(db, database, **TABLES) as follower:
        caught_up(follower, database)
        assert (ids(db), list(quarantine(follower)["typed"])) == ([2], [("3",)])


def test_a_state_that_does_not_record_the_quarantine_is_brought_up_to_date(database: Database, tmp_path: Path) -> None:
    database.run(TYPED)
    database.run("INSERT INTO typed VALUES (1, NULL, 'a'), (2, '2024-01-01', 'b')")
    with Engine("", path=tmp_path) as db:
        with following(db, database, **TABLES) as follower:
            caught_up(follower, database)
        with db.epoch() as epoch:  # as an older version has left it
            epoch.memos.update(dict.fromkeys(core_of(db).memos))
    for snapshots in (1, 0):
        with Engine(path=tmp_path) as db, following(db, database, **TABLES) as follower:
            caught_up(follower, database)
            assert (follower.health.snapshots, list(quarantine(follower)["typed"])) == (snapshots, [("1",)])


def test_stop_names_the_table_if_no_row_is_kept_in_detail(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.follow.quarantine.KEPT", 1)
    database.run(TYPED)
    with Engine("") as db, following(db, database, **TABLES, on_bad_row="stop") as follower:
        caught_up(follower, database)
        bad = "INSERT INTO typed VALUES (1, 'infinity', 'a'), (2, 'infinity', 'b'); DELETE FROM typed WHERE id = 1"
        database.run(f"BEGIN; {bad}; COMMIT")
        assert refused(follower, "TL7125").trouble.message.startswith(("a row of `public.typed`", "row (id=2)"))
        database.run("DELETE FROM typed")
        caught_up(follower, database)
        assert ids(db) == []


def test_another_primary_key_while_nobody_follows_keeps_the_quarantine_right(
    database: Database, tmp_path: Path
) -> None:
    database.run("CREATE TABLE typed (id int PRIMARY KEY, d date, s text NOT NULL)")
    database.run("INSERT INTO typed VALUES (1, 'infinity', 'a'), (2, '2024-01-01', 'b')")
    with Engine("", path=tmp_path) as db, following(db, database, **TABLES) as follower:
        caught_up(follower, database)
    database.run("ALTER TABLE typed DROP CONSTRAINT typed_pkey, ADD PRIMARY KEY (s)")
    with Engine(path=tmp_path) as db, following(db, database, **TABLES) as follower:
        caught_up(follower, database)
        assert list(quarantine(follower)["typed"]) == [("a",)]
        database.run("ALTER TABLE typed DROP CONSTRAINT typed_pkey, ADD PRIMARY KEY (id, s)")
        database.run("UPDATE typed SET s = 'c' WHERE id = 1")
        wait_for(lambda: list(quarantine(follower).get("typed", ())) == [("1", "c")])
        database.run("DELETE FROM typed WHERE id = 1")
        caught_up(follower, database)
        assert (ids(db), quarantine(follower)) == ([2], {})


def test_the_replica_identity_may_change_and_nothing_is_refused_by_name(database: Database, tmp_path: Path) -> None:
    database.run(TYPED)
    with Engine("", path=tmp_path) as db, following(db, database, **TABLES) as follower:
        for number, identity in enumerate(["FULL", "DEFAULT", "FULL"]):
            database.run(f"ALTER TABLE typed REPLICA IDENTITY {identity}")
            database.run("INSERT INTO typed VALUES (%s, 'infinity', 'a'), (%s, '2024-01-01', 'b')", number, 10 + number)
            database.run("UPDATE typed SET d = '2024-01-01' WHERE id = %s", number - 1)
            caught_up(follower, database)
            assert list(quarantine(follower)["typed"]) == [(str(number),)]
        database.run("ALTER TABLE typed REPLICA IDENTITY NOTHING; INSERT INTO typed VALUES (20, 'infinity', 'n')")
        refused(follower, "TL7121")
        database.run("ALTER TABLE typed REPLICA IDENTITY DEFAULT; DELETE FROM typed WHERE id = 2")
        caught_up(follower, database)
        wait_for(lambda: list(quarantine(follower)["typed"]) == [("20",)])
        assert ids(db) == [0, 1, 10, 11, 12]


def test_large_values_that_are_not_sent_again_need_no_snapshot_while_the_row_stays_bad(database: Database) -> None:
    database.run(TYPED)
    database.run("ALTER TABLE typed ALTER COLUMN s SET STORAGE EXTERNAL")
    with Engine("") as db, following(db, database, **TABLES) as follower:
        database.run("INSERT INTO typed VALUES (1, 'infinity', repeat('x', 9000))")
        for value in ("'-infinity'", "NULL", "'infinity'"):
            database.run(f"UPDATE typed SET d = {value}")
        caught_up(follower, database)
        assert (follower.health.left_out, follower.health.snapshots) == (1, 1)
        database.run("UPDATE typed SET d = '2024-01-01'")
        caught_up(follower, database)
        wait_for(lambda: follower.health.snapshots == 2)
        caught_up(follower, database)
        assert (ids(db), follower.health.left_out) == ([1], 0)


@pytest.fixture
def bytes_database(administration: Database) -> Iterator[Database]:
    """A database that takes any bytes for text."""
    with made(administration, "any_bytes", "ENCODING 'SQL_ASCII' TEMPLATE template0") as found:
        yield found


def test_bytes_that_are_not_text_are_quarantined(bytes_database: Database, tmp_path: Path) -> None:
    run = bytes_database.run
    run("CREATE TABLE typed (id int, k text, d text, PRIMARY KEY (id, k))")
    latin, good = r"E'caf\351'", r"E'caf\303\251'"
    run(f"INSERT INTO typed VALUES (1, {latin}, 'snapshot'), (2, {good}, 'snapshot')")
    with Engine("", path=tmp_path) as db, following(db, bytes_database, **TABLES) as follower:
        caught_up(follower, bytes_database)
        run(f"INSERT INTO typed VALUES (3, {good}, {latin}), (4, {good}, {good}), (5, {latin}, 'key')")
        caught_up(follower, bytes_database)
        assert sorted(db["typed"]) == [(2, "café", "snapshot"), (4, "café", "café")]
        assert {key[0] for key in quarantine(follower)["typed"]} == {"1", "3", "5"}
        (table,) = follower.health.as_json()["quarantine"]
        assert table["first"][0]["key"] == {"id": "1", "k": "caf\\udce9"}
        assert table["first"][0]["reason"] == r"column `k` is `caf\udce9`, which is not valid UTF-8"
    with Engine(path=tmp_path) as db, following(db, bytes_database, **TABLES) as follower:
        run(f"DELETE FROM typed WHERE id = 1; UPDATE typed SET k = 'k' WHERE id = 5; UPDATE typed SET d = {good}")
        caught_up(follower, bytes_database)
        assert (len(db["typed"]), quarantine(follower)) == (4, {})


def test_stop_keeps_the_relation_complete_until_the_row_is_corrected(database: Database, path: Path | None) -> None:
    database.run(TYPED)
    options = {**TABLES, "on_bad_row": "stop"}
    with Engine("", path=path) as db, following(db, database, **options) as follower:
        caught_up(follower, database)
        database.run("BEGIN; INSERT INTO typed VALUES (1, 'infinity', 'a'); DELETE FROM typed; COMMIT")
        database.run("INSERT INTO typed VALUES (2, '2024-01-01', 'b')")
        caught_up(follower, database)
        assert (ids(db), follower.health.snapshots, follower.health.trouble) == ([2], 1, None)
        database.run("INSERT INTO typed VALUES (3, 'infinity', 'c'), (4, '2024-01-01', 'd')")
        database.run("INSERT INTO typed VALUES (5, '2024-01-01', 'e')")
        health = refused(follower, "TL7125")
        assert "row (id=3) of `public.typed`: column `d` is `infinity`" in health.trouble.message
        assert (ids(db), quarantine(follower)) == ([2], {})
        wait_for(lambda: follower.health.reconnects > 3)
        assert follower.health.snapshots == 1  # nothing is given up while the row is there
        database.run("UPDATE typed SET d = '2024-01-01' WHERE id = 3")  # as the hint says
        caught_up(follower, database)
        wait_for(lambda: follower.health.state == "following")
        assert (ids(db), follower.health.trouble) == ([2, 3, 4, 5], None)
    with Engine("", path=path and path.parent / "other") as db:
        database.run("UPDATE typed SET s = NULL WHERE id = 3")
        with following(db, database, slot="other", **options) as follower:
            assert "row (id=3) of `public.typed`: column `s` is null" in refused(follower, "TL7125").trouble.message
            database.run("UPDATE typed SET s = 'c' WHERE id = 3")
            caught_up(follower, database)
            assert ids(db) == [2, 3, 4, 5]


def test_stop_after_quarantine_waits_until_the_quarantine_is_empty(database: Database, tmp_path: Path) -> None:
    database.run(TYPED)
    database.run("INSERT INTO typed VALUES (1, 'infinity', 'a'), (2, '2024-01-01', 'b')")
    with Engine("", path=tmp_path) as db, following(db, database, **TABLES) as follower:
        caught_up(follower, database)
    with Engine(path=tmp_path) as db, following(db, database, **TABLES, on_bad_row="stop") as follower:
        refused(follower, "TL7125")
        database.run("DELETE FROM typed WHERE id = 1")
        caught_up(follower, database)
        assert (ids(db), quarantine(follower)) == ([2], {})


def refused(follower: Follower, code: str) -> Any:
    wait_for(lambda: follower.health.state == "refused")
    health = follower.health
    assert health.trouble is not None
    assert health.trouble.code == code
    return health


def wait_for(condition: Any) -> None:
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_an_epoch_that_is_refused_again_and_again_is_reported_truly(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidelog.follow.follower.SILENCE", 0.5)
    database.run("CREATE TABLE typed (id int PRIMARY KEY, d int)")
    patience = Patience(0.05, 30.0, spread=0)
    with (
        Engine("m(X, Y / Y) :- typed(X, Y).", path=tmp_path) as db,
        following(db, database, **TABLES, patience=patience) as follower,
    ):
        caught_up(follower, database)
        database.run("INSERT INTO typed VALUES (1, 0)")
        database.run("INSERT INTO typed VALUES (2, 1)")
        wait_for(lambda: follower.health.state == "refused")
        began, states, lags = time.monotonic(), set(), []
        while (past := time.monotonic() - began) < 2.5:
            health = follower.health
            states.add((health.state, health.trouble is not None))
            lags.append((past, health.lag))
            time.sleep(0.005)
        assert states == {("refused", True)}
        assert 2 <= follower.health.reconnects <= 7  # after 0.05, 0.1, 0.2, 0.4, 0.8, 1.6 seconds
        late = [(past, lag) for past, lag in lags if past > 1]
        assert all(lag >= past - 0.5 for past, lag in late)
        assert [lag for _, lag in late] == sorted(lag for _, lag in late)
        (label,) = db.rules
        with db.epoch() as epoch:
            epoch.remove_rule(label)
        caught_up(follower, database)
        assert (follower.health.state, follower.health.trouble) == ("following", None)
        database.run("INSERT INTO typed VALUES (3, 1)")
        caught_up(follower, database)
        assert follower.health.lag < 5
        assert patience.failures == 0


def test_the_lag_grows_while_the_database_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.follow.follower.SILENCE", 0.1)
    from tidelog.follow import follow

    with Engine("", path=tmp_path) as db, follow(db, "host=/nowhere", tables=TABLES["tables"]).start() as follower:
        time.sleep(0.3)
        first = follower.health.lag
        time.sleep(0.2)
        assert 0.1 < first < follower.health.lag
        assert follower.health.state == "waiting"


def test_an_idle_follower_has_no_lag(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.follow.follower.SILENCE", 1.9)
    database.run(TYPED)
    with Engine("", path=tmp_path) as db, following(db, database, **TABLES) as follower:
        caught_up(follower, database)
        time.sleep(2.5)
        assert follower.health.lag == 0
        assert db.epoch_number < 10
