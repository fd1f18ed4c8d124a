"""Patterns: records and variants in bodies, where they take a value apart instead of building one.

Law: a term that builds a structure is a pattern where the value it denotes already exists: as an argument of a
positive atom, and on one side of ``=`` if the other side has a value. A pattern binds the variables that are parts of
it, at any depth; other terms inside it are computed and compared. Without such a value it is computed like any term.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import rule_literals, rule_names
from tidelog.program.values.structure import MAKE, NIL, structure_made, structure_of
from tidelog.program.values.term import Call, Comparison, Const, Term, Var, Wildcard, subterms


def pattern_parts(term: Term) -> Iterator[Term]:
    """The leaves of a pattern: all terms inside it that are not themselves patterns.

    >>> from tidelog.program.values.term import Const
    >>> pair = Call("[ P number P", (Var("X"), Call("[ P number P", (Wildcard(), Const(None, "record")))))
    >>> [type(part).__name__ for part in pattern_parts(pair)]
    ['Var', 'Wildcard', 'Const']
    """
    if structure_made(term) is None:
        yield term
    else:
        assert isinstance(term, Call)
        for arg in term.args:
            yield from pattern_parts(arg)


def pattern_names(term: Term) -> set[str]:
    """The variables that a term binds where it is matched with a value; none if it is not a pattern."""
    if not isinstance(term, Call) or structure_made(term) is None:
        return set()
    return {part.name for part in pattern_parts(term) if isinstance(part, Var)}


def is_open(term: Term) -> bool:
    """Whether the term holds a ``_``, so that it can be matched but not computed."""
    return any(isinstance(part, Wildcard) for part in subterms(term))


def matched_pairs(left: Term, right: Term) -> Iterator[tuple[Term, Term]]:
    """The equation of two patterns as equations of their parts; none if they have different constructors."""
    if structure_made(left) is not None and structure_made(left) == structure_made(right):
        assert isinstance(left, Call)
        assert isinstance(right, Call)
        for one, other in zip(left.args, right.args, strict=True):
            yield from matched_pairs(one, other)
    else:
        yield left, right


def bound_by_match(left: Term, right: Term, bound: Set[str], variables: Set[str]) -> set[str]:
    """The variables of ``left`` that an equation with ``right`` binds, if what ``right`` needs is bound."""
    if isinstance(right, Wildcard) or is_open(right) or not variables <= bound:
        return set()
    return pattern_names(left)


def only_opens(literal: Comparison, rule: Rule) -> bool:
    """Whether a comparison of a core rule only takes apart, or builds, a structure that occurs in the text."""
    sides = (literal.left, literal.right)
    found = [structure_of(part.function) for side in sides for part in subterms(side) if isinstance(part, Call)]
    if any(structure is not None and structure.kind != MAKE for structure in found):
        return True
    if literal.right == NIL and literal.op == "!=":
        return literal not in list(rule_literals(rule.root))
    fresh = {side.name for side in sides if isinstance(side, Var)} - rule_names(rule.root)
    return literal.op == "=" and bool(fresh) and any(map(is_constructed, sides))


def is_constructed(term: Term) -> bool:
    """Whether a term only combines variables and constants into structures."""
    return structure_made(term) is not None and all(isinstance(part, Var | Const) for part in pattern_parts(term))
