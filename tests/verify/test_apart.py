"""Strata that partitions check apart get the verdict that they get as a whole."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.verify.corrupt import Subject, corruptions
from tidelog import Engine
from tidelog.engine.core import core_of
from tidelog.program.functions import FUNCTIONS
from tidelog.program.state import EngineState, FactState
from tidelog.runtime.part_check import PartAnswer, agreed
from tidelog.syntax import parse_program
from tidelog.verify.apart import Homes, added_up, check_part, part_of
from tidelog.verify.check import check_stratum
from tidelog.verify.claim import Claim, to_claim

PARTS = 3
RULES = """
p(X, Y) :- f(X, Y).  p(X, Z) :- p(X, Y), e(Y, Z).  p(X, Y) :- q(X, Y), X > 2.  q(X, Y) :- p(X, Y), e(Y, _).
lone(X) :- p(X, Y), !g(X, Y).  n(X, count<*>) :- p(X, _).  best(X, min<Y>) :- p(X, Y).  best(X, min<Y>) :- g(X, Y).
"""
HOMES: Homes = {"p": 0, "q": 0, "f": 0, "g": 0, "e": None, "lone": 0, "n": 0, "best": 0}
Facts = dict[str, dict[Any, FactState]]


def shared(claim: Claim, homes: Homes) -> list[Facts]:
    """The facts of a claim as partitions hold them."""
    found: list[Facts] = [{name: {} for name in homes} for _ in range(PARTS)]
    for name, home in homes.items():
        for row, rank in claim.ranks.get(name, {}).items():
            fact = FactState(rank, 1, 1, row in claim.base.get(name, ()))
            for number in range(PARTS) if home is None else [hash(repr(row[home])) % PARTS]:
                found[number][name][row] = fact
    return found


def engine(seed: int) -> Engine:
    """An engine with a little of everything that is apart."""
    random, db = Random(seed), Engine(RULES)
    with db.epoch() as e:
        for name in ("f", "g", "e"):
            e.insert(name, [(random.randrange(6), random.randrange(6)) for _ in range(8)])
        e.insert("p", [(random.randrange(6), random.randrange(6))])
    return db


def test_damage_is_found_apart_exactly_if_it_is_found_in_the_whole() -> None:
    tally: Counter[bool] = Counter()
    for seed in range(12):
        db = engine(seed)
        start = Subject(db.program, db.state())
        for _, damaged in [("none", start), *corruptions(Random(seed), start, ())]:
            claim = to_claim(damaged.program, None, damaged.state)
            for place in range(len(claim.strata)):
                part = part_of(claim, place, HOMES)
                assert part is not None
                violation, supports = check_stratum(claim, place)
                held = [{name: facts[name] for name in part.homes} for facts in shared(claim, HOMES)]
                found, added = added_up([check_part(part, facts, FUNCTIONS) for facts in held])
                assert (found is None) == (violation is None), (seed, violation, found)
                assert found is not None or added == supports
                tally[found is None] += 1
    assert min(tally[True], tally[False]) > 40


@pytest.mark.parametrize(
    ("rules", "homes", "is_apart"),
    [
        ("p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).", {"p": 0, "e": None}, False),  # the first has no anchor
        ("p(X, Y) :- f(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).", {"p": 0, "f": 0, "e": None}, True),
        ("p(X, Y) :- f(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).", {"p": 0, "f": 1, "e": None}, False),
        ("p(X) :- f(X, Y), !g(X, Y).", {"p": 0, "f": 0, "g": 0}, True),
        ("p(X) :- f(X, Y), !g(X, Y).", {"p": 0, "f": 0, "g": 1}, False),
        ("p(X, count<*>) :- f(X, _).", {"p": 0, "f": 0}, True),
        ("p(count<*>, X) :- f(X, _).", {"p": 0, "f": 0}, False),
        ("p(X + 1) :- f(X, _).", {"p": 0, "f": 0}, False),
        ("p(X) :- f(X, _).", {"p": None, "f": None}, False),
        ("p(X) :- f(X, _).", {"p": 0}, False),  # all of f is on one partition
    ],
)
def test_a_stratum_is_apart_where_every_body_lies_with_its_head(rules: str, homes: Homes, is_apart: bool) -> None:
    types = {"e": ("number",) * 2, "f": ("number",) * 2, "g": ("number",) * 2}
    claim = to_claim(parse_program(rules), None, EngineState({}, (), (), types))
    assert (part_of(claim, len(claim.strata) - 1, homes) is not None) == is_apart


def test_partitions_certify_their_own_facts_and_none_are_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine("reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), next(Y,Z).", partitions=3) as db:
        with db.epoch() as e:
            e.insert("edge", [(i % 17, i) for i in range(200)])
            e.insert("next", [(i, i + 1) for i in range(200)])
        for service in core_of(db).runtime.nodes.services:  # type: ignore[attr-defined]  # those of this process
            monkeypatch.setattr(service, "still_counts", None)
        verdict = db.verify()
    with Engine("reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), next(Y,Z).") as alone:
        with alone.epoch() as e:
            e.insert("edge", [(i % 17, i) for i in range(200)])
            e.insert("next", [(i, i + 1) for i in range(200)])
        wanted = alone.verify()
    told = ("strata", "rules", "relations", "facts", "supports")
    assert [getattr(verdict, name) for name in told] == [getattr(wanted, name) for name in told]


def test_nothing_is_concluded_where_a_fact_is_not_in_its_place_or_copies_differ() -> None:
    fine = PartAnswer(True, {"e": "1"})
    assert agreed([fine, fine])
    assert not agreed([fine, PartAnswer(False, {})])
    assert not agreed([fine, PartAnswer(True, {"e": "2"})])


def test_a_fact_that_is_wrong_on_its_partition_is_named() -> None:
    with Engine("p(X) :- q(X, _).", partitions=2) as db:
        with db.epoch() as e:
            e.insert("q", [(i, i) for i in range(10)])
        for service in core_of(db).runtime.nodes.services:  # type: ignore[attr-defined]  # those of this process
            relations = service.node.partition.relations
            relations.records(relations.numbers["q"])[:, 0] += 1000  # breaks the facts, not their places in the table
        verdict = db.verify()
    assert not verdict
