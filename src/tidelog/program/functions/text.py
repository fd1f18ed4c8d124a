"""Functions on symbols: measuring, cutting, matching, and conversion from and to numbers.

Law: a symbol is a text of Unicode code points; lengths and positions count code points, and texts are ordered by them.
A conversion either returns the value the text denotes or is an error (D11); nothing is trimmed or guessed.
"""

from __future__ import annotations

import re

import xxhash

from tidelog.program.functions.arithmetic import in_range, wrap
from tidelog.program.functions.patterns import compiled
from tidelog.program.messages import program_failures as failures
from tidelog.program.values.term import NUMBER, canonical_float

_INTEGER = re.compile(r"[+-]?(0x[0-9a-fA-F]+|0b[01]+|[0-9]+)")
_FLOAT = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|inf)|nan")
_ORD_SEED = 42
LONGEST = 1 << 28  # code points of a text that a function makes


def concatenate(*texts: str) -> str:
    """The texts one after the other; one that no memory holds is refused before it is made."""
    length = sum(map(len, texts))
    if length > LONGEST:
        raise failures.LONG_TEXT.error(length=length, most=LONGEST)
    return "".join(texts)


def cut(text: str, start: int, length: int) -> str:
    """At most ``length`` code points from position ``start`` (from 0); empty where the text has none.

    >>> cut("tidelog", 4, 9), cut("tidelog", 9, 1), cut("tidelog", -1, 2)
    ('log', '', '')
    """
    return text[start : start + length] if start >= 0 and length > 0 else ""


def contains(part: str, whole: str) -> int:
    """1 if ``part`` occurs in ``whole``, else 0 (in Soufflé's order of arguments)."""
    return int(part in whole)


def match(pattern: str, text: str) -> int:
    """1 if the regular expression (`patterns`) matches the whole text, else 0."""
    return int(compiled(pattern).fullmatch(text))


def ordinal(text: str) -> int:
    """A permanent number of the text: its 64-bit xxHash (seed 42, UTF-8), as a signed number.

    Soufflé numbers symbols as they appear; that would depend on the order of changes, so Tidelog does not.
    """
    return wrap(xxhash.xxh64_intdigest(text.encode("utf-8", "surrogatepass"), seed=_ORD_SEED), NUMBER)


def to_integer(text: str, type_: str) -> int:
    """Decimal, ``0x`` or ``0b``, with an optional sign."""
    if not _INTEGER.fullmatch(text):
        raise failures.NOT_CONVERTED.error(text=text, type=type_)
    if len(text) > 80:
        raise failures.TEXT_OVERFLOW.error(shown=text[:20], type=type_)
    digits = text.lstrip("+-")
    value = int(digits, 0) if digits[:2] in ("0x", "0b") else int(digits)
    return in_range(-value if text.startswith("-") else value, type_)


def to_float(text: str) -> float:
    """A decimal number with optional fraction and exponent, or ``inf``, ``-inf``, ``nan``."""
    if not _FLOAT.fullmatch(text):
        raise failures.NOT_CONVERTED.error(text=text, type="float")
    return canonical_float(float(text))


def show_float(value: float) -> str:
    """The shortest text that reads back as the same float."""
    return repr(value)
