"""The strata that are carried from one change of rules to the next."""

from __future__ import annotations

import random

import pytest

from tidelog.plan.layers import Layers
from tidelog.plan.strata import core_edges
from tidelog.program import Atom, Negation, Rule
from tidelog.program.graph.dependency import POSITIVE
from tidelog.program.graph.strata import strata_of_edges

NAMES = [f"r{i}" for i in range(12)]


def rule(head: str, *body: str) -> Rule:
    """A rule without columns; a name that begins with `!` is negated."""
    atoms = [Negation(Atom(name[1:], ())) if name.startswith("!") else Atom(name, ()) for name in body]
    return Rule(Atom(head, ()), tuple(atoms))


def is_stratified(rules: list[Rule]) -> bool:
    """Whether no negation lies inside a stratum of the rules themselves."""
    edges = core_edges(rules)
    home = {name: i for i, s in enumerate(strata_of_edges(rules, edges)) for name in s.relations}
    return not any(e.kind != POSITIVE and home.get(e.source, -1) == home[e.target] for e in edges)


def check(layers: Layers, rules: list[Rule]) -> None:
    """The law: what a stratum reads is in it or below it, and what it negates is below it."""
    place = {name: i for i, group in enumerate(layers.groups) for name in group}
    assert layers.place == place
    assert {rule.head.predicate for rule in rules} <= place.keys()
    for edge in core_edges(rules):
        if edge.source in place:
            assert place[edge.source] <= place[edge.target]
            assert edge.kind == POSITIVE or place[edge.source] < place[edge.target]
    recounted = Layers.of(rules, layers.groups)
    assert {name: set(map(id, own)) for name, own in layers.makers.items()} == {
        name: set(map(id, own)) for name, own in recounted.makers.items()
    }
    assert layers.readers == recounted.readers


@pytest.mark.parametrize("seed", range(60))
def test_changes_keep_the_law(seed: int) -> None:
    chosen = random.Random(seed)
    layers, rules = Layers(), []
    for _ in range(40):
        if rules and chosen.random() < 0.35:
            gone = chosen.sample(rules, chosen.randint(1, min(3, len(rules))))
            rules = [each for each in rules if not any(each is other for other in gone)]
            layers = layers.without(gone)
        else:
            more = [_drawn(chosen) for _ in range(chosen.randint(1, 3))]
            if not is_stratified([*rules, *more]):
                continue
            before = layers
            layers, change = layers.with_rules(more)
            rules += more
            if change is None:
                assert layers.groups == before.groups
        check(layers, rules)


def _drawn(chosen: random.Random) -> Rule:
    body = chosen.sample(NAMES, chosen.randint(1, 2))
    return rule(chosen.choice(NAMES), *(f"!{name}" if chosen.random() < 0.2 else name for name in body))


def test_strata_that_a_cycle_joins_become_one() -> None:
    layers = Layers().with_rules([rule("a", "e"), rule("b", "a"), rule("c", "b"), rule("d", "c")])[0]
    joined, change = layers.with_rules([rule("a", "c")])
    assert change is not None
    assert (change.groups, change.first, change.last) == ((frozenset("abc"),), 0, 3)
    assert joined.groups == (frozenset("abc"), frozenset("d"))


def test_a_negation_splits_a_stratum_that_is_joined_no_more() -> None:
    closing = rule("a", "b")
    layers = Layers().with_rules([rule("b", "a"), closing])[0]
    assert layers.groups == (frozenset("ab"),)
    split, change = layers.without([closing]).with_rules([rule("b", "!a"), rule("a", "e")])
    assert change is not None
    assert split.groups == (frozenset("a"), frozenset("b"))


def test_a_rule_elsewhere_changes_no_strata() -> None:
    layers = Layers().with_rules([rule("a", "e"), rule("b", "a")])[0]
    assert layers.with_rules([rule("b", "e")])[1] is None


def test_a_relation_without_rules_leaves_the_strata() -> None:
    only = rule("b", "a")
    layers = Layers().with_rules([rule("a", "e"), only])[0].without([only])
    assert layers.unmade == {"b"}
    after, change = layers.with_rules([rule("c", "a")])
    assert change is not None
    assert change.dropped == {"b"}
    assert after.groups == (frozenset("a"), frozenset("c"))
