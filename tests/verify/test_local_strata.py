"""Strata that partitions check apart get the verdict that they get as a whole."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.verify.corrupt import Subject, corruptions
from tidelog import Engine, user_function
from tidelog.engine.engine import core_of
from tidelog.engine.read import ask
from tidelog.kernel.cells import Cells
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.values.state import EngineState, FactState
from tidelog.runtime.protocol.part_check import PartAnswer, agree
from tidelog.runtime.protocol.service import Service
from tidelog.syntax import parse_program
from tidelog.verify.check import check_stratum
from tidelog.verify.claim import Claim, to_claim
from tidelog.verify.local_strata import Homes, LocalStratum, added_up, check_part, part_of
from tidelog.verify.report import Violation

PARTS = 3
RULES = """
p(X, Y) :- f(X, Y).  p(X, Z) :- p(X, Y), e(Y, Z).  p(X, Y) :- q(X, Y), X > 2.  q(X, Y) :- p(X, Y), e(Y, _).
p(X, Y) :- e(X, Y).  q(Y, X) :- (e(X, Y), X > 3 ; e(Y, X), !e(X, Y)).  m(Y, count<*>) :- e(X, Y).
lone(X) :- p(X, Y), !g(X, Y).  n(X, count<*>) :- p(X, _).  best(X, min<Y>) :- p(X, Y).  best(X, min<Y>) :- g(X, Y).
"""
HOMES: Homes = {"p": 0, "q": 0, "f": 0, "g": 0, "e": None, "lone": 0, "n": 0, "m": 0, "best": 0}
Facts = dict[str, dict[Any, FactState]]
Check = Callable[[int, LocalStratum], PartAnswer | None]


def shared(claim: Claim, part: LocalStratum) -> list[Facts]:
    """The facts of a claim that partitions hold of a part."""
    found: list[Facts] = [{name: {} for name in part.homes} for _ in range(PARTS)]
    for name, home in part.homes.items():
        source = part.shares.get(name, name)
        for row, rank in claim.ranks.get(source, {}).items():
            fact = FactState(rank, 1, 1, row in claim.base.get(source, ()))
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
    for seed in range(20):
        db = engine(seed)
        start = Subject(db.program, db.state())
        for _, damaged in [("none", start), *corruptions(Random(seed), start, ())]:
            claim = to_claim(damaged.program, None, damaged.state)
            for place in range(len(claim.strata)):
                part = part_of(claim, place, HOMES)
                assert part is not None
                violation, supports = check_stratum(claim, place)
                found, added = added_up([check_part(part, facts, FUNCTIONS) for facts in shared(claim, part)])
                assert (found is None) == (violation is None), (seed, violation, found)
                assert found is not None or added == supports
                tally[found is None] += 1
    assert min(tally[True], tally[False]) > 40


@pytest.mark.parametrize(
    ("rules", "homes", "is_apart"),
    [
        ("p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z).", {"p": 0, "e": None}, True),  # the first reads a share
        ("p(X) :- e(X, _), !e(_, X).", {"p": 0, "e": None}, True),
        ("p(X) :- (e(X, _) ; e(_, X)).", {"p": 0, "e": None}, True),
        ("p(X) :- (e(X, _) ; X = 1).", {"p": 0, "e": None}, False),  # the second is found on every partition
        ("p(X, count<*>) :- e(_, X).", {"p": 0, "e": None}, True),
        ("p(Y) :- e(X, _), Y = X + 1.", {"p": 0, "e": None}, False),
        ("p(X) :- e(X, Y), f(Y, _).", {"p": 0, "e": None, "f": 0}, False),
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


EDGES = [(i % 17, i) for i in range(200)] + [(i, i + 1) for i in range(60)]
NEXT = [(i, i + 1) for i in range(200)]
APART = [
    "reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), edge(Y,Z).",
    "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z). n(X, count<*>) :- reach(_,X).",
    "reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), next(Y,Z).",
]


def filled(rules: str, partitions: int) -> Engine:
    db = Engine(rules, partitions=partitions)
    with db.epoch() as e:
        e.insert("edge", EDGES)
        if "next" in rules:
            e.insert("next", NEXT)
    return db


def services_of(db: Engine) -> list[Service]:
    """Those of this process."""
    found: list[Service] = core_of(db).runtime.nodes.services  # type: ignore[attr-defined]
    return found


def let_nobody_move(db: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """No fact can be read from a partition."""
    for service in services_of(db):
        monkeypatch.setattr(service, "frozen_counts", None)


@pytest.mark.parametrize("rules", APART)
def test_partitions_certify_their_own_facts_and_none_are_moved(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with filled(rules, 3) as db, filled(rules, 1) as alone:
        let_nobody_move(db, monkeypatch)
        verdict, wanted = db.verify(), alone.verify()
    told = ("strata", "rules", "relations", "facts", "supports")
    assert [getattr(verdict, name) for name in told] == [getattr(wanted, name) for name in told]


def test_of_a_relation_that_is_read_as_a_share_it_is_told_what_all_of_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[PartAnswer | None] = []
    with filled(f"{APART[0]} back(Y,X) :- edge(X,Y).", 2) as db:
        for service in services_of(db):

            def check(number: int, part: LocalStratum, check: Check = service.check_part) -> PartAnswer | None:
                answer = check(number, part)
                if "edge" not in part.homes:
                    told.append(answer)
                return answer

            monkeypatch.setattr(service, "check_part", check)
        assert db.verify()
    first, second = told
    assert first is not None
    assert second is not None
    assert first.mirrored == second.mirrored
    assert len(first.mirrored["edge"]) == 64
    assert first.supports + second.supports == len(set(EDGES))


def damage(service: Service, name: str, change: Callable[[Cells], Cells], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one partition hold other records of a relation than it derived."""
    keep = service.keep_frozen

    def kept(number: int, names: Sequence[str]) -> object:
        told, held = keep(number, names), service.frozen[number]._held
        records, base = held[name]
        held[name] = (change(records.copy()), base)
        return told

    monkeypatch.setattr(service, "keep_frozen", kept)


