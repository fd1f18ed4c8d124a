"""Certified, by the letter of the definition: all ways to pick body facts, no index, no search.

For small states only. It judges what the theorems do not reach: that the driver and the exporter hand over what the
state says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from tidelog.program import Atom, Const, Rule, Var
from tidelog.program.values.state import EngineState

Ground = tuple[str, tuple[object, ...]]


def certified(state: EngineState) -> bool:
    """Whether the state, of a program without wildcards in heads, is closed and founded (its rules are safe)."""
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
    candidates = [[fact for fact in facts if fact[0] == atom.predicate] for atom in rule.body if isinstance(atom, Atom)]
    for body in product(*candidates):
        binding: dict[str, object] = {}
        if all(_fits(atom, row, binding) for atom, (_, row) in zip(rule.body, body, strict=True)):
            yield _ground(rule.head, binding), body


def _fits(atom: object, row: tuple[object, ...], binding: dict[str, object]) -> bool:
    assert isinstance(atom, Atom)
    for arg, value in zip(atom.args, row, strict=True):
        if isinstance(arg, Const) and arg.value != value:
            return False
        if isinstance(arg, Var) and binding.setdefault(arg.name, value) != value:
            return False
    return True


def _ground(atom: Atom, binding: Mapping[str, object]) -> Ground:
    return atom.predicate, tuple(arg.value if isinstance(arg, Const) else binding[arg.name] for arg in atom.args)
