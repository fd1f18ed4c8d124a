"""The text of a path expression.

Law: reading the text in predicate position yields an equal path; brackets are written only where precedence needs them.
Two paths have the same text exactly if they are equal, so that relations can be named after paths.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from tidelog.program.values.path import Alternative, Conjunction, Inverse, Label, Path, Repeat, Sequence

ALTERNATIVE, CONJUNCTION, SEQUENCE, INVERSE, POSTFIX = range(5)
_SHORT = {(1, None): "+", (0, None): "*", (0, 1): "?"}
Quote = Callable[[str], str]


def path_text(path: Path, quote: Quote = json.dumps) -> str:
    """The path without outer brackets.

    >>> path_text(Sequence((Repeat(Label("a", "p"), 0, None, "node"), Alternative((Label("b"), Label("c"))))))
    'a["p"]*[node]/(b|c)'
    """
    return text_and_level(path, quote)[0]


def text_and_level(path: Path, quote: Quote) -> tuple[str, int]:
    """The text of a path and how tightly its outermost operator binds."""
    match path:
        case Label(relation=relation, value=value):
            return relation + _bracketed(value, quote), POSTFIX
        case Repeat(path=inner):
            return _within(inner, POSTFIX, quote) + _times(path), POSTFIX
        case Inverse(path=inner):
            return "^" + _within(inner, INVERSE, quote), INVERSE
        case Sequence(parts=parts):
            return "/".join(_parts(parts, INVERSE, quote)), SEQUENCE
        case Conjunction(parts=parts):
            return " & ".join(_parts(parts, SEQUENCE, quote)), CONJUNCTION
        case Alternative(parts=parts):
            return "|".join(_parts(parts, CONJUNCTION, quote)), ALTERNATIVE


def _parts(parts: Iterable[Path], level: int, quote: Quote) -> list[str]:
    return [_within(part, level, quote) for part in parts]


def _within(path: Path, level: int, quote: Quote) -> str:
    text, own = text_and_level(path, quote)
    return text if own >= level else f"({text})"


def _bracketed(value: str | int | None, quote: Quote) -> str:
    if value is None:
        return ""
    return f"[{quote(value)}]" if isinstance(value, str) else f"[{value}]"


def _times(repeat: Repeat) -> str:
    least, most = repeat.least, repeat.most
    domain = "" if repeat.domain is None else f"[{repeat.domain}]"
    short = _SHORT.get((least, most))
    if short is None:
        upper = "" if least == most else "," if most is None else f",{most}"
        short = f"{{{least}{upper}}}"
    return short + domain
