"""Values of PostgreSQL: what each text stands for, and which have no value here."""

from __future__ import annotations

import datetime
import math
import sys

import pytest

from tidelog.follow.catalog import FollowedColumn
from tidelog.follow.types import KINDS, NUMERIC_AS_FLOAT, UNSIGNED, ColumnKind, NotUtf8, Reason, kind_of, read_row


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
    (found,) = read((kind, text))  # type: ignore[misc]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        (KINDS[1082], "infinity", "a date in the years 1 to 9999"),
        (KINDS[1082], "0044-03-15 BC", "a date in the years 1 to 9999"),
        (KINDS[1114], "-infinity", "a time in the years 1 to 9999"),
        (KINDS[1114], "0044-03-15 12:00:00 BC", "a time in the years 1 to 9999"),
        (KINDS[1184], "10000-01-01 00:00:00+00", "a time in the years 1 to 9999"),
        (KINDS[16], "yes", "true or false"),
        (UNSIGNED, "-1", "a non-negative whole number"),
        (NUMERIC_AS_FLOAT, "1" + "0" * 309, "a number in the range of a 64-bit float"),
        (NUMERIC_AS_FLOAT, "-1" + "0" * 309, "a number in the range of a 64-bit float"),
        (KINDS[25], NotUtf8("caf\udce9"), "valid UTF-8"),
    ],
)
def test_a_value_that_has_none_here_is_reported_with_its_column(kind: ColumnKind, text: str, wanted: str) -> None:
    found = read((KINDS[23], "1"), (kind, text))
    assert isinstance(found, Reason)
    assert found.column == "c1"
    shown = text.encode("utf-8", "backslashreplace").decode()
    assert str(found) == f"column `c1` is `{shown if len(shown) <= 60 else shown[:57] + '...'}`, which is not {wanted}"


def test_a_null_is_reported_with_its_column() -> None:
    assert str(read((KINDS[25], "a"), (KINDS[25], None))) == "column `c1` is null"


def test_numbers_without_bounds_as_floats() -> None:
    assert read((NUMERIC_AS_FLOAT, "Infinity"), (NUMERIC_AS_FLOAT, "-Infinity")) == (math.inf, -math.inf)
    assert read((NUMERIC_AS_FLOAT, str(2**1024 - 2**970 - 1)), (NUMERIC_AS_FLOAT, "1e-400")) == (
        sys.float_info.max,
        0.0,
    )
    assert isinstance(read((NUMERIC_AS_FLOAT, str(2**1024 - 2**970))), Reason)


def read(*values: tuple[ColumnKind, str | None]) -> object:
    columns = [FollowedColumn(f"c{place}", 0, -1, kind) for place, (kind, _) in enumerate(values)]
    return read_row(columns, [text for _, text in values])


def test_numeric_as_float_is_no_key() -> None:
    kinds = [kind_of(1700, "float", "text"), kind_of(20, "float", "text"), kind_of(23, "float", "text")]
    assert [kind.exact for kind in kinds if kind is not None] == [False, False, True]
