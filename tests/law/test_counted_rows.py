"""The law on counted rows: sums over joins, whose rows are stored without what distinguishes them (`plan.count_rows`).

Random histories of changes to facts and rules of programs that count, add up and average the rows of joins, in many
groups and few, with equal values of different rows: compared with the naive evaluator, with folds in Python, after
failed epochs and from state folders. That rows are counted at all is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.law.harness import Case, check, commit, counts_of, run
from tests.law.plain_folds import plain_folds
from tests.law.share import share
from tests.law.test_rollback import run_with_trouble
from tests.law.unkind import engine_on
from tests.store.disks import MemoryDisk, MemoryStore
from tidelog import Engine, EvaluationError
from tidelog.engine.engine import core_of
from tidelog.partition.memory.records import COUNTS
from tidelog.program import Rule, Value
from tidelog.rewrite.names import COUNTED
from tidelog.syntax import parse_program
from tidelog.testing import EpochChanges, State

RULES = (
    "t(P, sum<V>) :- f(_, A, V), d(A, P).",
    "t2(P, Q, sum<V>, count<*>) :- f(_, A, V), d(A, P), e(A, Q).",
    "n(count<*>) :- f(_, A, _), d(A, _).",
    "m(P, mean<V>) :- f(_, A, V), d(A, P), !e(A, A).",
    "w(P, sum<W>) :- g(K, W), d(K, P).",
    "u(P, mean<W>, sum<W>) :- g(K, W), d(K, P), P != 2.",
    "s(X, C) :- e(X, _), C = count : { d(X, Y), f(Y, _, _) }.",
    "v(P, S) :- d(_, P), S = sum V : { f(K, P, V), e(K, _) }.",
    "r(P, sum<V>) :- f(_, A, V), d(A, P), X = range(0, 2).",
    "z(P, sum<V>) :- t(P, V), d(P, _).",
    "x(P, sum<V>, max<V>) :- f(_, A, V), d(A, P).",
    "y(P, S) :- d(_, P), S = sum distinct V : { f(_, A, V), d(A, P) }.",
)
FLOATS = (0.1, 0.2, -0.1, 1e30, 5e-324, 1.0, -1e30)
GIVEN = "f(0, 0, 0). d(0, 0). e(0, 0). g(0, 0.5)."


def some_fact(rng: Random) -> tuple[str, tuple[Value, ...]]:
    name = rng.choice("fffddeg")
    if name == "f":
        return name, (rng.randrange(12), rng.randrange(4), rng.choice((-1, 0, 1, 1, 2)))
    if name == "g":
        return name, (rng.randrange(4), rng.choice(FLOATS))
    return name, (rng.randrange(4), rng.randrange(4))


def some_case(seed: int) -> Case:
    rng = Random(seed)
    rules = rng.sample(RULES, 4)
    others = [rule for rule in RULES if rule not in rules]
    program = parse_program("\n".join(f"a{i}: {rule}" for i, rule in enumerate(rules)) + GIVEN)
    changes: list[EpochChanges] = []
    labels = [f"a{i}" for i in range(4)]
    for number in range(5):
        given = dict.fromkeys(some_fact(rng) for _ in range(rng.choice((1, 4, 30))))
        signed = [(fact, rng.random() < 0.6) for fact in given]
        added: tuple[Rule, ...] = ()
        gone: tuple[str, ...] = ()
        if rng.random() < 0.3 and others:
            label = f"b{number}"
            added = parse_program(f"{label}: {others.pop()}").rules
            labels.append(label)
        if rng.random() < 0.3:
            gone = (labels.pop(0),)
        changes.append(
            EpochChanges(
                tuple(fact for fact, plus in signed if plus),
                tuple(fact for fact, plus in signed if not plus),
                added,
                gone,
            )
        )
    return Case(program, tuple(changes))


def cases(first: int, count: int) -> Iterator[tuple[int, Case]]:
    return ((seed, some_case(seed)) for seed in range(71 * 10**6 + first, 71 * 10**6 + first + count))


def counted(db: Engine) -> set[str]:
    """The relations whose facts stand for as many rows as they have supports."""
    return {rule.head.predicate for rule in core_of(db).rules.core.values() if rule.head.predicate.startswith(COUNTED)}


@pytest.mark.parametrize("partitions", [1, 2])
def test_sums_over_joins_are_those_of_all_valuations(partitions: int) -> None:
    make, found = engine_on(partitions, Random(partitions) if partitions > 1 else None), 0
    for seed, case in cases(0, share(4, 12)):
        try:
            db = run(case, make)
            found += len(counted(db))
            with plain_folds():
                assert counts_of(run(case, engine_on(partitions))) == counts_of(db)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}\n{case}") from error
    assert found > 5


def test_failed_epochs_leave_no_trace_in_counts() -> None:
    assert sum(run_with_trouble(case, Random(seed)) for seed, case in cases(1000, share(16, 4))) > 2


@pytest.mark.parametrize("rebuild", [False, True])
def test_states_are_opened_with_their_counts(rebuild: bool) -> None:
    for seed, case in cases(2000, share(10, 4)):
        disk, state = MemoryDisk(), State.start(case.program)
        with Engine(case.program, path=MemoryStore(disk)):
            pass
        for change in case.changes:
            with Engine(path=MemoryStore(disk)) as db:
                if rebuild:
                    with db.epoch() as epoch:
                        epoch.add_rule("extra: q(X) :- d(X, _).")
                    with db.epoch() as epoch:
                        epoch.remove_rule("extra")
                state = state.after(change)
                commit(db, change, case.program.convention)
                check(db, state)
                assert db.verify(), f"seed {seed}\n{case}"


def test_a_count_stores_one_fact_for_each_group() -> None:
    with Engine("n(P, count<*>) :- f(_, A, _), d(A, P). t(P, sum<V>) :- f(_, A, V), d(A, P).") as db:
        with db.epoch() as e:
            e.insert("d", [(a, a % 3) for a in range(10)])
            e.insert("f", [(k, k % 10, k % 5) for k in range(1000)])
        facts = db.state().facts
        assert {name: len(facts[name]) for name in sorted(counted(db))} == {"__counted_r1_0": 3, "__counted_r2_0": 10}
        assert sum(fact.all for fact in facts["__counted_r1_0"].values()) == 1000


@pytest.mark.parametrize(
    "rule",
    [
        "t(P, count<*>) :- d(P, _), (e(P, _) ; f(P, _, _)).",
        "t(P, max<V>) :- f(_, A, V), d(A, P).",
        "t(P, S) :- d(_, P), S = sum distinct V : { f(_, A, V), d(A, P) }.",
        "t(P, median<V>) :- f(_, A, V), d(A, P).",
    ],
)
def test_rows_that_two_derivations_share_are_not_counted(rule: str) -> None:
    with Engine(rule) as db, db.epoch() as e:
        e.insert("d", [(1, 1)])
        e.insert("e", [(1, 1)])
        e.insert("f", [(1, 1, 1)])
        assert not counted(db)


def test_proofs_show_every_row() -> None:
    with Engine("t(P, sum<V>) :- f(_, A, V), d(A, P).") as db:
        with db.epoch() as e:
            e.insert("d", [(1, 7), (2, 7)])
            e.insert("f", [(k, 1 + k % 2, 5) for k in range(4)])
        shown = str(db.why("t(7, 20)"))
        assert "over 4 rows" in shown
        assert all(f"f({k}, {1 + k % 2}, 5)" in shown for k in range(4))


def test_two_rules_for_one_view_are_told_apart_by_their_rows() -> None:
    with Engine("a: t(P, sum<V>) :- f(_, A, V), d(A, P). b: t(P, sum<V>) :- f(_, A, V), e(A, P).") as db:
        with db.epoch() as e:
            e.insert("d", [(1, 7)])
            e.insert("e", [(1, 7), (2, 7)])
            e.insert("f", [(1, 1, 5), (2, 1, 5), (3, 2, 5)])
        assert sorted(db["t"]) == [(7, 10), (7, 15)]
        assert "by a" in str(db.why("t(7, 10)"))
        assert "by b" in str(db.why("t(7, 15)"))


def test_a_count_that_leaves_its_bits_is_an_error() -> None:
    with Engine("n(count<*>) :- f(_, A, _), d(A, _).", partitions=1) as db:
        with db.epoch() as e:
            e.insert("d", [(1, 1)])
            e.insert("f", [(1, 1, 1)])
        partition = core_of(db).runtime.partition  # type: ignore[attr-defined]  # an embedded one
        number = partition.relations.numbers["__counted_r1_0"]
        partition.relations.records(number)[0, COUNTS] = (2**31 - 2) << 32 | (2**31 - 2)
        with pytest.raises(EvaluationError, match="more than 2,147,483,647 derivations") as raised, db.epoch() as e:
            e.insert("f", [(k, 1, 1) for k in range(10)])
        assert raised.value.code == "TL2215"
        assert list(db["n"]) == [(1,)]
