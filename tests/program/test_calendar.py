"""Dates and timestamps beside Python's `datetime`: every part, every sum, every text, on random values.

Python knows the years 1 to 9999; that years outside keep the calendar is tested by its period of 400 years.
"""

from __future__ import annotations

import datetime
from random import Random

import pytest

from tidelog.errors import EvaluationError
from tidelog.program.functions.calendar import (
    DAY,
    FIRST_DAY,
    FIRST_MOMENT,
    HOUR,
    LAST_DAY,
    LAST_MOMENT,
    SECOND,
    civil,
    date_text,
    from_python,
    read_date,
    read_timestamp,
    timestamp_text,
    to_python,
)
from tidelog.program.functions.table import resolve

CASES = 2000
EDGES = (FIRST_DAY, FIRST_DAY + 1, -1, 0, 1, 11_016, 11_017, LAST_DAY - 1, LAST_DAY)


def call(name: str, types: str, *args: object) -> object:
    function = resolve(name, types.split())
    assert function is not None, f"{name} of {types}"
    return function.evaluate(*args)


def days() -> list[int]:
    rng = Random(1)
    return [*EDGES, *(rng.randint(FIRST_DAY, LAST_DAY) for _ in range(CASES))]


def moments() -> list[int]:
    rng = Random(2)
    return [FIRST_MOMENT, -1, 0, 1, LAST_MOMENT, *(rng.randint(FIRST_MOMENT, LAST_MOMENT) for _ in range(CASES))]


def test_parts_of_dates_are_those_of_python() -> None:
    for day in days():
        date = to_python(day, "date")
        assert isinstance(date, datetime.date)
        found = [call(name, "date", day) for name in ("year", "month", "day", "weekday")]
        assert found == [date.year, date.month, date.day, date.weekday()], date
        assert call("to_string", "date", day) == date.isoformat()
        assert (call("to_date", "symbol", date.isoformat()), from_python(date)) == (day, day)


def test_parts_of_timestamps_are_those_of_python() -> None:
    for moment in moments():
        time = to_python(moment, "timestamp")
        assert isinstance(time, datetime.datetime)
        found = [call(n, "timestamp", moment) for n in ("year", "month", "day", "weekday", "hour", "minute", "second")]
        assert found == [time.year, time.month, time.day, time.weekday(), time.hour, time.minute, time.second], time
        assert call("date", "timestamp", moment) == from_python(time.date())
        text = call("to_string", "timestamp", moment)
        assert text == time.isoformat()
        assert (call("to_timestamp", "symbol", text), from_python(time)) == (moment, moment)


def test_sums_and_differences_are_those_of_python() -> None:
    rng = Random(3)
    for first, second in zip(days(), reversed(days()), strict=True):
        assert call("date_diff", "date date", first, second) == first - second
        assert call("date_add", "date number", second, first - second) == first
        assert call("to_timestamp", "date", first) == first * DAY
    for first, second in zip(moments(), reversed(moments()), strict=True):
        unit = rng.choice([1, SECOND, HOUR, DAY, 7 * DAY])
        whole = call("timestamp_diff", "timestamp timestamp number", first, second, unit)
        python = to_python(first, "timestamp") - to_python(second, "timestamp")  # type: ignore[operator]
        assert whole == abs(python) // datetime.timedelta(microseconds=unit) * (1 if first >= second else -1)
        assert abs(first - call("timestamp_add", "timestamp number number", second, whole, unit)) < unit  # type: ignore[operator]


def test_years_outside_those_of_python_keep_the_calendar() -> None:
    for day in days()[:200]:
        year, month, of_month = civil(day)
        assert civil(day + 146_097 * 30) == (year + 12_000, month, of_month)
        assert civil(day - 146_097 * 30) == (year - 12_000, month, of_month)


def test_offsets_are_taken_into_utc_as_python_takes_them() -> None:
    rng = Random(4)
    for moment in moments():
        minutes = rng.randint(-14 * 60, 14 * 60)
        if FIRST_MOMENT + DAY < moment < LAST_MOMENT - DAY:
            zone = datetime.timezone(datetime.timedelta(minutes=minutes))
            time = datetime.datetime.fromisoformat(timestamp_text(moment, zoned=True)).astimezone(zone)
            assert read_timestamp(time.isoformat()) == (moment, True), time


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-02-30", "month 2 of 2026 has no day 30"),
        ("2026-13-01", "no month 13"),
        ("0000-01-01", "outside 1 to 9999"),
        ("10000-01-01", "outside 1 to 9999"),
        ("-0001-01-01", "outside 1 to 9999"),
        ("20260601", "YYYY-MM-DD"),
        ("2026-6-1", "YYYY-MM-DD"),
        (" 2026-06-01", "YYYY-MM-DD"),
    ],
)
def test_a_text_that_is_no_date_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_date(text)
    with pytest.raises(EvaluationError, match=reason):
        call("to_date", "symbol", text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-06-01T24:00:00", "midnight at the end of a day is 00:00 of the next"),
        ("2016-12-31T23:59:60Z", "leap seconds"),
        ("2026-06-01T10:60:00", "minutes"),
        ("2026-06-01T10:00:00.1234567", "at most six digits"),
        ("2026-06-01T10:00:00+25:00", "not an offset"),
        ("2026-06-01T1:00", "YYYY-MM-DDTHH:MM:SS"),
        ("0001-01-01T00:00:00+01:00", "outside the years 1 to 9999"),
        ("9999-12-31T23:59:59-01:00", "outside the years 1 to 9999"),
    ],
)
def test_a_text_that_is_no_timestamp_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_timestamp(text)


@pytest.mark.parametrize(
    ("text", "moment", "zoned"),
    [
        ("1970-01-01", 0, False),
        ("1970-01-01T00:00", 0, False),
        ("1970-01-01 00:00:01", SECOND, False),
        ("1970-01-01T00:00:00.5", 500_000, False),
        ("1970-01-01T00:00:00.123456000Z", 123_456, True),
        ("1970-01-01T02:30:00+02:30", 0, True),
        ("1969-12-31T23:00:00-01", 0, True),
    ],
)
def test_forms_of_timestamps(text: str, moment: int, zoned: bool) -> None:
    assert read_timestamp(text) == (moment, zoned)


@pytest.mark.parametrize(
    ("name", "types", "args"),
    [
        ("date_add", "date number", (LAST_DAY, 1)),
        ("date_add", "date number", (FIRST_DAY, -1)),
        ("timestamp_add", "timestamp number number", (LAST_MOMENT, 1, 1)),
        ("timestamp_add", "timestamp number number", (0, 1, 0)),
        ("timestamp_diff", "timestamp timestamp number", (1, 0, -1)),
        ("to_timestamp", "date", (LAST_DAY + 1,)),
        ("to_timestamp", "symbol", ("soon",)),
    ],
)
def test_what_has_no_result_is_an_error(name: str, types: str, args: tuple[object, ...]) -> None:
    with pytest.raises(EvaluationError):
        call(name, types, *args)


def test_a_date_that_no_python_knows_still_has_a_text() -> None:
    assert date_text(LAST_DAY + 1) == "10000-01-01"
