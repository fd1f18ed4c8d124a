"""What is said of tables to follow and views to publish."""

from __future__ import annotations

import pytest

from tidelog.follow.errors import FollowError
from tidelog.follow.health import Health
from tidelog.follow.options import TableOption, make_options, read_table, split_option
from tidelog.follow.progress import find, fingerprint_of, was_followed


@pytest.mark.parametrize(
    ("table", "name", "columns"),
    [
        ("link", "link", None),
        ("public.link", "public.link", None),
        ("public.link (Source , target)", "public.link", ("source", "target")),
        ('"My Schema"."a ""b"""("C,D", e)', '"My Schema"."a ""b"""', ("C,D", "e")),
    ],
)
def test_tables_are_named_as_in_sql(table: str, name: str, columns: tuple[str, ...] | None) -> None:
    assert read_table("link", table) == TableOption("link", name, columns)


@pytest.mark.parametrize(
    ("relation", "table"),
    [("link", ""), ("link", "a.b.c"), ("link", "a; DROP TABLE b"), ("link", "a()"), ("", "a"), ("two words", "a")],
)
def test_what_names_no_table_is_refused(relation: str, table: str) -> None:
    with pytest.raises(FollowError) as raised:
        read_table(relation, table)
    assert raised.value.code == "TL7113"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"slot": "Tide log"}, "lower-case letters"),
        ({"numeric": "decimal"}, "use `text` or `float`"),
        ({"group": 0}, "at least one transaction"),
        ({"on_bad_row": "skip"}, "use `quarantine` or `stop`"),
        ({"tables": {}}, "no table to follow and no view to publish"),
    ],
)
def test_options_are_checked(changed: dict[str, object], why: str) -> None:
    given = {"dsn": "", "tables": {"a": "b"}, "publish": {}, "slot": "x", "publication": None, "numeric": "text"}
    with pytest.raises(FollowError, match=why) as raised:
        make_options(**{**given, **changed})  # type: ignore[arg-type]
    assert raised.value.code == "TL7133"


def test_an_option_has_two_sides() -> None:
    assert split_option("link=public.link(a, b)") == ("link", "public.link(a, b)")
    with pytest.raises(FollowError, match="it contains no `=`"):
        split_option("link")


def test_a_password_is_not_shown_by_options() -> None:
    assert "secret" not in repr(make_options("password=secret", {"a": "b"}, {}, "x", None, "text"))


def test_progress_is_that_of_the_newest_snapshot() -> None:
    offsets = {"postgresql x aa 1": 50, "postgresql x aa 2": 70, "postgresql xy aa 9": 1, "clicks": 5}
    assert (find(offsets, "x", "aa").source, find(offsets, "x", "aa").offset) == ("postgresql x aa 2", 70)
    other = find(offsets, "x", "bb")
    assert (other.follows, other.next_generation().source) == (False, "postgresql x bb 3")
    new = find(offsets, "y", "aa")
    assert (new.follows, new.next_generation().source, was_followed(offsets, "y")) == (
        False,
        "postgresql y aa 1",
        False,
    )


def test_prints_tell_databases_apart() -> None:
    assert fingerprint_of("one", []) != fingerprint_of("two", [])


def test_health_is_reported_as_json() -> None:
    assert Health(place=0x1_0000_0002).as_json()["place"] == "1/2"
