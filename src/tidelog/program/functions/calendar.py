"""Dates and timestamps: their texts, their parts, and arithmetic on them.

Law: a date is its number of days since 1970-01-01, a timestamp its number of microseconds since the beginning of that
day, both in the Gregorian calendar without end in either direction; times before 1970 are negative. A text is read
whole or refused with the reason, and reading what was written yields the same number. Texts, and what functions make,
are in the years 1 to 9999; data from a table may be outside and keeps its year here.
Time zones are those of the text: a timestamp with an offset is converted to UTC, one without an offset is not changed.
"""

from __future__ import annotations

import datetime
import re

from tidelog.program.messages import program_failures as failures
from tidelog.program.values.term import BOOLEAN, DATE, TIMESTAMP, Value

SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000  # microseconds
EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
EPOCH = datetime.datetime(1970, 1, 1)
FIRST_DAY, LAST_DAY = 1 - EPOCH_DAY, datetime.date.max.toordinal() - EPOCH_DAY
FIRST_MOMENT, LAST_MOMENT = FIRST_DAY * DAY, (LAST_DAY + 1) * DAY - 1
TRUTH = ("false", "true")
_MICROSECOND = datetime.timedelta(microseconds=1)
_DATE = re.compile(r"([+-]?[0-9]{4,})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(
    r"(?P<day>[+-]?[0-9]{4,}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?"
    r"(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_ERA_DAYS, _EPOCH_SHIFT = 146_097, 719_468  # days of 400 years; days from 0000-03-01 to 1970-01-01
EXAMPLES = {DATE: 'date("2026-06-01")', TIMESTAMP: 'timestamp("2026-06-01T10:00:00Z")', BOOLEAN: "true"}


class Days(int):
    """A number of days that is marked as a date; equal to that number."""


class Moment(int):
    """A number of microseconds that is marked as a timestamp."""


class Truth(int):
    """A number that is marked as a boolean."""


_CLASSES: dict[str, type[int]] = {DATE: Days, TIMESTAMP: Moment, BOOLEAN: Truth}


def tagged(value: Value, type_: str) -> Value:
    """The value with its type, for evaluators that see only values.

    >>> tag_of(tagged(20605, "date")), tag_of(tagged(7, "number"))
    ('date', None)
    """
    made = _CLASSES.get(type_)
    return value if made is None or not isinstance(value, int) else made(value)


def tag_of(value: object) -> str | None:
    """The type that a value is tagged with."""
    return next((type_ for type_, made in _CLASSES.items() if isinstance(value, made)), None)


def read_date(text: str) -> int:
    """The days of a date as ISO 8601 writes it; a ValueError with the reason if it is not a date.

    >>> read_date("1970-01-02"), read_date("1969-12-31")
    (1, -1)
    """
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError("a date is written YYYY-MM-DD, such as 2026-06-01")
    return _days(*map(int, found.groups()))


def _days(year: int, month: int, day: int) -> int:
    if not 1 <= year <= 9999:
        raise ValueError(f"the year {year} is outside 1 to 9999")
    if not 1 <= month <= 12:
        raise ValueError(f"there is no month {month}")
    try:
        return datetime.date(year, month, day).toordinal() - EPOCH_DAY
    except ValueError:
        raise ValueError(f"month {month} of {year} has no day {day}") from None


def read_timestamp(text: str) -> tuple[int, bool]:
    """The microseconds of a timestamp, in UTC if it has an offset, and whether it has one.

    >>> read_timestamp("1970-01-01T00:00:01"), read_timestamp("1970-01-01T01:00+01:00"), read_timestamp("1970-01-02")
    ((1000000, False), (0, True), (86400000000, False))
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(
            "a timestamp is written YYYY-MM-DDTHH:MM:SS, with an optional fraction and an optional Z or offset such as "
            "+02:00"
        )
    moment = read_date(found["day"]) * DAY + _time_of_day(found)
    zone = found["zone"]
    moment -= _offset(zone) if zone is not None else 0
    if not FIRST_MOMENT <= moment <= LAST_MOMENT:
        raise ValueError("in UTC it is outside the years 1 to 9999")
    return moment, zone is not None


def _time_of_day(match: re.Match[str]) -> int:
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if hour == 24:
        raise ValueError("hours are 00 to 23; midnight at the end of a day is 00:00 of the next")
    if second == 60:
        raise ValueError("seconds are 00 to 59; leap seconds cannot be represented")
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("hours are 00 to 23, minutes and seconds 00 to 59")
    fraction = (match["fraction"] or "").rstrip("0")
    if len(fraction) > 6:
        raise ValueError("a timestamp has microseconds: at most six digits after the second")
    return ((hour * 60 + minute) * 60 + second) * SECOND + int(fraction.ljust(6, "0"))


def _offset(zone: str) -> int:
    if zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError(f"{zone} is not an offset from UTC")
    return (hours * 60 + minutes) * MINUTE * (-1 if zone[0] == "-" else 1)


def date_text(days: int) -> str:
    """The date as ISO 8601 writes it.

    >>> date_text(-1), date_text(20605)
    ('1969-12-31', '2026-06-01')
    """
    year, month, day = civil(days)
    return f"{year:04}-{month:02}-{day:02}"


def timestamp_text(moment: int, zoned: bool = False) -> str:
    """The timestamp as ISO 8601 writes it, its fraction only if there is one.

    >>> timestamp_text(-1), timestamp_text(0, zoned=True)
    ('1969-12-31T23:59:59.999999', '1970-01-01T00:00:00Z')
    """
    days, rest = divmod(moment, DAY)
    seconds, fraction = divmod(rest, SECOND)
    time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{date_text(days)}T{time}{f'.{fraction:06}' if fraction else ''}{'Z' if zoned else ''}"


def civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days, for any year.

    >>> civil(0), civil(-719_163)
    ((1970, 1, 1), (0, 12, 31))
    """
    era, place = divmod(days + _EPOCH_SHIFT, _ERA_DAYS)
    year = (place - place // 1460 + place // 36_524 - place // (_ERA_DAYS - 1)) // 365
    rest = place - (365 * year + year // 4 - year // 100)  # days since 1 March
    march = (5 * rest + 2) // 153
    month = march + 3 if march < 10 else march - 9
    return year + era * 400 + (month <= 2), month, rest - (153 * march + 2) // 5 + 1


def weekday(days: int) -> int:
    """0 for Monday to 6 for Sunday.

    >>> weekday(0)
    3
    """
    return (days + 3) % 7


def add_days(days: int, number: int) -> int:
    """The date a number of days later."""
    if not FIRST_DAY <= days + number <= LAST_DAY:
        raise failures.YEAR.error(what=f"{number} days after {date_text(days)}")
    return days + number


def add_time(moment: int, number: int, unit: int) -> int:
    """The timestamp a number of time units later."""
    later = moment + number * _length(unit)
    if not FIRST_MOMENT <= later <= LAST_MOMENT:
        raise failures.YEAR.error(what=f"{number} times {unit} microseconds after {timestamp_text(moment)}")
    return later


def midnight(days: int) -> int:
    """The timestamp at which a date begins."""
    if not FIRST_DAY <= days <= LAST_DAY:
        raise failures.YEAR.error(what=date_text(days))
    return days * DAY


def time_between(end: int, start: int, unit: int) -> int:
    """How many whole units lie between two timestamps; negative if the end is the earlier one."""
    whole = abs(end - start) // _length(unit)
    return whole if end >= start else -whole


def _length(unit: int) -> int:
    if unit <= 0:
        raise failures.NO_UNIT.error(length=unit)
    return unit


def date_of_text(text: str) -> int:
    """`to_date`."""
    try:
        return read_date(text)
    except ValueError as error:
        raise failures.NOT_A_TIME.error(text=text, type=DATE, reason=error) from None


def timestamp_of_text(text: str) -> int:
    """`to_timestamp`."""
    try:
        return read_timestamp(text)[0]
    except ValueError as error:
        raise failures.NOT_A_TIME.error(text=text, type=TIMESTAMP, reason=error) from None


def to_python(value: object, type_: str, zoned: bool = False) -> object:
    """A value of a column's type in the form used in Python rows.

    >>> to_python(20605, "date"), to_python(1, "boolean"), to_python(7, "number")
    (datetime.date(2026, 6, 1), True, 7)
    """
    if type(value) is not int:
        return value
    if type_ == DATE:
        return datetime.date.fromordinal(value + EPOCH_DAY)
    if type_ == TIMESTAMP:
        moment = EPOCH + value * _MICROSECOND
        return moment.replace(tzinfo=datetime.UTC) if zoned else moment
    return bool(value) if type_ == BOOLEAN else value


def in_utc(value: object) -> object:
    """A time with a zone as rows of Python show it, in UTC and without a zone; anything else unchanged."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


def from_python(value: object) -> object:
    """A Python date, timestamp or boolean as its number; anything else unchanged.

    >>> from_python(datetime.date(2026, 6, 1)), from_python(True), from_python("a")
    (20605, 1, 'a')
    """
    value = in_utc(value)
    if isinstance(value, datetime.datetime):
        return (value - EPOCH) // _MICROSECOND
    if isinstance(value, datetime.date):
        return value.toordinal() - EPOCH_DAY
    return int(value) if isinstance(value, bool) else value