def wrong(column: int) -> Callable[[Cells], Cells]:
    """Another value in a column of the last record."""

    def change(records: Cells) -> Cells:
        records[-1, column] += 1_000_000
        return records

    return change


@pytest.mark.parametrize("partition", range(3))
@pytest.mark.parametrize(
    ("rules", "name", "change", "kind"),
    [
        (APART[0], "reach", wrong(1), "not closed"),
        (APART[0], "reach", lambda records: records[1:], "not closed"),
        (APART[0], "reach", lambda records: np.concatenate([records, wrong(1)(records[:1].copy())]), "unfounded"),
        (APART[1], "n", wrong(1), "not closed"),
        (APART[1], "n", lambda records: np.concatenate([records, wrong(1)(records[:1].copy())]), "unfounded"),
    ],
)
def test_damage_on_one_partition_is_found_there(
    rules: str,
    name: str,
    change: Callable[[Cells], Cells],
    kind: str,
    partition: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with filled(rules, 3) as db:
        let_nobody_move(db, monkeypatch)
        damage(services_of(db)[partition], name, change, monkeypatch)
        verdict = db.verify()
    assert isinstance(verdict, Violation)
    assert verdict.kind == kind
    assert {relation for relation, _ in verdict.body} <= {"edge", "reach"}


def test_nothing_is_concluded_where_a_fact_is_not_in_its_place_or_copies_differ() -> None:
    fine = PartAnswer(True, {"e": "1"})
    assert agree([fine, fine])
    assert not agree([fine, PartAnswer(False, {})])
    assert not agree([fine, PartAnswer(True, {"e": "2"})])


def test_a_fact_that_is_wrong_on_its_partition_is_named() -> None:
    with Engine("p(X) :- q(X, _).", partitions=2) as db:
        with db.epoch() as e:
            e.insert("q", [(i, i) for i in range(10)])
        for service in services_of(db):
            relations = service.node.partition.relations
            relations.records(relations.numbers["q"])[:, 0] += 1000  # breaks the facts, not their places in the table
        verdict = db.verify()
    assert not verdict


@pytest.mark.parametrize("body", ["q(r, x), r = [x, _]", "q(r, x), r != nil", "q(r, _), x = head(r)"])
def test_rules_over_records_are_certified_if_partitions_are_other_processes(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask, "part_of", lambda *given: pickle.loads(pickle.dumps(part_of(*given))))
    head = user_function("head", ("P",), "number")(lambda pair: -1 if pair is None else pair.x)
    program = f".type P = [x: number, rest: P] .decl q(r: P, n: number) .decl a(r: P, x: number) a(r, x) :- {body}."
    with Engine(program, functions=[head], partitions=2) as db:
        with db.epoch() as epoch:
            epoch.insert("q", [((n, None) if n % 3 else None, n) for n in range(30)])
        assert db.verify()
