"""A little notation for rules and facts in tests: single lower-case letters are variables, the rest are constants."""

from __future__ import annotations

from tidelog.lab.dbsp import Clause, Variable, ZSet


def pattern(text: str) -> tuple:
    """``P(x, y)``; constants are quoted (``"a"``) or digits."""
    predicate, _, inside = text.strip().rstrip(")").partition("(")
    return predicate.strip(), tuple(_term(part.strip()) for part in inside.split(",") if part.strip())


def _term(text: str):
    if text.isdigit():
        return int(text)
    return text[1:-1] if text.startswith('"') else Variable(text)


def rule(text: str) -> Clause:
    """``R(x,z) <- R(x,y), P(y,z)``."""
    head, _, body = text.partition("<-")
    atoms = [part + ")" for part in body.split(")") if part.strip()]
    return Clause(pattern(head), tuple(pattern(atom.lstrip(" ,")) for atom in atoms))


def rules(*texts: str) -> ZSet[Clause]:
    return ZSet.of(*map(rule, texts))


def facts(*texts: str) -> ZSet:
    return ZSet.of(*map(pattern, texts))


def weighted(**weights: int) -> ZSet:
    """``weighted(Pab=1)`` is ``P("a","b")`` with weight 1: the notation of the paper's examples, shortened."""
    return ZSet({(name[0], tuple(name[1:])): weight for name, weight in weights.items()})
