"""What a question may look like before anything is done for it.

Law: whatever a question does takes place where it can be ended: in kernels, which look at the clock. What comes before
(reading, planning) is bounded by its size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from tidelog.engine.query import read_query
from tidelog.program import Atom, Comparison
from tidelog.serve import failures

LITERALS = 200  # atoms and comparisons, at any depth
ATOMS = 64


def check_question(text: str, convention: str) -> None:
    """Refuse a question that could not be ended."""
    rule, _ = read_query(text, convention)
    parts = list(_parts(rule.body))
    atoms = sum(isinstance(part, Atom) for part in parts)
    if atoms > ATOMS or sum(isinstance(part, Atom | Comparison) for part in parts) > LITERALS:
        raise failures.TOO_WIDE.error(atoms=ATOMS, literals=LITERALS)


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
