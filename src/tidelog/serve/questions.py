"""What a question may look like before anything is done for it.

Law: whatever a question does takes place where it can be ended: in kernels, which look at the clock. What comes before
(reading, planning) is bounded by its size, and what the clock cannot end by its form: a pattern of `match` stands in
the question itself, and cannot take longer than the text squared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from tidelog.engine.query import read_query
from tidelog.program import Atom, Call, Comparison, Const
from tidelog.serve import failures

LITERALS = 200  # atoms and comparisons, at any depth
ATOMS = 64
UNBOUNDED = 2  # repetitions of a pattern
CHOICES = 8  # and its alternatives and parts that may be left out: each may double the time
LONGEST = 1_000  # characters of a text that a question with `match` brings itself
_ESCAPED = re.compile(r"\\.|\[\^?(?:\\.|\[:\w+:\]|[^\]\\])*\]", re.DOTALL)
_CHOICE = re.compile(r"(?<!\()\?|\|")
_MANY = re.compile(r"[*+]|\{\d+,\d*\}|\{\d{2,}\}")


def check_question(text: str, convention: str) -> None:
    """Refuse a question that could not be ended."""
    rule, _ = read_query(text, convention)
    parts = list(_parts(rule.body))
    atoms = sum(isinstance(part, Atom) for part in parts)
    if atoms > ATOMS or sum(isinstance(part, Atom | Comparison) for part in parts) > LITERALS:
        raise failures.TOO_WIDE.error(atoms=ATOMS, literals=LITERALS)
    for part in parts:
        if isinstance(part, Call) and part.function == "match":
            pattern = part.args[0]
            if not isinstance(pattern, Const) or not is_tame(str(pattern.value)) or any(map(_makes_text, parts)):
                raise failures.WILD_PATTERN.error()


def _makes_text(part: object) -> bool:
    """Whether a part of a question brings a text of any length."""
    long = isinstance(part, Const) and isinstance(part.value, str) and len(part.value) > LONGEST
    return long or (isinstance(part, Call) and part.function == "cat")


def is_tame(pattern: str) -> bool:
    """Whether matching takes at most about the square of the text's length.

    >>> [is_tame(each) for each in ("a.*b", "[0-9]+(-[0-9]+)?", "(a+)+b", "(a|a)*b", r"(a)\\\\1", "a*b*c*", "(?=a).")]
    [True, True, False, False, False, False, False]
    """
    bare = _ESCAPED.sub("x", pattern)
    if re.search(r"\\\\[1-9]|\\[1-9]", pattern) or "(?=" in bare or "(?!" in bare:
        return False
    few = len(_MANY.findall(bare)) <= UNBOUNDED and len(_CHOICE.findall(bare)) <= CHOICES
    return few and not re.search(r"\)[*+{]", bare)


def _parts(value: object) -> Iterator[object]:
    """A part of a program with all that is in it; iterative, since texts may be nested deeply."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += part
        elif is_dataclass(part):
            yield part
            waiting += [getattr(part, field.name) for field in fields(part) if field.compare]
