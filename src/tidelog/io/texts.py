"""Values as the text of a cell in a file, and back.

Law: reading what was written gives the same value. A symbol is written exactly as it is; inside a list it is quoted
where it could be mistaken for another value. Symbols are never trimmed, and nothing is guessed.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tidelog.errors import TidelogError
from tidelog.io import io_failures as failures
from tidelog.io.structure_texts import read_structure, show_symbol
from tidelog.program import PROLOG
from tidelog.program.functions.text import show_float, to_float, to_integer
from tidelog.program.values.shape import Shape, show_structure
from tidelog.program.values.variant import Variant
from tidelog.syntax.value_printer import write_fact

WHOLE = re.compile(r"[+-]?[0-9]+")
DECIMAL = re.compile(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]+)?")
_BARE = re.compile(r'[^\s,\[\]"][^,\[\]"]*(?<!\s)')
_PIECE = re.compile(r'\s*(?:(\[)|(\])|(,)|"((?:[^"\\]|\\.)*)"|([^\s,\[\]"][^,\[\]"]*))\s*')
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
BOOLEANS = {"1": True, "0": False, "true": True, "false": False}


def read_text(text: str, type_: str) -> Any:
    """The value of a cell in a column of this type; a DataError states what was expected.

    >>> read_text("-7", "number"), read_text("[a, [1, 2.5]]", "list"), read_text(" a", "symbol")
    (-7, ('a', (1, 2.5)), ' a')
    """
    try:
        if isinstance(type_, Shape):
            return read_structure(text, type_, read_text)
        return _READERS[type_](text)
    except (TidelogError, ValueError):
        abbreviated = text if len(text) <= 60 else text[:57] + "..."
        expected = f"a value of type {type_}" if isinstance(type_, Shape) else _EXPECTED[type_]
        raise failures.NOT_READ.error(shown=abbreviated, expected=expected) from None


def show_text(value: Any, type_: str | None) -> str:
    """The text of a value in a cell.

    >>> show_text(("a", 1, ("2",)), "list"), show_text(2.0, "float")
    ('[a, 1, ["2"]]', '2.0')
    """
    if isinstance(value, bool):
        return "1" if value else "0"
    if value is None or isinstance(value, tuple | list | Variant):
        return show_structure(value, type_, _show_inside)
    if isinstance(value, float):
        return show_float(value)
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _show_inside(value: Any, type_: str | None) -> str:
    """A part of a structure or list; if its type is known, a symbol needs quotes less often."""
    return show_symbol(value) if type_ == "symbol" else _show_part(value)


def souffle_float(value: float) -> str:
    """A float as Soufflé writes it with 64-bit floats: at most 17 digits.

    >>> souffle_float(1.0), souffle_float(0.1), souffle_float(-2.5e30), souffle_float(float("inf"))
    ('1', '0.10000000000000001', '-2.4999999999999999e+30', 'inf')
    """
    return f"{value:.17g}"


def show_fact(relation: str, row: Iterable[Any], types: Sequence[str | None] | None = None) -> str:
    """A fact in program syntax; words need no quotes, as in every ground place.

    >>> show_fact("edge", ("a", 1, "two words", True))
    'edge(a, 1, "two words", true)'
    """
    return write_fact(relation, row, types, PROLOG)


def _show_part(value: Any) -> str:
    if not isinstance(value, str):
        return show_text(value, None)
    if _BARE.fullmatch(value) and not DECIMAL.fullmatch(value) and value not in ("inf", "-inf", "nan"):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return '"' + escaped.replace("\r", "\\r") + '"'


def read_list(text: str) -> tuple[Any, ...]:
    """A list of numbers, floats, symbols and lists.

    >>> read_list('[]'), read_list('["a, b", -1]')
    ((), ('a, b', -1))
    """
    stack: list[list[Any]] = [[]]
    at, want_value, closed = 0, True, False
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None or closed:
            raise ValueError(text)
        opening, closing, comma, quoted, bare = piece.groups()
        if opening and want_value:
            stack.append([])
        elif closing and len(stack) > 1 and (not want_value or not stack[-1]):
            items = tuple(stack.pop())
            stack[-1].append(items)
            want_value, closed = False, len(stack) == 1
        elif comma and not want_value:
            want_value = True
        elif (quoted is not None or bare) and want_value and len(stack) > 1:
            stack[-1].append(_unescape(quoted) if quoted is not None else _part(bare.rstrip()))
            want_value = False
        else:
            raise ValueError(text)
        at = piece.end()
    if not closed:
        raise ValueError(text)
    result: tuple[Any, ...] = stack[0][0]
    return result


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), text, flags=re.DOTALL)


def _part(text: str) -> int | float | str:
    if WHOLE.fullmatch(text):
        return to_integer(text, "unsigned" if len(text) >= 19 and int(text) >= 1 << 63 else "number")
    return to_float(text) if DECIMAL.fullmatch(text) or text in ("inf", "-inf", "nan") else text


def natural_text_type(kinds: set[str]) -> str:
    """The type of a column whose cells look like these kinds.

    >>> natural_text_type({"number"}), natural_text_type({"number", "float"}), natural_text_type({"number", "symbol"})
    ('number', 'float', 'symbol')
    """
    if "symbol" in kinds or not kinds:
        return "symbol"
    return "float" if "float" in kinds else "number"


def text_kind(text: str) -> str:
    """The kind of a cell by its text, if no type is known."""
    if WHOLE.fullmatch(text):
        return "number"
    return "float" if DECIMAL.fullmatch(text) else "symbol"


_READERS: dict[str, Callable[[str], Any]] = {
    "number": lambda text: to_integer(text.strip(), "number"),
    "unsigned": lambda text: to_integer(text.strip(), "unsigned"),
    "float": lambda text: to_float(text.strip()),
    "symbol": lambda text: text,
    "list": lambda text: read_list(text.strip()),
    "boolean": lambda text: BOOLEANS[text.strip().lower()] if text.strip().lower() in BOOLEANS else _refuse(),
    "date": lambda text: datetime.date.fromisoformat(text.strip()),
    "timestamp": lambda text: datetime.datetime.fromisoformat(text.strip()),
}
_EXPECTED = {
    "number": "a number (a whole number from -2^63 to 2^63 - 1)",
    "unsigned": "an unsigned number (a whole number from 0 to 2^64 - 1)",
    "float": "a float",
    "symbol": "a symbol",
    "list": "a list such as [1, a, [b]]",
    "boolean": "a boolean (1, 0, true or false)",
    "date": "a date such as 2024-02-29",
    "timestamp": "a timestamp such as 2024-02-29T12:00:00",
}


def _refuse() -> Any:
    raise ValueError
