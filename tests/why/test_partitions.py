"""Questions on several partitions are answered where the facts are: as on one partition, and moving little."""

from __future__ import annotations

import pytest

from tests.law.harness import Case, commit
from tests.law.unkind import engine_on
from tests.why.judge import check_proof
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import ConstraintError
from tidelog.runtime.many.everywhere import PartitionedFacts

REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), edge(Y,Z)."


def moved(db: Engine) -> tuple[int, int]:
    """How often partitions were asked so far, and how many facts came."""
    facts = core_of(db).runtime.facts
    assert isinstance(facts, PartitionedFacts)
    return facts.search.moved.calls, facts.search.moved.facts


@pytest.mark.parametrize("seed", range(300, 306))
def test_proofs_and_refutations_of_random_programs_are_as_good_as_on_one_partition(seed: int) -> None:
    case = Case.random(seed, "all", 2)
    alone, many = Engine(case.program), engine_on(2 + seed % 3)(case.program)
    for change in case.changes:
        for db in (alone, many):
            commit(db, change, case.program.convention)
    rules = {label: many.rule(label) for label in many.rules}
    for name in many.relations:
        for row in sorted(many[name], key=repr)[:2]:
            proof = many.why((name, row), depth=10**6, width=10**6, nodes=10**6)
            check_proof(many, proof, rules, case.program)
            absent = (name, (*row[:-1], row[-1] + 1000)) if row and isinstance(row[-1], int) else (name, row)
            one, other = alone.why_not(absent), many.why_not(absent)
            assert (one.present, one.note) == (other.present, other.note)
            assert [attempt.rule for attempt in one.attempts] == [attempt.rule for attempt in other.attempts]


def chains(length: int, count: int) -> list[tuple[int, int]]:
    return [(1000 * i + j, 1000 * i + j + 1) for i in range(count) for j in range(length)]


@pytest.mark.parametrize("partitions", [2, 8])
def test_a_proof_moves_what_it_looks_at_however_large_the_relations_are(partitions: int) -> None:
    asked = []
    for count in (10, 200):
        with Engine(REACH, partitions=partitions) as db:
            with db.epoch() as e:
                e.insert("edge", chains(20, count))
            db.why("reach(1000, 1020)")  # which makes the indexes
            before = moved(db)
            proof = db.why("reach(1000, 1020)")
            calls, facts = (now - was for now, was in zip(moved(db), before, strict=True))
            steps = len({node.text for node in proof.facts()})
            assert steps == 40
            assert calls <= 2 * steps
            assert facts <= 4 * steps
            asked.append((calls, facts))
    assert asked[0] == asked[1]


def test_a_refutation_looks_where_the_data_is_and_takes_a_page_at_a_time() -> None:
    with Engine("far(X,Z) :- edge(X,Y), edge(Y,Z), blocked(Z).", partitions=4) as db:
        with db.epoch() as e:
            e.insert("edge", [(0, i) for i in range(1, 3000)] + [(i, -1) for i in range(1, 3000)])
        before = moved(db)
        told = db.why_not("far(0, -1)")
        calls, facts = (now - was for now, was in zip(moved(db), before, strict=True))
    assert [attempt.failed for attempt in told.attempts] == ["blocked(-1)"]
    assert calls <= 3
    assert facts <= 4 * 16


def test_the_rows_of_a_group_are_counted_where_they_are() -> None:
    with Engine("n(X, count<*>) :- edge(X, _). m(X, min<Y>) :- edge(X, Y).", partitions=3) as db:
        with db.epoch() as e:
            e.insert("edge", [(1, i) for i in range(5000)])
        before = moved(db)
        assert "n(1, 5000)" in str(db.why("n(1, 5000)", width=2))
        assert "m(1, 0)" in str(db.why("m(1, 0)"))
        assert moved(db)[1] - before[1] <= 400


def test_what_a_constraint_refuses_is_proved_on_the_partitions_that_are_about_to_be_rolled_back() -> None:
    with Engine("reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), edge(Y,Z). :- reach(X, X).", partitions=3) as db:
        with db.epoch() as e:
            e.insert("edge", chains(20, 100))
        before = moved(db)
        with pytest.raises(ConstraintError) as raised, db.epoch() as e:
            e.insert("edge", [(3, 1)])
        assert moved(db)[1] - before[1] < 2000
    assert "edge(3, 1) was asserted" in str(raised.value)
    assert "edge(3, 1)" in str(raised.value.violations[0])


def test_blame_tries_out_on_the_partitions_themselves() -> None:
    with Engine(REACH, partitions=3) as db:
        with db.epoch() as e:
            e.insert("edge", chains(20, 100))
        with db.epoch() as e:
            e.insert("edge", [(5, 5000), (7000, 7001)])
        before = moved(db)
        found = e.blame("reach(0, 5001)")
        assert [str(change) for change in found.changes] == ["edge(5, 5000) was asserted"]  # type: ignore[union-attr]
        assert moved(db)[1] - before[1] < 2000
