"""The table of all types of values, and its page, which `python -m tidelog.cli.values_page FILE` writes.

Law: samples appear on the page exactly as the printers print them. The tests use the same table: every printer prints a
sample as the page shows it, and every reader reads that back as the same value.
"""

from __future__ import annotations

import datetime
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tidelog.engine.engine import Engine
from tidelog.io.json_values import json_value
from tidelog.io.texts import show_text
from tidelog.program import Variant
from tidelog.syntax.value_printer import write_value

DAY, EVE = datetime.date(2026, 6, 1), datetime.date(1969, 12, 31)
TIME = datetime.datetime(2026, 6, 1, 10, 0, 0, 250_000)
RECORDS = """\
.type Pair = [key: number, name: symbol, next: Pair]
.type Stay = [from: date, at: timestamp, paid: boolean, nights: unsigned, cost: float, notes: list]
.type Tree = Leaf {value: number} | Node {left: Tree, right: Tree} | Empty {}
.type Event = Booked {stay: Stay} | Renamed {to: symbol} | Cancelled {on: date}
"""
STAY = (DAY, TIME, True, 2**64 - 1, math.inf, ("sea, view", (1, 0.5)))


@dataclass(frozen=True, slots=True)
class ValueKind:
    """A type of columns: sample values of Python, and what each front end accepts, in words."""

    title: str
    type: str
    samples: tuple[Any, ...]
    program: str  # how it is written in programs
    python: str  # what rows of Python accept
    json: str
    cell: str  # of files of text
    arrow: str
    zoned: bool = False  # whether the timestamps of the column are instants
    also: tuple[tuple[str, Any], ...] = ()  # other spellings in programs, where the type of the position is known


KINDS = (
    ValueKind(
        "Numbers",
        "number",
        (0, -7, 2**63 - 1, -(2**63)),
        "`7`, `-7`, `0x1F`, `0b101`",
        "`int`, and `bool` as 1 and 0",
        "a number without a fraction",
        "digits with an optional sign",
        "`int64`; narrower integers keep their type",
        also=(("0x1F", 31), ("0b101", 5), ("1 + 1", 2)),
    ),
    ValueKind(
        "Unsigned numbers",
        "unsigned",
        (0, 7, 2**64 - 1),
        "`7u`; without the suffix where the type is known",
        "`int` from 0 to 2^64 - 1",
        "a number without a fraction",
        "digits",
        "`uint64`",
        also=(("7", 7), ("18446744073709551615", 2**64 - 1), ("0xFFu", 255)),
    ),
    ValueKind(
        "Floats",
        "float",
        (0.0, 1.5, -2.0, 0.1, 1e300, 5e-324, math.inf, -math.inf, math.nan),
        "`1.5`, `-2.0e-3`, `1.0Inf`, `-1.0Inf`, `1.5NaN`; `-0.0` is `0.0`",
        "`float`, `int`",
        'a number, or the text `"Infinity"`, `"-Infinity"`, `"NaN"`',
        "digits, `inf`, `-inf`, `nan`",
        "`double`; `float16` and `float32` keep their type",
        also=(("3", 3.0), ("-0.0", 0.0), ("2.0e-3", 0.002)),
    ),
    ValueKind(
        "Symbols",
        "symbol",
        (
            "",
            "plan",
            "Eve",
            "two words",
            'a "quote"',
            "back\\slash",
            "tab\t and line\n",
            "\x00\x1b\x7f",
            "é ☃ 😀",
            "\u2028\u202e\ufeff",
            "it's",
            "true",
            "nil",
            "count",
            "not",
            "2026-06-01",
            "1",
            "1.5",
            "inf",
            "_",
            "[1, a]",
            "$Leaf(1)",
            " spaces ",
            "a,b;c#d%e",
        ),
        "`\"any text\"`, `'any text'`; in the Prolog convention also `plan`",
        "`str`, `uuid.UUID`",
        "text",
        "the text itself",
        "`string`",
        also=(("'plan'", "plan"), ('"\\u0065\\x66"', "ef")),
    ),
    ValueKind(
        "Booleans",
        "boolean",
        (True, False),
        "`true`, `false`",
        "`bool`, 1 and 0",
        "`true`, `false`, 1 and 0",
        "`1`, `0`, `true`, `false`",
        "`bool`",
        also=(("1", True), ("0", False)),
    ),
    ValueKind(
        "Dates",
        "date",
        (DAY, EVE, datetime.date.min, datetime.date.max),
        '`date("2026-06-01")`; the text alone where the type is known',
        "`datetime.date`, a `datetime` at midnight without a zone",
        "text in ISO 8601",
        "ISO 8601",
        "`date32`",
        also=(('"2026-06-01"', DAY),),
    ),
    ValueKind(
        "Timestamps without a zone",
        "timestamp",
        (TIME, datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime.datetime(2026, 6, 1)),
        '`timestamp("2026-06-01T10:00:00")`; the text alone where the type is known',
        "`datetime.datetime` without a zone",
        "text in ISO 8601",
        "ISO 8601",
        "`timestamp[us]`; other units keep their type",
        also=(('"2026-06-01T10:00:00.25"', TIME), ('"2026-06-01"', datetime.datetime(2026, 6, 1))),
    ),
    ValueKind(
        "Instants",
        "timestamp",
        (TIME, datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999)),
        '`timestamp("2026-06-01T10:00:00Z")`, with `Z` or an offset',
        "`datetime.datetime` with a zone; rows show it in UTC, without the zone",
        "text in ISO 8601, in UTC",
        "ISO 8601, in UTC",
        "`timestamp[us, tz=UTC]`; other units and zones keep their type",
        zoned=True,
        also=(('timestamp("2026-06-01T12:00:00.25+02:00")', TIME),),
    ),
    ValueKind(
        "Lists",
        "list",
        (
            (),
            (1, 2),
            ("a", 1, (2.5, ())),
            (math.inf, "inf", math.nan),
            (2**64 - 1, -1),
            ("true", "nil", "two, words", ""),
        ),
        '`[1, "a", [2.5]]`',
        "`tuple`, `list`, or its text",
        "a list; with infinite floats its text",
        "`[1, a, [2.5]]`, quotes where needed",
        "`list<...>` where all elements are of one type, else text",
    ),
    ValueKind(
        "Records",
        "Pair",
        (None, (1, "a", None), (-1, "two, words", (2, "nil", None)), (3, "", (4, '"]', (5, "x\n", None)))),
        '`[1, "a", nil]`, `nil`',
        "`None` for `nil`; tuples, named tuples, dataclasses, mappings, or the text",
        "text, a list, or an object",
        "`[1, a, nil]`, quotes where needed",
        "`struct<...>`; text if the type is recursive",
    ),
    ValueKind(
        "Records of all types",
        "Stay",
        (STAY, (EVE, datetime.datetime(1, 1, 1), False, 0, math.nan, ()), None),
        "as above; parts are written as the values of their types",
        "as above",
        "as above",
        "as above",
        "as above",
        also=(('["2026-06-01", "2026-06-01T10:00:00.25", 1, 7, 2, []]', (DAY, TIME, True, 7, 2.0, ())),),
    ),
    ValueKind(
        "Algebraic values",
        "Tree",
        (
            Variant("Empty"),
            Variant("Leaf", -1),
            Variant("Node", Variant("Leaf", 1), Variant("Node", *[Variant("Empty")] * 2)),
        ),
        "`$Leaf(1)`, `$Empty`",
        "`tidelog.Variant`, a dataclass or named tuple with the constructor's name, or the text",
        "text, or an object as Arrow has it",
        "`$Leaf(1)`, `$Empty`",
        "`struct<constructor, ...>`; text if the type is recursive",
    ),
    ValueKind(
        "Algebraic values of all types",
        "Event",
        (Variant("Booked", STAY), Variant("Renamed", "nil"), Variant("Cancelled", EVE), Variant("Booked", None)),
        "as above; parts are written as the values of their types",
        "as above",
        "as above",
        "as above",
        "as above",
    ),
)


