"""Functions on symbols: measuring, cutting, replacing, comparing, and conversion from and to numbers.

Law: a symbol is a text of Unicode code points; lengths and positions count code points, and texts are ordered by them.
A conversion either returns the value the text denotes or is an error (D11); nothing is trimmed or guessed.
"""

from __future__ import annotations

import re

from tidelog.program.functions.arithmetic import in_range
from tidelog.program.functions.patterns import compiled
from tidelog.program.messages import program_failures as failures
from tidelog.program.values.term import Value, canonical_float

_INTEGER = re.compile(r"[+-]?(0x[0-9a-fA-F]+|0b[01]+|[0-9]+)")
_FLOAT = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|inf)|nan")
LONGEST = 1 << 28  # code points of a text that a function returns
MOST_COMPARED = 1 << 32  # pairs of characters of two texts whose distance is computed: a few seconds
WHITE_SPACE = " \t\n\v\f\r"


def concatenate(*texts: str) -> str:
    """The texts joined; a result that is too large is refused before it is created."""
    _check_length("cat", sum(map(len, texts)))
    return "".join(texts)


def _check_length(function: str, length: int) -> None:
    if length > LONGEST:
        raise failures.LONG_TEXT.error(function=function, length=length, most=LONGEST)


def cut(text: str, start: int, length: int) -> str:
    """At most ``length`` code points from position ``start`` (from 0); empty where the text has none.

    >>> cut("tidelog", 4, 9), cut("tidelog", 9, 1), cut("tidelog", -1, 2)
    ('log', '', '')
    """
    return text[start : start + length] if start >= 0 and length > 0 else ""


def contains(part: str, whole: str) -> int:
    """1 if ``part`` occurs in ``whole``, else 0 (in Soufflé's order of arguments)."""
    return int(part in whole)


def starts_with(text: str, prefix: str) -> int:
    """1 if ``text`` begins with ``prefix``, else 0."""
    return int(text.startswith(prefix))


def ends_with(text: str, suffix: str) -> int:
    """1 if ``text`` ends with ``suffix``, else 0."""
    return int(text.endswith(suffix))


def trim(text: str) -> str:
    """The text without white space at its ends: that of ``\\s`` in patterns, which is ASCII.

    >>> trim(" a b\\n")
    'a b'
    """
    return text.strip(WHITE_SPACE)


def replace(text: str, old: str, new: str) -> str:
    """The text with every ``old`` replaced, from left to right; an empty ``old`` occurs nowhere.

    >>> replace("aaa", "aa", "b"), replace("ab", "", "-")
    ('ba', 'ab')
    """
    if not old:
        return text
    _check_length("replace", len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def pad_left(text: str, length: int, fill: str) -> str:
    """The text with ``fill`` repeated before it until it has that length; a longer text stays as it is.

    >>> pad_left("7", 3, "0"), pad_left("7", 4, "ab"), pad_left("1234", 3, "0")
    ('007', 'aba7', '1234')
    """
    return _filling("pad_left", text, length, fill) + text


def pad_right(text: str, length: int, fill: str) -> str:
    """The text with ``fill`` repeated after it until it has that length."""
    return text + _filling("pad_right", text, length, fill)


def _filling(function: str, text: str, length: int, fill: str) -> str:
    if not fill:
        raise failures.FUNCTION_ARGUMENT.error(function=function, problem="the text to fill with is empty")
    _check_length(function, length)
    missing = max(length - len(text), 0)
    return (fill * (missing // len(fill) + 1))[:missing]


def split(text: str, separator: str) -> tuple[str, ...]:
    """The parts of the text between the separators; with an empty separator its characters.

    >>> split("a,,b", ","), split("", ","), split("ab", "")
    (('a', '', 'b'), ('',), ('a', 'b'))
    """
    return tuple(text.split(separator) if separator else text)


def join(parts: tuple[Value, ...], separator: str) -> str:
    """The elements of a list with the separator between them; numbers as `to_string` writes them.

    >>> join(("a", 1, 0.5), "-")
    'a-1-0.5'
    """
    if any(isinstance(part, tuple) for part in parts):
        raise failures.FUNCTION_ARGUMENT.error(function="join", problem="the list contains a list")
    texts = [show_float(part) if isinstance(part, float) else str(part) for part in parts]
    _check_length("join", sum(map(len, texts)) + len(separator) * max(len(texts) - 1, 0))
    return separator.join(texts)


def edit_distance(left: str, right: str) -> int:
    """How many characters must be inserted, deleted or replaced to turn one text into the other (Levenshtein).

    A column of the table of distances is two bit vectors, of the rows where it rises and falls (Myers, 1999).

    >>> edit_distance("kitten", "sitting"), edit_distance("", "ab")
    (3, 2)
    """
    if len(left) * len(right) > MOST_COMPARED:
        problem = f"texts of {len(left):,} and {len(right):,} characters are too long to compare"
        raise failures.FUNCTION_ARGUMENT.error(function="edit_distance", problem=problem)
    if not left:
        return len(right)
    places: dict[str, int] = {}
    for place, character in enumerate(left):
        places[character] = places.get(character, 0) | 1 << place
    every, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    rises, falls, distance = every, 0, len(left)
    for character in right:
        same = places.get(character, 0)
        diagonal = (((same & rises) + rises) ^ rises) | same
        up, down = falls | (every & ~(diagonal | rises)), rises & diagonal
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & every, (down << 1) & every
        rises, falls = down | (every & ~(same | falls | up)), up & (same | falls)
    return distance


def match(pattern: str, text: str) -> int:
    """1 if the regular expression (`patterns`) matches the whole text, else 0."""
    return int(compiled(pattern).fullmatch(text))


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
