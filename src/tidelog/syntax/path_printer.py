"""From path expressions to text.

Law: reading the text in predicate position gives an equal path; brackets stand only where the precedence needs them.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.program import Alternative, Conjunction, Inverse, Label, Path, Repeat, Sequence
from tidelog.syntax.values import write_string

_ALTERNATIVE, _CONJUNCTION, _SEQUENCE, _INVERSE, _POSTFIX = range(5)
_SHORT = {(1, None): "+", (0, None): "*", (0, 1): "?"}


def print_path(path: Path) -> str:
    """A path as it stands before its two arguments.

    >>> print_path(Repeat(Sequence((Label("a"), Inverse(Label("b")))), 1, None))
    '(a/^b)+'
    >>> print_path(Label("a"))
    '(a)'
    """
    text, level = _text(path)
    plain = isinstance(path, Label) and path.value is None  # without brackets it would be an atom
    return f"({text})" if plain or level < _INVERSE else text


def _text(path: Path) -> tuple[str, int]:
    """The text of a path and how tightly its outermost operator binds."""
    match path:
        case Label(relation=relation, value=value):
            return relation + _bracketed(value), _POSTFIX
        case Repeat(path=inner, least=least, most=most):
            return _within(inner, _POSTFIX) + _times(least, most), _POSTFIX
        case Inverse(path=inner):
            return "^" + _within(inner, _INVERSE), _INVERSE
        case Sequence(parts=parts):
            return "/".join(_parts(parts, _INVERSE)), _SEQUENCE
        case Conjunction(parts=parts):
            return " & ".join(_parts(parts, _SEQUENCE)), _CONJUNCTION
        case Alternative(parts=parts):
            return "|".join(_parts(parts, _CONJUNCTION)), _ALTERNATIVE


def _parts(parts: Iterable[Path], level: int) -> list[str]:
    return [_within(part, level) for part in parts]


def _within(path: Path, level: int) -> str:
    text, own = _text(path)
    return text if own >= level else f"({text})"


def _bracketed(value: str | int | None) -> str:
    if value is None:
        return ""
    return f"[{write_string(value)}]" if isinstance(value, str) else f"[{value}]"


def _times(least: int, most: int | None) -> str:
    short = _SHORT.get((least, most))
    if short is not None:
        return short
    if most is None:
        return f"{{{least},}}"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"
