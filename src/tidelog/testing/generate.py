"""Random programs and random sequences of changes: small, safe, well typed, stratified, and terminating.

Law: the result depends only on the random source and the features, so a seed always names the same case (within one
version). After every epoch the program is still stratified, and min and max inside recursion keep to shapes that the
engine accepts; a change that would violate this is dropped before it is returned. A test can request fewer features
than `FEATURES`, and for "structures" besides (records and variants) and "times" (dates, timestamps, booleans); positive
non-recursive rules over numbers are always there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

from tidelog.program import AGGREGATES, PROLOG, SOUFFLE, Atom, Fact, Program, Rule
from tidelog.program.values.term import FLOAT, LIST, NUMBER, PAIRED_AGGREGATES, SYMBOL
from tidelog.testing.generate_recursion import minimised_keys, minimised_relations, minimised_rules
from tidelog.testing.generate_rules import EXTRAS, WHOLE_GROUPS_BY_TYPE, aggregated_rule, random_rule
from tidelog.testing.generate_structures import STRUCTURES, declarations
from tidelog.testing.generate_values import (
    TIMES,
    TYPES_BY_FEATURE,
    Relation,
    constant,
    random_row,
    random_types,
)
from tidelog.testing.strata import is_stratified, strata
from tidelog.testing.values import Row

FEATURES = frozenset(
    {
        *EXTRAS,
        "asked_groups",
        "constants",
        "declarations",
        "derived_facts",
        "duplicate_rules",
        "head_aggregates",
        "head_expressions",
        "labelled_facts",
        "minimised",
        "negated_wildcards",
        "nullary",
        "recursion",
        "rule_changes",
        "self_joins",
        "text_facts",
        "whole_groups",
        "wildcards",
    }
)
AGGREGATION = frozenset({"asked_groups", "body_aggregates", "head_aggregates", "minimised", "whole_groups"})
PLAIN = FEATURES - AGGREGATION


def random_program(rng: Random, features: frozenset[str] = FEATURES) -> Program:
    """A program of a few relations and rules; every rule has a label (g1, g2, ...)."""
    types = [NUMBER, *(type_ for feature, type_ in sorted(TYPES_BY_FEATURE.items()) if feature in features)]
    declared = not features.isdisjoint(("structures", "times")) or ("declarations" in features and rng.random() < 0.7)
    types = [NUMBER, NUMBER, *rng.sample(types, k=min(2, len(types)))] if declared else [NUMBER]
    types += [*STRUCTURES, STRUCTURES[0]] if "structures" in features else []
    types += TIMES if "times" in features else ()
    base = [Relation(f"b{i}", random_types(rng, types)) for i in range(rng.randint(2, 3))]
    derived = [Relation(f"d{i}", random_types(rng, types, most=2)) for i in range(rng.randint(2, 4))]
    if "nullary" in features and rng.random() < 0.15:
        derived.append(Relation(f"d{len(derived)}", ()))
    aggregated = _aggregated_relations(rng, types, declared, features) if "head_aggregates" in features else []
    minimised = minimised_relations(rng) if "minimised" in features and rng.random() < 0.4 else []
    rules = [*minimised_rules(rng, minimised), *_rules(rng, base, derived, aggregated, minimised, features)]
    relations = [*base, *derived, *aggregated, *map(_above, aggregated), *minimised]
    labelled = tuple(replace(rule, label=f"g{i + 1}") for i, rule in enumerate(rules))
    return Program(
        labelled,
        tuple(_text_facts(rng, relations)) if "text_facts" in features else (),
        tuple(relation.declaration() for relation in relations) if declared else (),
        declarations() if "structures" in features else (),
        keys=minimised_keys(minimised),
        convention=SOUFFLE if declared else PROLOG,
    )


def _aggregated_relations(
    rng: Random, types: Sequence[str], declared: bool, features: frozenset[str]
) -> list[Relation]:
    if rng.random() < 0.5:
        return []
    group = random_types(rng, types, most=1)
    result = rng.choice([NUMBER, FLOAT]) if declared else NUMBER
    if "whole_groups" in features and declared and rng.random() < 0.4:
        result = rng.choice([type_ for type_ in (FLOAT, SYMBOL, LIST) if type_ in (FLOAT, *types)])
    return [Relation("a0", (*group, result))]


def _rules(
    rng: Random,
    base: Sequence[Relation],
    derived: Sequence[Relation],
    aggregated: Sequence[Relation],
    minimised: Sequence[Relation],
    features: frozenset[str],
) -> Iterator[Rule]:
    """Rules for relations on levels: each reads its own and lower levels, and negates or aggregates lower ones."""
    levels = {relation: rng.randint(0, 2) for relation in derived}
    ground = [*base, *minimised]
    for relation, level in levels.items():
        lower = ground + [r for r in derived if levels[r] < level]
        same = [r for r in derived if levels[r] == level] if "recursion" in features else []
        for _ in range(rng.randint(1, 3)):
            yield random_rule(rng, relation, lower + same * 2, lower, features)
        if "labelled_facts" in features and rng.random() < 0.1:
            yield Rule(_ground_atom(relation, random_row(rng, relation.types)))
    for relation in aggregated:
        yield aggregated_rule(rng, relation, [*ground, *derived], features, _kind_for(rng, relation, features))
    if aggregated:
        yield random_rule(rng, _above(aggregated[0]), [*aggregated, *base], [*aggregated, *derived], features)


def _above(aggregated: Relation) -> Relation:
    """The relation that reads an aggregated one."""
    return Relation("d9", aggregated.types)


def _kind_for(rng: Random, relation: Relation, features: frozenset[str]) -> str:
    type_ = relation.types[-1]
    kinds = {NUMBER: ("count", "sum", "min", "max"), FLOAT: ("sum", "min", "max", "mean"), SYMBOL: ("max",), LIST: ()}
    if "whole_groups" in features and (type_ not in (NUMBER, FLOAT) or rng.random() < 0.5):
        return rng.choice([*kinds[type_], *WHOLE_GROUPS_BY_TYPE[type_]])
    return rng.choice(kinds[type_])


def _ground_atom(relation: Relation, row: Row) -> Atom:
    return Atom(relation.name, tuple(constant(value, t) for value, t in zip(row, relation.types, strict=True)))


def _text_facts(rng: Random, relations: Iterable[Relation]) -> Iterator[Fact]:
    for relation in relations:
        if relation.kind == "base":
            yield from (Fact(_ground_atom(relation, row)) for row in _some_rows(rng, relation, 8))


def _some_rows(rng: Random, relation: Relation, most: int) -> list[Row]:
    return [random_row(rng, relation.types) for _ in range(rng.randint(0, most))]


def is_acceptable(rules: Iterable[Rule]) -> bool:
    """Whether generated rules can be combined: aggregates and negation cross strata, except inside the fixed shapes.

    A stratum with a relation that min or max builds recursively contains nothing else.
    """
    rules = tuple(rules)
    strict = (*AGGREGATES, *PAIRED_AGGREGATES)
    if not is_stratified((r for r in rules if not r.head.predicate.startswith("m")), strict):
        return False
    return all(
        len({name[0] for name in stratum}) == 1 for stratum in strata(rules) if {"a", "m"} & {n[0] for n in stratum}
    )
