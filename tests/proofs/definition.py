"""Certified, by the letter of the definition: all ways to pick body facts, no index, no search.

For small states only. It judges what the theorems do not reach: that the driver and the exporter hand over what the
state says.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from itertools import product

from tidelog.program import Atom, Comparison, Const, Literal, Negation, Rule, Term, Var
from tidelog.program.values.state import EngineState

Ground = tuple[str, tuple[object, ...]]
HOLDS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def certified(state: EngineState) -> bool:
    """Whether the state, of a program of numbers without wildcards in heads, is closed and founded."""
    facts = {(name, row): fact for name, rows in state.facts.items() for row, fact in rows.items()}
    place = {name: number for number, names in enumerate(state.strata, 1) for name in names}
    founded = {ground for ground, fact in facts.items() if fact.base}
    for head, body in (found for rule in state.rules for found in _instances(rule, list(facts))):
        if head not in facts:
            return False
        same = [fact for fact in body if place.get(fact[0]) == place.get(head[0])]
        if all(facts[fact].rank < facts[head].rank for fact in same):
            founded.add(head)
    return founded == set(facts)


def _instances(rule: Rule, facts: list[Ground]) -> Iterator[tuple[Ground, tuple[Ground, ...]]]:
    """The ground heads of a rule with the body facts that give them."""
    atoms = [literal for literal in rule.body if isinstance(literal, Atom)]
    others = [literal for literal in rule.body if not isinstance(literal, Atom)]
    for body in product(*([fact for fact in facts if fact[0] == atom.predicate] for atom in atoms)):
        binding: dict[str, object] = {}
        if all(_fits(atom, row, binding) for atom, (_, row) in zip(atoms, body, strict=True)) and all(
            _holds(literal, facts, binding) for literal in others
        ):
            yield _ground(rule.head, binding), body


def _holds(literal: Literal, facts: list[Ground], binding: Mapping[str, object]) -> bool:
    if isinstance(literal, Negation):
        return _ground(literal.atom, binding) not in facts
    assert isinstance(literal, Comparison)
    return bool(HOLDS[literal.op](_value(literal.left, binding), _value(literal.right, binding)))


def _fits(atom: Atom, row: tuple[object, ...], binding: dict[str, object]) -> bool:
    for arg, value in zip(atom.args, row, strict=True):
        if isinstance(arg, Const) and arg.value != value:
            return False
        if isinstance(arg, Var) and binding.setdefault(arg.name, value) != value:
            return False
    return True


def _ground(atom: Atom, binding: Mapping[str, object]) -> Ground:
    return atom.predicate, tuple(_value(arg, binding) for arg in atom.args)


def _value(term: Term, binding: Mapping[str, object]) -> object:
    assert isinstance(term, Const | Var)
    return term.value if isinstance(term, Const) else binding[term.name]
