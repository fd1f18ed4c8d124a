"""Connections: errors of the driver as ours, and no password in any text."""

from __future__ import annotations

import sys

import pytest

from tests.follow.conftest import Database
from tidelog import Engine
from tidelog.follow import follow
from tidelog.follow.connect import connect, place_of, without_secrets
from tidelog.follow.errors import FollowError, Unreachable


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(FollowError, match="psycopg, which is not installed") as raised:
        connect("dbname=x")
    assert raised.value.code == "TL7111"
    assert "tidelog[postgres]" in raised.value.hint


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://ada:very-secret@/shop?host=/nowhere",
        "host=/nowhere password=very-secret",
        "host=/nowhere password='very-secret",
        "postgresql://ada:very-secret@[",
        "very-secret",
    ],
)
def test_no_text_has_a_password(dsn: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(FollowError) as raised:
        connect(dsn)
    output = f"{raised.value} {raised.value.hint} {raised.value.note} {place_of(dsn)} {raised.value.__cause__}"
    assert "secret" not in output


def test_a_message_of_the_driver_is_reported_in_one_line_without_secrets() -> None:
    assert without_secrets("wrong:\n  abc", "password=abc") == "wrong: ***"


def test_a_database_that_cannot_be_reached_may_be_tried_again() -> None:
    with pytest.raises(Unreachable, match="cannot connect to database `x` at /nowhere"):
        follow(Engine(""), "host=/nowhere dbname=x", tables={"a": "a"}).check()


def test_a_connection_writes_values_in_one_way(database: Database) -> None:
    database.run(f"ALTER DATABASE {database.name} SET datestyle = 'German'")
    database.run(f"ALTER DATABASE {database.name} SET timezone = 'Asia/Tokyo'")
    with connect(f"{database.dsn} options='-c work_mem=1MB'") as connection:
        shown = connection.execute("SELECT '2024-02-29 12:00+00'::timestamptz::text, current_setting('work_mem')")
        assert shown.fetchone() == ("2024-02-29 12:00:00+00", "1MB")
