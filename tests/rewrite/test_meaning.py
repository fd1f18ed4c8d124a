"""Rewriting does not change what a program means: the naive evaluator gives the same relations before and after.

Every case of the ``.dl`` files beside this one is evaluated over random facts, and so are random programs. This
notices a pass that loses or invents facts of the program's own relations; it cannot notice one that makes rules slower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Atom, Negation, Program, Rule, Var
from tidelog.program.elaborate.mark_witnesses import with_witnesses
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.types.assign import infer_types
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.rewrite import (
    is_aggregate_rule,
    is_core,
    is_localised,
    label_rules,
    localise,
    to_core,
    to_core_rule,
    to_local,
)
from tidelog.rewrite.core import is_simple
from tidelog.rewrite.pipeline import PASSES
from tidelog.syntax import parse_program
from tidelog.testing import evaluate, random_program

from .cases import cases

Facts = dict[str, set[tuple[int, ...]]]
MEANT = [
    pytest.param(before, id=f"{name}: {title}")
    for name, title, before, after in cases()
    if "error TL6" not in after and name != "to_delta_rules"
]


def relations(rules: Iterable[Rule]) -> dict[str, int]:
    """The relations that rules speak of, with their number of columns."""
    found = [atom for rule in rules for atom in (rule.head, *atoms(rule_literals(rule)))]
    return {atom.predicate: len(atom.args) for atom in found}


def random_facts(rng: Random, rules: Sequence[Rule]) -> Facts:
    """A few facts for each relation without rules."""
    derived = {rule.head.predicate for rule in rules}
    base = {name: arity for name, arity in relations(rules).items() if name not in derived}
    return {
        name: {tuple(rng.randint(0, 3) for _ in range(arity)) for _ in range(rng.randint(0, 4 * arity + 1))}
        for name, arity in sorted(base.items())
    }


def typed(program: Program) -> Program:
    """The program with its integer literals typed, as the engine does it: the zero of a float sum is 0.0."""
    facts = {fact.atom.predicate: len(fact.atom.args) for fact in program.facts}
    declared = {declaration.relation: len(declaration.columns) for declaration in program.declarations}
    arity = {**facts, **declared, **relations(program.rules)}
    return infer_types(program, arity, TypeNames(program.types), FUNCTIONS, {}).program


def assert_same_meaning(program: Program, rewritten: Sequence[Rule], facts: Facts) -> None:
    before = evaluate(program, facts)
    after = evaluate(typed(replace(program, rules=tuple(rewritten))), facts)
    assert {name: after.get(name, frozenset()) for name in before} == before


@pytest.mark.parametrize("text", MEANT)
def test_core_rules_mean_what_the_rules_of_a_case_mean(text: str) -> None:
    program = parse_program(text)
    core = to_core(program.rules)
    assert all(map(is_core, core))
    for seed in range(5):
        assert_same_meaning(program, core, random_facts(Random(seed), program.rules))


@pytest.mark.parametrize("text", MEANT)
def test_local_rules_mean_what_the_rules_of_a_case_mean(text: str) -> None:
    program = parse_program(text)
    try:
        local = to_local(program.rules)
    except ProgramError:
        return
    assert all(is_core(rule) and is_localised(rule) for rule in local)
    for seed in range(5):
        assert_same_meaning(program, local, random_facts(Random(seed), program.rules))


@pytest.mark.parametrize("seed", range(100))
def test_core_rules_mean_what_random_programs_mean(seed: int) -> None:
    program = with_witnesses(random_program(Random(seed)))
    core = to_core(program.rules)
    assert all(map(is_core, core))
    assert all(rule.root in program.rules for rule in core)
    assert_same_meaning(program, core, {})


@pytest.mark.parametrize("seed", range(30))
def test_plain_core_rules_are_left_as_they_are(seed: int) -> None:
    plain = [
        rule for rule in to_core(with_witnesses(random_program(Random(seed))).rules) if not is_aggregate_rule(rule)
    ]
    assert all(rewrite(rule) == (rule,) for rule in plain for rewrite in PASSES)


@pytest.mark.parametrize("seed", range(30))
def test_core_rules_depend_on_nothing_but_the_rule(seed: int) -> None:
    rules = with_witnesses(random_program(Random(seed))).rules
    apart = {made.label: made for rule in reversed(rules) for made in to_core_rule(rule)}
    assert apart == {made.label: made for made in to_core(rules)}


def located_rule(rng: Random, head: str) -> Rule:
    """A rule over located atoms that share few variables; some are negated once their variables are bound."""
    names = rng.sample("ABCDE", k=rng.randint(2, 4))
    body: list[Atom | Negation] = []
    for _ in range(rng.randint(2, 4)):
        columns = tuple(Var(rng.choice(names)) for _ in range(rng.randint(1, 3)))
        body.append(Atom(f"{rng.choice('efg')}{len(columns)}", columns, 0))
    bound = sorted({arg.name for atom in body for arg in atom.args if isinstance(atom, Atom) and isinstance(arg, Var)})
    if rng.random() < 0.4:
        columns = tuple(Var(rng.choice(bound)) for _ in range(rng.randint(1, 2)))
        body.append(Negation(Atom(f"n{len(columns)}", columns, 0)))
    return Rule(Atom(head, (Var(rng.choice(bound)), Var(rng.choice(bound))), 0), tuple(body))


@pytest.mark.parametrize("seed", range(150))
def test_local_rules_mean_what_random_located_rules_mean(seed: int) -> None:
    rng = Random(seed)
    program = Program(label_rules([located_rule(rng, "p"), located_rule(rng, "p")]))
    try:
        local = to_local(program.rules)
    except ProgramError:
        return
    assert all(map(is_localised, local))
    assert_same_meaning(program, local, random_facts(rng, program.rules))


def is_connected(rule: Rule) -> bool:
    """Whether positive atoms that name other locations connect all locations of the body."""
    places = {atom.args[0] for atom in atoms(rule.body)}
    linked = [places & set(literal.args) for literal in rule.body if isinstance(literal, Atom)]
    reached = {rule.head.args[0]} & places or set(list(places)[:1])
    while grown := {place for group in linked if group & reached for place in group} - reached:
        reached |= grown
    return reached == places


@pytest.mark.parametrize("seed", range(0, 300, 10))
def test_exactly_the_connected_located_rules_are_localised(seed: int) -> None:
    for rule in label_rules([located_rule(Random(seed + i), "p") for i in range(10)]):
        if is_connected(rule):
            assert all(map(is_localised, localise(rule)))
        else:
            with pytest.raises(ProgramError, match="TL651"):
                localise(rule)


def test_directed_link_is_not_taken_as_symmetric() -> None:
    program = parse_program("reach(@S, D) :- link(@S, D). reach(@S, D) :- link(@S, Z), reach(@Z, D).")
    local = evaluate(replace(program, rules=to_local(program.rules)), {"link": {(1, 2), (2, 3)}})
    assert local["reach"] == {(1, 2), (2, 3), (1, 3)}


@pytest.mark.parametrize("seed", range(100))
def test_passes_leave_simple_rules_as_they_are(seed: int) -> None:
    for rule in label_rules(random_program(Random(seed)).rules):
        if is_simple(rule):
            assert all(rewrite(rule) == (rule,) for rewrite in PASSES)
            assert to_core_rule(rule) == (rule,)
