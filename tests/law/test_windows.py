"""The law where messages leave in the middle of a batch and are counted as soon as they arrive (`runtime.node`).

Windows hold one message, kernels stop after two, and a partition holds nothing back that has arrived: so messages leave
and are counted at every place where they may, in the retract and in the assert phase, in strata that are built again,
and between messages that come unkindly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from tests.law import sabotage
from tests.law.harness import Case, check, commit, counts_of, run
from tests.law.sabotage import rebuilding, tiny_slices
from tests.law.share import share
from tests.law.unkind import engine_on
from tidelog import Engine
from tidelog.partition.base.owner import Messages
from tidelog.partition.memory import messages
from tidelog.partition.phases import exchange
from tidelog.partition.phases.partition import Partition
from tidelog.runtime.node import node_state
from tidelog.syntax import parse_program
from tidelog.testing import State

NON_LINEAR = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), reach(Y,Z)."
CASES = share(8, 12)
BLOCK = 6


@contextmanager
def narrow_windows() -> Iterator[list[int]]:
    """Messages leave as soon as they are made, and count as soon as they arrive; the signs of those counted early."""
    early: list[int] = []

    def count(partition: Partition, arrived: Messages) -> None:
        assert partition.epoch.arriving is not None
        early.append(partition.epoch.arriving[1])
        count_early(partition, arrived)

    count_early = exchange.count_early
    with ExitStack() as patches:
        patches.enter_context(patch.object(messages, "MESSAGES", 2))
        patches.enter_context(patch.object(messages, "WINDOW", 1))
        patches.enter_context(patch.object(node_state, "MOST_ARRIVED", -1))
        patches.enter_context(patch.object(node_state, "count_early", count))
        yield early


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_messages_that_leave_in_the_middle_of_a_batch_may_be_counted_at_once(kind: str, first: int) -> None:
    with narrow_windows() as early:
        for seed in range(30_000 + first, 30_000 + first + BLOCK):
            try:
                run(Case.random(seed, kind, 5), engine_on(2 + seed % 3, Random(seed) if seed % 2 else None))
            except Exception as error:
                raise AssertionError(f"seed {seed}, kind {kind}: {error}") from error
    assert {1, -1} <= set(early)  # otherwise nothing was tried


@pytest.mark.parametrize("kind", ["plain", "all"])
def test_kernels_that_stop_all_the_time_count_what_has_arrived(kind: str) -> None:
    with narrow_windows() as early:
        for seed in range(31_000, 31_000 + share(16, 8)):
            with tiny_slices(1 + seed % 3):
                run(Case.random(seed, kind), engine_on(2 + seed % 2, Random(seed) if seed % 3 else None))
    assert early


@pytest.mark.parametrize("kind", ["plain", "all"])
def test_messages_of_a_stratum_that_is_built_again_are_void(kind: str) -> None:
    tipped: list[str] = []
    with narrow_windows() as early:
        for seed in range(32_000, 32_000 + share(8, 12)):
            with rebuilding(Random(seed), 0.3) as reasons:
                run(Case.random(seed, kind, 5), engine_on(2 + seed % 2, Random(seed) if seed % 2 else None))
            tipped += reasons
    assert early
    assert tipped


def test_losses_that_reach_a_partition_that_builds_again_are_dropped() -> None:
    edges = [(x, (x * x + 3 * x + 1) % 23) for x in range(23)] + [(x, (x + 1) % 23) for x in range(0, 23, 2)]
    with narrow_windows() as early:
        for seed in range(12):
            with rebuilding(Random(seed), 0.02), engine_on(2)(parse_program(NON_LINEAR)) as db:
                for cut in (edges, edges[seed : seed + 3], edges[seed : seed + 3]):
                    with db.epoch() as e:
                        (e.delete if len(db["edge"]) == len(set(edges)) else e.insert)("edge", cut)
                    with Engine(NON_LINEAR) as fresh:
                        with fresh.epoch() as e:
                            e.insert("edge", list(db["edge"]))
                        assert set(db["reach"]) == set(fresh["reach"]), seed
                assert db.verify()
    assert 0 in early  # otherwise nothing was dropped


@pytest.mark.parametrize("rules", ["reach(X,Z) :- reach(X,Y), reach(Y,Z).", "reach(@Z,X) :- reach(@Y,X), edge(@Y,Z)."])
def test_merged_messages_leave_the_counts_of_one_partition(rules: str) -> None:
    place = "@" if "@" in rules else ""
    rng = Random(7)
    edges = sorted({(rng.randrange(40), rng.randrange(40)) for _ in range(120)})
    found = []
    for partitions in (1, 2, 3):
        with Engine(f"reach({place}X,Y) :- edge({place}X,Y). {rules}", partitions=partitions) as db:
            for change in (edges, edges[:3], edges[40:80]):
                with db.epoch() as e:
                    (e.insert if change is edges else e.delete)("edge", change)
            assert db.verify()
            found.append({key: count for key, count in counts_of(db).items() if not key[0].startswith("__")})
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("trouble", [sabotage.out_of_memory, sabotage.over_the_limit])
@pytest.mark.parametrize("number", [2, 5, 7, 8])
def test_what_waits_to_leave_when_an_epoch_fails_is_forgotten(trouble: Callable[..., Any], number: int) -> None:
    """Also by a partition that did not fail: its next messages would be merged with those that were never sent."""
    case = Case.random(3304, "all")
    with Engine(case.program, partitions=2) as db:
        before = db.epoch_number
        with trouble(db, number) as expected, suppress(expected):
            commit(db, case.changes[0], case.program.convention)
        if db.epoch_number == before:
            commit(db, case.changes[0], case.program.convention)
        check(db, State.start(case.program).after(case.changes[0]))
