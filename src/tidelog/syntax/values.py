"""Numbers and strings: from their spelling to their value and back.

Law: `read_number(write_number(c)) == c` and `read_string(write_string(s)) == s` for every value of the language.
Infinity and NaN are spelt ``1.0Inf`` and ``1.5NaN``, as some Prologs do, since ``inf`` is a symbol or a variable.
"""

from __future__ import annotations

import math
import re

from tidelog.program.values.term import FLOAT, NUMBER, UNSIGNED

INT_MIN, INT_MAX, UNSIGNED_MAX = -(2**63), 2**63 - 1, 2**64 - 1
_LONGEST = 64 + 2  # digits of any 64-bit number in any base that is read, with its prefix

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPES |= {c: c for c in "\"'\\"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])")
# quotes, control characters, and characters that are invisible or affect others: marks of direction, joiners, tags
_UNSAFE = re.compile(
    r'["\\]|[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffd'
    r"\U000e0000-\U000e007f]"
)
_WRITTEN = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def read_number(text: str, negative: bool = False) -> tuple[int | float, str] | None:
    """Value and type of a number as spelt, or None if it fits no type of 64 bits.

    A number above 2^63-1 without the suffix can only be unsigned; the type check handles it.

    >>> read_number("0x10"), read_number("10u"), read_number("1.5e3"), read_number("18446744073709551616")
    ((16, 'number'), (10, 'unsigned'), (1500.0, 'float'), None)
    """
    lowered = text.lower()
    if lowered.count(".") == 3:
        return _read_address(lowered, negative)
    if not lowered.startswith("0x") and ("." in lowered or "e" in lowered):
        return _read_float(lowered, negative)
    unsigned = lowered.endswith("u")
    digits = lowered[:-1] if unsigned else lowered
    digits = digits if digits[:2] in ("0x", "0b") else digits.lstrip("0") or "0"
    if len(digits) > _LONGEST:
        return None
    value = int(digits, 0) if digits[:2] in ("0x", "0b") else int(digits)
    value = -value if negative else value
    if unsigned:
        return (value, UNSIGNED) if 0 <= value <= UNSIGNED_MAX else None
    return (value, NUMBER) if INT_MIN <= value <= UNSIGNED_MAX else None


def _read_address(text: str, negative: bool) -> tuple[int, str] | None:
    """``10.0.0.1`` as a number of 32 bits with a sign, as in Soufflé: from 128.0.0.0 on it is negative."""
    parts = [int(part) for part in text.split(".") if len(part) < 4]
    if len(parts) < 4 or max(parts) > 255:
        return None
    value = int.from_bytes(bytes(parts), "big", signed=True)
    return (-value if negative else value), NUMBER


def _read_float(lowered: str, negative: bool) -> tuple[float, str] | None:
    if lowered.endswith("nan"):
        return math.nan, FLOAT
    if lowered.endswith("inf"):
        return (-math.inf if negative else math.inf), FLOAT
    value = float(lowered)
    return None if math.isinf(value) else (-value if negative else value, FLOAT)


def write_number(value: int | float, type_: str) -> str:
    """The spelling of a number.

    >>> write_number(7, "unsigned"), write_number(-1.5, "float"), write_number(float("-inf"), "float")
    ('7u', '-1.5', '-1.0Inf')
    """
    if type_ == FLOAT:
        if math.isnan(value):
            return "1.5NaN"
        return repr(float(value)) if math.isfinite(value) else ("1.0Inf" if value > 0 else "-1.0Inf")
    return f"{value}u" if type_ == UNSIGNED else str(value)


def read_string(quoted: str) -> str | None:
    """The text between the quotes; None for an escape that names no character.

    A backslash before any other character stands for itself, so that patterns such as ``"\\d+"`` need no doubling.

    >>> read_string(r'"a\\tb\\.c"')
    'a\\tb\\\\.c'
    """
    inner = quoted[1:-1]
    if "\\" not in inner:
        return inner
    try:
        return _ESCAPE.sub(_unescape, inner)
    except ValueError:
        return None


def _unescape(match: re.Match[str]) -> str:
    body = match[1]
    if len(body) > 1:
        return _character(int(body[1:], 16))
    if body in "xuU":
        raise ValueError(match[0])
    return _ESCAPES.get(body, match[0])


def _character(point: int) -> str:
    """A character by its number; surrogates are not characters and have no UTF-8 encoding."""
    if 0xD800 <= point <= 0xDFFF:
        raise ValueError(point)
    return chr(point)


def write_string(value: str) -> str:
    """The value between double quotes.

    >>> print(write_string('a "b"'))
    "a \\"b\\""
    """
    return '"' + _UNSAFE.sub(lambda m: _WRITTEN.get(m[0]) or _by_number(m[0]), value) + '"'


def _by_number(character: str) -> str:
    point = ord(character)
    if point > 0xFFFF:
        return f"\\U{point:08x}"
    return f"\\x{point:02x}" if point < 256 else f"\\u{point:04x}"
