"""Ranks of depth and clock: the law holds wherever clock and depths stand, and late facts stand where they belong.

What runs over is tried for real: the clock of an engine is put before the end of its clock bits, before the last depth
and beyond it, and ranks are renumbered at every commit. I1 and I2 are recomputed from outside after every epoch
(`harness.check`). That old state folders go on is tested in `tests/store/test_old_ranks.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.law.harness import Case, run, story
from tests.law.share import share
from tests.law.unkind import engine_on
from tidelog import Engine, Limits
from tidelog.engine.engine import core_of
from tidelog.kernel import layout as at
from tidelog.partition.memory.records import at_depth, rank_depth
from tidelog.partition.phases.partition import Partition
from tidelog.program import Program

CASES = share(40, 6)
REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."
STARTS = {
    "the clock runs over": at.CLOCKS - 5,
    "the clock runs over deep down": at_depth(7) + at.CLOCKS - 5,
    "the last depths": at.DEEPEST - at_depth(2),
    "no depth left": at.DEEPEST + 11,
}


def partitions_of(db: Engine) -> Iterator[Partition]:
    runtime = core_of(db).runtime
    if hasattr(runtime, "nodes"):
        yield from (service.node.partition for service in runtime.nodes.services)
    else:
        yield runtime.node.partition


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("start", STARTS)
def test_law_holds_wherever_the_clock_stands(start: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.runtime.node.node.RANK_LIMIT", 1 << 60)  # ranks are not renumbered

    def make(program: Program) -> Engine:
        db = Engine(program)
        for partition in partitions_of(db):
            partition.raise_clock(STARTS[start])
        return db

    for seed in range(9 * 10**6, 9 * 10**6 + CASES):
        run(Case.random(seed, kind), make)


@pytest.mark.parametrize("start", STARTS)
def test_law_holds_wherever_the_clocks_of_partitions_stand(start: str) -> None:
    for seed in range(91 * 10**5, 91 * 10**5 + CASES // 3):

        def make(program: Program) -> Engine:
            db = engine_on(2)(program)
            first, *_ = partitions_of(db)
            first.raise_clock(STARTS[start])
            return db

        run(Case.random(seed, "plain"), make)


@pytest.mark.parametrize("kind", ["plain", "all"])
def test_law_holds_where_every_commit_numbers_ranks_anew(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.runtime.node.node.RANK_LIMIT", -(1 << 60))
    for seed in range(92 * 10**5, 92 * 10**5 + CASES):
        db = run(Case.random(seed, kind))
        assert next(partitions_of(db)).closings > 0


def test_a_fact_is_one_deeper_than_the_support_that_made_it() -> None:
    db = Engine(REACH)
    with db.epoch() as e:
        e.insert("edge", pairwise(range(5)))
    state = db.state().facts["reach"]
    assert {row: rank_depth(fact.rank) for row, fact in state.items()} == {
        (x, y): y - x for x in range(5) for y in range(x + 1, 5)
    }
    with db.epoch() as e:
        e.insert("edge", [(0, 9)])  # late, and not deep
    assert rank_depth(db.state().facts["reach"][0, 9].rank) == 1


def test_what_is_replaced_before_it_goes_suspends_nothing_downstream() -> None:
    db = Engine("live(X) :- source(X).  live(Y) :- live(X), edge(X,Y).", limits=Limits(rebuild=False))
    with db.epoch() as e:
        e.insert("source", [(0,)])
        e.insert("edge", [(0, -1), (-1, 1), *pairwise(range(1, 100))])
    with db.epoch() as e:
        e.insert("edge", [(0, -2), (-2, 1)])
    with db.epoch() as e:
        e.delete("edge", [(0, -1), (-1, 1)])
    assert list(e.changes["live"].deleted) == [(-1,)]
    assert e.statistics.suspended == 3  # two edges and the old feeder; with one clock all that it fed


def test_strata_that_merge_are_stacked_by_depth() -> None:
    told = story(
        "p(X,Y) :- e(X,Y).  p(X,Z) :- e(X,Y), p(Y,Z).  q(X,Y) :- p(X,Y).  q(X,Z) :- q(X,Y), p(Y,Z).",
        "+e(1,2). +e(2,3). +e(3,1). +e(3,4).",
        "+e(X,Y) :- q(Y,X), back(X).",
        "+back(4).",
        "-e(3,1).",
        "-back(4). -e(1,2).",
    )
    assert all(fact.low > 0 for facts in told[-1][1].state().facts.values() for fact in facts.values())
