"""Localised rules mean what core rules mean, on one partition and on several that see only their own facts.

Random programs with recursion, negation, aggregates and min and max in recursion. This notices a rule that reads what
is not there, fires on two partitions at once or on none, and a rule that sends although it is said not to. It does not
notice placements that are correct and dear: see `test_place`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import pytest

from tidelog.program import Program, Rule
from tidelog.program.elaborate.mark_witnesses import with_witnesses
from tidelog.rewrite import is_core, to_core
from tidelog.rewrite.place.place import PlacedRules, place
from tidelog.rewrite.place.placement import MIRRORED, SINGLE, Placement
from tidelog.testing import asserted, evaluate, random_program

from .partitions import Partitions
from .test_meaning import relations, typed

PROGRAMS = 60


def arities(program: Program) -> dict[str, int]:
    facts = {fact.atom.predicate: len(fact.atom.args) for fact in program.facts}
    declared = {declaration.relation: len(declaration.columns) for declaration in program.declarations}
    return {**facts, **declared, **relations(program.rules)}


def core_program(seed: int) -> Program:
    """A random program in its core form, typed as the engine types it."""
    program = with_witnesses(random_program(Random(seed)))
    return typed(replace(program, rules=to_core(program.rules)))


def by_label(rules: Sequence[Rule]) -> dict[str, Rule]:
    return {rule.label or "": rule for rule in rules}


def placed_program(program: Program, known: Mapping[str, Placement]) -> PlacedRules:
    base = {fact.atom.predicate for fact in program.facts}
    return place(by_label(program.rules), arities(program), known, {}, base)


def random_known(rng: Random, program: Program) -> dict[str, Placement]:
    """Placements that no one would choose, for some of the relations."""
    chosen = {}
    for name, arity in sorted(arities(program).items()):
        if rng.random() < 0.5:
            chosen[name] = rng.choice([Placement(MIRRORED), Placement(SINGLE), *map(Placement, range(arity))])
    return chosen


def assert_local(program: Program, placed: PlacedRules, partitions: Sequence[int], counted: bool = False) -> None:
    model, facts = evaluate(program), asserted(program)
    for number in partitions:
        spread = Partitions(placed, number, facts).run()
        found = spread.model()
        assert {name: found[name] for name in model} == model
        assert not [label for label, count in spread.messages.items() if count and not placed.sends[label]]
        if counted:
            spread.check_supports()


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_localised_rules_mean_what_core_rules_mean(seed: int) -> None:
    program = core_program(seed)
    placed = placed_program(program, random_known(Random(seed), program))
    assert all(map(is_core, placed.core.values()))
    assert {rule.label for rule in placed.core.values()} == placed.core.keys() == placed.sends.keys()
    assert {label for labels in placed.local_labels.values() for label in labels} == placed.core.keys()
    model = evaluate(program)
    localised = evaluate(replace(program, rules=tuple(placed.core.values())))
    assert {name: localised[name] for name in model} == model


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_partitions_that_see_only_their_facts_find_the_least_model(seed: int) -> None:
    program = core_program(seed)
    assert_local(program, placed_program(program, {}), (1, 2, 3))


@pytest.mark.parametrize("seed", range(1000, 1000 + PROGRAMS))
def test_any_known_placements_are_kept_and_lead_to_the_least_model(seed: int) -> None:
    program = core_program(seed)
    known = random_known(Random(seed), program)
    placed = placed_program(program, known)
    assert {name: placed.placements[name] for name in known} == known
    assert_local(program, placed, (3,))


@pytest.mark.parametrize("seed", range(2000, 2000 + PROGRAMS // 3))
def test_every_support_is_found_on_exactly_one_partition(seed: int) -> None:
    program = core_program(seed)
    known = random_known(Random(seed), program) if seed % 2 else {}
    assert_local(program, placed_program(program, known), (2,), counted=True)


@pytest.mark.parametrize("seed", range(3000, 3000 + PROGRAMS // 2))
def test_rules_that_come_later_change_no_placement_and_no_rule(seed: int) -> None:
    program, rng = core_program(seed), Random(seed)
    first = tuple(rule for rule in program.rules if rng.random() < 0.5)
    early = placed_program(replace(program, rules=first), {})
    late = placed_program(program, early.placements)
    assert {name: late.placements[name] for name in early.placements} == early.placements
    assert {label: late.core[label] for label in early.core} == early.core
    assert {label: late.local_labels[label] for label in early.local_labels} == early.local_labels
    assert_local(program, late, (2,))
    core = by_label(program.rules)
    again = place(core, arities(program), early.placements, {}, {f.atom.predicate for f in program.facts}, early)
    assert again == late
    kept = {label: core[label] for label in core if label in early.local_labels}
    assert place(kept, arities(program), late.placements, {}, (), again).core == early.core


@pytest.mark.parametrize("seed", range(4000, 4000 + PROGRAMS // 3))
def test_order_of_rules_and_relations_does_not_matter(seed: int) -> None:
    program = core_program(seed)
    back = replace(program, rules=program.rules[::-1])
    placed, turned = placed_program(program, {}), placed_program(back, {})
    assert dict(placed.core) == dict(turned.core)
    assert placed.placements == turned.placements
    assert (placed.sends, placed.everywhere, placed.local_labels) == (
        turned.sends,
        turned.everywhere,
        turned.local_labels,
    )
