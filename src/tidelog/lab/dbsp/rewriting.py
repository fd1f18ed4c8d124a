"""Datalog evaluation as rewriting: substitutions built atom by atom (DYRE paper, section 3).

Law: the rewrites of a body are the product of its atoms with the facts, started from the empty rewrite; the immediate
consequence of a program applies each rule's rewrites to its head; the least fixed point of that is the meaning of the
program. Rewrites with ⊕ and the empty rewrite form a monoid.
This is the slow, plain form that Figure 1 lifts to streams; nothing here is incremental.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeAlias

from tidelog.lab.dbsp.clause import Atom, Clause, Variable
from tidelog.lab.dbsp.zset import ZSet

Substitution: TypeAlias = Mapping[Variable, Hashable]

EMPTY: Substitution = {}


def combine(left: Substitution, right: Substitution) -> Substitution:
    """``⊕``: all substitutions of both; where both know a variable the left one counts.

    ``combine(EMPTY, a) == a == combine(a, EMPTY)``, and ⊕ is associative.

    >>> x, y = Variable("x"), Variable("y")
    >>> combine({x: "a"}, {x: "b", y: "c"}) == {x: "a", y: "c"}
    True
    """
    return {**right, **left}


def apply(rewrite: Substitution, atom: Atom) -> Atom:
    """The atom with the variables that the rewrite knows replaced.

    >>> x, y, z = (Variable(name) for name in "xyz")
    >>> apply({x: "a", y: "b", z: "c"}, ("P", (x, y)))
    ('P', ('a', 'b'))
    """
    predicate, terms = atom
    return predicate, tuple(rewrite.get(t, t) if isinstance(t, Variable) else t for t in terms)


def unify(atom: Atom, fact: Atom) -> Substitution | None:
    """The rewrite of the atom's variables that makes it the fact, or None.

    >>> x = Variable("x")
    >>> unify(("P", (x, x)), ("P", (1, 2))) is None, unify(("P", (x, "b")), ("P", ("a", "b"))) == {x: "a"}
    (True, True)
    """
    if atom[0] != fact[0] or len(atom[1]) != len(fact[1]):
        return None
    rewrite: dict[Variable, Hashable] = {}
    for term, constant in zip(atom[1], fact[1], strict=True):
        if (rewrite.setdefault(term, constant) if isinstance(term, Variable) else term) != constant:
            return None
    return rewrite


def product(rewrites: Iterable[Substitution], atom: Atom, facts: Iterable[Atom]) -> list[Substitution]:
    """``⊗``: each rewrite extended by each fact that the rewritten atom unifies with (Definition 3.2).

    >>> x, y = Variable("x"), Variable("y")
    >>> facts = [("P", ("a", "b")), ("P", ("b", "c")), ("P", ("c", "d"))]
    >>> product([{x: "a"}, {x: "b"}], ("P", (x, y)), facts) == [{x: "a", y: "b"}, {x: "b", y: "c"}]
    True
    """
    known = list(facts)
    tried = ((rewrite, unify(apply(rewrite, atom), fact)) for rewrite in rewrites for fact in known)
    return [combine(rewrite, found) for rewrite, found in tried if found is not None]


def consequences(rules: ZSet[Clause], facts: ZSet[Atom]) -> ZSet[Atom]:
    """``𝒯``: what the rules derive from the facts in one step, weighted by the number of ways.

    Rules and facts are read as sets: those of positive weight are present. Not bilinear: a body of two atoms is
    quadratic in the facts.

    >>> x, y = Variable("x"), Variable("y")
    >>> consequences(ZSet.of(Clause(("R", (y, x)), (("P", (x, y)),))), ZSet.of(("P", (1, 2))))
    ZSet({('R', (2, 1)): 1})
    """
    present = [fact for fact, weight in facts.items() if weight > 0]
    return ZSet.of(*(a for rule, weight in rules.items() if weight > 0 for a in _rule_consequences(rule, present)))


def _rule_consequences(rule: Clause, facts: list[Atom]) -> list[Atom]:
    rewrites: list[Substitution] = [EMPTY]
    for atom in rule.body:
        rewrites = product(rewrites, atom, facts)
    return [apply(rewrite, rule.head) for rewrite in rewrites]


def least_model(rules: ZSet[Clause], facts: ZSet[Atom]) -> ZSet[Atom]:
    """The least fixed point above the facts, computed from nothing: the judge of the circuits in small cases.

    >>> x, y = Variable("x"), Variable("y")
    >>> sorted(least_model(ZSet.of(Clause(("R", (y, x)), (("R", (x, y)),))), ZSet.of(("R", (1, 2)))))
    [('R', (1, 2)), ('R', (2, 1))]
    """
    model = {fact for fact, weight in facts.items() if weight > 0}
    while True:
        grown = model.union(consequences(rules, ZSet.of(*model)))
        if grown == model:
            return ZSet.of(*model)
        model = grown
