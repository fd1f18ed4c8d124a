"""Databases and roles that are not made for following are refused by name."""

from __future__ import annotations

import time
from pathlib import Path

from tests.follow.conftest import Database, restarted
from tests.follow.following import LINK, REACH, caught_up, judged, refused
from tidelog import Engine
from tidelog.follow import follow


def test_a_database_without_logical_replication_is_refused(database: Database) -> None:
    database.run(LINK)
    with restarted(database.server, wal_level="replica"):
        output = refused(Engine(REACH), database, "link")
    assert output.startswith("TL7114: `wal_level` of the database is `replica`")
    assert "ALTER SYSTEM SET wal_level = logical;" in output


def test_a_role_without_rights_is_refused(database: Database) -> None:
    database.run(LINK)
    database.run("CREATE ROLE reader LOGIN; GRANT SELECT ON link TO reader")
    try:
        with (
            Engine(REACH) as db,
            follow(db, database.server.dsn(database.name, user="reader"), tables={"link": "link"}).start() as found,
        ):
            while found.health.state != "refused":
                time.sleep(0.01)
            assert found.health.trouble is not None
            assert found.health.trouble.code == "TL7123"
            assert "permission denied" in found.health.trouble.message
    finally:
        database.run("DROP OWNED BY reader; DROP ROLE reader")


def test_a_role_that_may_replicate_uses_what_an_administrator_made(database: Database, tmp_path: Path) -> None:
    database.run(LINK)
    database.run("CREATE PUBLICATION tidelog FOR TABLE link")
    database.run("CREATE ROLE follower LOGIN REPLICATION; GRANT SELECT ON link TO follower")
    try:
        dsn = database.server.dsn(database.name, user="follower")
        with Engine(REACH, path=tmp_path) as db, follow(db, dsn, tables={"link": "link"}).start() as found:
            database.run("INSERT INTO link VALUES ('a', 'b')")
            caught_up(found, database)
            assert sorted(db["reach"]) == judged(database)
    finally:
        database.run("SELECT pg_drop_replication_slot('tidelog')")
        database.run("DROP OWNED BY follower; DROP ROLE follower")
