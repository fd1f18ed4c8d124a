"""Values of PostgreSQL: what each text stands for, and which have no value here."""

from __future__ import annotations

import datetime
import re

import pytest

from tidelog.follow.errors import FollowError
from tidelog.follow.types import KINDS, kind_of, read_value


@pytest.mark.parametrize(
    ("type_", "wanted", "numeric", "text", "value"),
    [
        (16, None, "text", "t", True),
        (16, None, "text", "f", False),
        (20, None, "text", "-9223372036854775808", -(2**63)),
        (23, "float", "text", "7", 7.0),
        (21, "unsigned", "text", "7", 7),
        (25, None, "text", "tab\there, ünïcode", "tab\there, ünïcode"),
        (701, None, "text", "-Infinity", float("-inf")),
        (1042, None, "text", "ab  ", "ab  "),
        (1082, None, "text", "2024-02-29", datetime.date(2024, 2, 29)),
        (1114, None, "text", "2024-02-29 12:00:00.5", datetime.datetime(2024, 2, 29, 12, 0, 0, 500_000)),
        (1184, None, "text", "2024-02-29 12:00:00+00", datetime.datetime(2024, 2, 29, 12)),
        (1184, None, "text", "2024-02-29 12:00:00+05:30", datetime.datetime(2024, 2, 29, 6, 30)),
        (1700, None, "text", "1.50", "1.50"),
        (1700, None, "float", "1.50", 1.5),
        (1700, "float", "text", "1.50", 1.5),
        (1700, "symbol", "float", "1.50", "1.50"),
        (2950, None, "text", "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
    ],
)
def test_value_is_read(type_: int, wanted: str | None, numeric: str, text: str, value: object) -> None:
    kind = kind_of(type_, wanted, numeric)  # type: ignore[arg-type]
    assert kind is not None
    found = read_value(kind, text, "c", "t")
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("type_", "text"),
    [(1082, "infinity"), (1082, "0044-03-15 BC"), (1114, "-infinity"), (1184, "10000-01-01 00:00:00+00"), (16, "yes")],
)
def test_a_value_that_has_none_here_is_refused_by_name(type_: int, text: str) -> None:
    with pytest.raises(FollowError, match=re.escape(f"column `born` of `public.person`: `{text}` is not")) as raised:
        read_value(KINDS[type_], text, "born", "public.person")
    assert raised.value.code == "TL7125"


def test_a_long_value_is_shown_by_its_beginning() -> None:
    with pytest.raises(FollowError, match=r"`x{57}\.\.\.` is not a whole number"):
        read_value(KINDS[23], "x" * 1000, "c", "t")


def test_numeric_as_float_is_no_key() -> None:
    kinds = [kind_of(1700, "float", "text"), kind_of(20, "float", "text"), kind_of(23, "float", "text")]
    assert [kind.exact for kind in kinds if kind is not None] == [False, False, True]
