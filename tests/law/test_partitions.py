"""The law on several partitions: the same facts, exact counts on every partition, in any order of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from unittest.mock import patch

import numpy as np
import pytest

from tests.law.harness import Case, counts_of, run
from tests.law.share import share
from tests.law.unkind import engine_on
from tests.store.disks import MemoryDisk, MemoryStore
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.write.epoch import Epoch
from tidelog.errors import EvaluationError, LimitError
from tidelog.partition.base.limits import Limits
from tidelog.partition.code.stratum import Stratum
from tidelog.runtime.node import visit
from tidelog.testing import EpochChanges

CASES = share(20, 10)
BLOCK = min(6, CASES)


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_facts_and_counts_are_exact_on_two_and_three_partitions(kind: str, first: int) -> None:
    for seed in range(first, first + BLOCK):
        run(Case.random(seed, kind), engine_on(2 + seed % 2))


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_messages_may_come_in_any_order_and_in_any_pieces(kind: str, first: int) -> None:
    for seed in range(500 + first, 500 + first + BLOCK):
        run(Case.random(seed, kind), engine_on(2 + seed % 3, Random(seed)))


def test_facts_and_counts_are_those_of_one_partition() -> None:
    for seed in range(20_000, 20_010):
        case = Case.random(seed, "plain")
        alone, many = run(case), run(case, engine_on(3))
        told = counts_of(many)
        assert {key: n for key, n in counts_of(alone).items() if not key[0].startswith("__")} == {
            key: n for key, n in told.items() if not key[0].startswith("__")
        }


def growing(seed: int) -> Case:
    """A random case of which every second epoch only inserts facts."""
    case = Case.random(seed, "all", 6)
    changes = [EpochChanges(c.inserts) if n % 2 else c for n, c in enumerate(case.changes)]
    return Case(case.program, tuple(changes))


def always_losing(reached: Iterable[Stratum], _: object) -> Iterator[tuple[Stratum, bool]]:
    """The answer of `with_losses` without looking: every stratum may lose supports."""
    return ((stratum, True) for stratum in reached)


def test_strata_that_lose_nothing_need_not_wait_for_losses() -> None:
    for seed in range(600, 600 + BLOCK):
        case, make = growing(seed), engine_on(2 + seed % 2, Random(seed))
        skipping = run(case, make)
        with patch.object(visit, "with_losses", always_losing):
            assert counts_of(skipping) == counts_of(run(case, make)), case


def test_epoch_that_only_inserts_exchanges_losses_only_above_a_negation() -> None:
    def exchanges(change: Callable[[Epoch], None]) -> int:
        with Engine(
            "pair(X, Z) :- left(X, Y), right(Z, Y). odd(Z, X) :- left(X, Y), !pair(X, Y), right(Z, Y).", partitions=2
        ) as db:
            with db.epoch() as e:
                e.insert("left", [(x, x + 1) for x in range(20)])
                e.insert("right", [(x, x + 1) for x in range(20)])
            with db.epoch() as e:
                change(e)
        return e.statistics.exchanges

    changes = (lambda e: e.insert("left", [(50, 7)]), lambda e: e.delete("left", [(0, 1)]))
    with patch.object(visit, "with_losses", always_losing):
        waiting = [exchanges(change) for change in changes]
    assert [before - exchanges(change) for before, change in zip(waiting, changes, strict=True)] == [1, 0]


def test_a_rule_that_follows_the_pivot_sends_nothing() -> None:
    with Engine("reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z).", partitions=3) as db:
        with db.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(100)])
        assert len(db["reach"]) == 5050
        assert e.statistics.messages == 0
        assert e.statistics.exchanges == 0


def test_a_rule_added_at_run_time_builds_the_copy_it_needs_in_the_same_epoch() -> None:
    with Engine("pair(X,Y) :- left(X,Y), right(X,Y).", partitions=2) as db:
        with db.epoch() as e:
            e.insert("left", [(i, i % 7) for i in range(40)])
            e.insert("right", [(i, i % 5) for i in range(40)])
        with db.epoch() as e:
            e.add_rule("cross(X,Z) :- left(X,Y), right(Z,Y).")
        wanted = {(x, z) for x in range(40) for z in range(40) if x % 7 == z % 5}
        assert set(db["cross"]) == wanted
        assert e.statistics.messages > 0


def test_a_limit_holds_for_all_partitions_together() -> None:
    with Engine(
        "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z).", partitions=3, limits=Limits(4000)
    ) as db:
        with pytest.raises(LimitError, match="its limit is 4,000"), db.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(100)])
        assert len(db["reach"]) == 0
        with db.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(50)])
        assert len(db["reach"]) == 1275


def test_an_epoch_that_fails_on_one_partition_leaves_all_of_them_in_step() -> None:
    with Engine("d(Y,X) :- e(X,Y). f(Y) :- d(X,Y), g(X).", partitions=2) as db:
        with db.epoch() as e:
            e.insert("e", [(i, i + 1) for i in range(10)])
            e.insert("g", [(i,) for i in range(10)])
            e.insert("c", [(i, i) for i in range(1, 10)])
        for bad in range(1, 10):  # whichever partition has it notes who reads `c`, the other may not come so far
            with pytest.raises(EvaluationError, match="division by zero"), db.epoch() as e:
                e.add_rule(f"k: d(X, Z) :- c(X, Y), Z = 1 / (Y - {bad}).")
            with db.epoch() as e:
                e.insert("c", [(100 + bad, 5)])
        assert len(db["c"]) == 18
        assert set(db["f"]) == {(i,) for i in range(9)}


def test_a_relation_that_a_failed_epoch_made_is_made_again_on_all_partitions() -> None:
    with Engine("d(Y,X) :- e(X,Y).", partitions=2, limits=Limits(15)) as db:
        for _ in range(2):
            with pytest.raises(LimitError), db.epoch() as e:
                e.insert("c", [(i, i) for i in range(100)])
        with db.epoch() as e:
            e.insert("c", [(i, i) for i in range(9)])
        assert set(db["c"]) == {(i, i) for i in range(9)}


def test_rules_that_need_no_facts_keep_to_the_limits() -> None:
    with Engine("", partitions=2, limits=Limits(5000)) as db:
        with pytest.raises(LimitError, match="its limit is 5,000"), db.epoch() as e:
            e.add_rule("n(X) :- X = 0.")
            e.add_rule("n(Y) :- n(X), Y = X + 1.")
        assert not db.relations


def test_a_state_that_grew_in_several_epochs_is_opened_under_the_limits_of_one() -> None:
    disk = MemoryDisk()
    with Engine("", path=MemoryStore(disk), partitions=2, limits=Limits(100)) as db:
        for first in (0, 90, 180):
            with db.epoch() as e:
                e.add_rule(f"n(X) :- X = range({first}, {first + 90}).")
    with Engine(path=MemoryStore(disk.after_kill()), limits=Limits(100)) as db:
        assert len(db["n"]) == 270


def test_partitions_do_not_keep_what_failed_epochs_changed() -> None:
    with Engine("d(Y,X) :- e(X,Y).", partitions=2, limits=Limits(100)) as db:
        for _ in range(3):
            with pytest.raises(LimitError), db.epoch() as e:
                e.insert("e", [(i, i) for i in range(60)])  # too many for both, though not for either
        with db.epoch() as e:
            e.insert("e", [(1, 1)])
        assert [len(service.changed) for service in core_of(db).runtime.nodes.services] == [1, 1]


def test_rows_that_were_sent_for_an_epoch_that_is_undone_are_not_kept() -> None:
    with Engine("p(X) :- q(X).", partitions=2) as db:
        for service in core_of(db).runtime.nodes.services:
            service.staged.put("refused", "attempt", 1, np.zeros((1, 1), np.int64))
            service.rollback()
            assert not service.staged