def sample_literal(kind: ValueKind, value: Any, convention: str | None = None) -> str:
    """A sample as programs write it."""
    return write_value(value, _type(kind.type), convention, zoned=kind.zoned)


@cache
def _type(declared: str) -> str:
    """The type of a column that is declared with a type."""
    found = Engine(f"{RECORDS}.decl v(x: {declared})")["v"].types[0]
    assert found is not None
    return found


HEAD = """\
# Values

This page lists every column type: how its values are written in programs, and what Python, JSON, files and tables
accept and show. `make docs` generates it from the table that the tests use, so every printed value reads back as the
same value.

| form | used by |
|---|---|
| program | rules, facts, change scripts, test cases, queries, `why`, `blame`, HTTP, the editor, and printed facts |
| JSON | the server, the client, `--format json`, and `.output` with `IO=json` |
| cell | tab-separated files, CSV, and `query` in a pipe |

In programs with the Prolog convention, a symbol that is a lower-case word is printed without quotes, and `nil` is a
symbol, so programs with records use the Soufflé convention. See also [the language](language.md),
[Python](python-types.md#types-in-and-out), [files](files.md) and [the server](server.md).

| type | in programs | Python rows | JSON | cell of a text file | Arrow, Parquet, pandas |
|---|---|---|---|---|---|
"""
TAIL = """\

Columns of decimals and bytes are accepted in Arrow, Parquet and pandas tables: a decimal of at most 15 digits
becomes a float, one without a fraction a number, and bytes become symbols of hexadecimal digits. Views return the types
of the tables they came from ([types in and out](python-types.md#types-in-and-out)). There are no nulls.

The samples use these types:

```tidelog
"""


def page() -> str:
    """The whole page."""
    return "".join(_parts())


def _parts() -> Iterator[str]:
    yield HEAD
    for kind in KINDS:
        cells = (kind.program, kind.python, kind.json, kind.cell, kind.arrow)
        yield f"| {kind.title.lower()}: `{kind.type}` | {' | '.join(cells)} |\n"
    yield f"{TAIL}{RECORDS}```\n"
    for kind in KINDS:
        type_ = _type(kind.type)
        yield f"\n## {kind.title}\n\n| Python | program | JSON | cell |\n|---|---|---|---|\n"
        for value in kind.samples:
            json_text = json.dumps(json_value(value, type_), ensure_ascii=True)
            literal, cell = write_value(value, type_, zoned=kind.zoned), show_text(value, type_)
            yield f"| {' | '.join(map(_code, (repr(value), literal, json_text, cell)))} |\n"
        if kind.also:
            yield "\n| also accepted in a column of this type | as |\n|---|---|\n"
            yield from (f"| {_code(text)} | {_code(repr(value))} |\n" for text, value in kind.also)


def _code(text: str) -> str:
    """Text as code inside a table; invisible characters are escaped."""
    visible = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text).replace("|", "\\|")
    return f"`` {visible} ``" if "`" in visible or visible != visible.strip() else f"`{visible}`" if visible else ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
