"""Counts of plans stay with their plans, wherever their code stands."""

from __future__ import annotations

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.partition.code.plan_counts import MOST_WRITTEN, add_up, shape
from tidelog.partition.phases.partition import Partition

RULE = "r1: p(X, Z) :- a(X, Y), b(Y, Z)."


def filled() -> tuple[Engine, Partition]:
    db = Engine(RULE)
    for name in ("b", "a"):
        with db.epoch() as e:
            e.insert(name, [(i, i) for i in range(6)])
    return db, core_of(db).runtime.node.partition


def counts_of(partition: Partition) -> dict[tuple[object, ...], list[list[int]]]:
    return {shape(part.plan): part.counts[:, :3].tolist() for part in partition.rules.plan_counts() if part.current}


def test_counts_are_those_of_the_walk() -> None:
    _, partition = filled()
    (found,) = [counts for key, counts in counts_of(partition).items() if key[0] == 0]
    assert found == [[6, 6, 6], [6, 6, 6]]


def test_code_that_is_written_anew_keeps_its_counts() -> None:
    db, partition = filled()
    before = counts_of(partition)
    partition.rules.compact_code(core_of(db).runtime.node.state.distinct_strata())
    assert counts_of(partition) == before
    with db.epoch() as e:
        e.insert("a", [(100, 3)])
    (found,) = [counts for key, counts in counts_of(partition).items() if key[0] == 0]
    assert found == [[7, 7, 7], [7, 7, 7]]


def test_rollback_of_a_change_of_rules_keeps_counts() -> None:
    db, partition = filled()
    before = counts_of(partition)
    epoch = db.epoch()
    epoch.add_rule("q(X) :- a(X, _).")
    db.preview(epoch)
    assert counts_of(partition) == before


def test_plan_that_is_written_again_and_again_is_one_plan() -> None:
    db, partition = filled()
    code = partition.rules.codes["r1"]
    stratum = core_of(db).runtime.node.strata["p"]
    for number in range(2 * MOST_WRITTEN):
        partition.replanner.assemble(code, stratum.relations)
        stratum.forget_tables()
        with db.epoch() as e:
            e.insert("a", [(200 + number, 3)])
    assert len(code.written) <= MOST_WRITTEN
    (found,) = [counts for key, counts in counts_of(partition).items() if key[0] == 0]
    assert found == [[6 + 2 * MOST_WRITTEN] * 3] * 2


def test_counts_of_partitions_are_added_up_plan_by_plan() -> None:
    _, first = filled()
    _, second = filled()
    parts = [*first.rules.plan_counts(), *second.rules.plan_counts()]
    joined = add_up(parts)
    assert len(joined) == len(first.rules.plan_counts())
    assert sum(part.visited for part in joined) == sum(part.visited for part in parts) > 0


def test_rows_visited_by_a_rule_are_counted_per_epoch() -> None:
    db, partition = filled()
    number = partition.rules.codes["r1"].number
    assert partition.machine.counters.visits[number] == 6
    with db.epoch() as e:
        e.insert("a", [(300, 3)])
    assert partition.machine.counters.visits[number] == 1
