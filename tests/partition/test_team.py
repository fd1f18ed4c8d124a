"""When a team is asked: large work is shared out, small work and what calls Python is not (D34)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.law.crowded import threads
from tidelog import Engine, EvaluationError, LimitError, Limits, user_function
from tidelog.engine.engine import core_of
from tidelog.partition.base.workers import Workers
from tidelog.partition.code import team

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."
CHAIN = [(i, i + 1) for i in range(300)]
LADDER = [*CHAIN, *((i, i + 2) for i in range(300))]  # several edges from each node: one look-up finds several rows


@pytest.fixture
def runs() -> Iterator[list[int]]:
    """How often threads were asked, as a list that grows."""
    asked: list[int] = []
    run = Workers.run

    def noted(self: Workers, task: team.Part) -> list[int]:
        asked.append(self.count)
        return run(self, task)

    with patch.object(Workers, "run", noted):
        yield asked


def change(db: Engine, rows: list[tuple[int, int]]) -> None:
    with db.epoch() as e:
        e.insert("edge", rows)


def test_small_epochs_stay_on_the_calling_thread(runs: list[int]) -> None:
    with Engine(REACH, threads=4) as db:
        for i in range(20):
            change(db, [(i, i + 1)])
    assert runs == []


def test_large_epochs_are_shared_out(runs: list[int]) -> None:
    with Engine(REACH, threads=2) as db:
        change(db, LADDER)
        assert len(db["reach"]) == 300 * 303 // 2
    assert set(runs) == {2}


def test_one_thread_is_one_thread(runs: list[int]) -> None:
    with Engine(REACH, threads=1) as db:
        change(db, CHAIN)
    with Engine(REACH, threads=4, partitions=2) as db:
        change(db, CHAIN)
    assert runs == []


def test_functions_and_least_values_stay_on_the_calling_thread(runs: list[int]) -> None:
    @user_function("half", ("number",), "number")
    def half(n: int) -> int:
        return n // 2

    with threads(2), Engine("small(half(X)) :- big(X).", functions=[half]) as db:
        runs.clear()
        with db.epoch() as e:
            e.insert("big", [(i,) for i in range(40)])
        assert len(db["small"]) == 20
        loads = len(runs)
    with threads(2), Engine("d(0, min<C>) :- C = 0.  d(Y, min<C>) :- d(X, D), edge(X, Y), C = D + 1.") as db:
        runs.clear()
        change(db, CHAIN)
        assert len(db["d"]) == 301
    assert loads < 20
    assert len(runs) < 60  # base facts, indexes and commits: there are 300 batches


def test_fault_in_any_thread_is_told_with_its_rule_and_leaves_no_trace() -> None:
    with threads(3), Engine("quotient(X, 10 / X) :- n(X).") as db:
        with (
            pytest.raises(EvaluationError, match=r"rule r1: division by zero: 10 / 0"),
            db.epoch() as e,
        ):
            e.insert("n", [(i,) for i in range(-50, 50)])
        assert len(db["n"]) == 0
        with db.epoch() as e:
            e.insert("n", [(i,) for i in range(1, 50)])
        assert len(db["quotient"]) == 49


def test_limits_hold_with_threads() -> None:
    with threads(2), Engine(REACH, limits=Limits(facts=500)) as db:
        with pytest.raises(LimitError):
            change(db, CHAIN)
        assert len(db["edge"]) == 0
        change(db, CHAIN[:10])
        assert len(db["reach"]) == 55


def test_state_folder_opens_with_any_number_of_threads(tmp_path: Path) -> None:
    place = tmp_path / "state"
    for number in (3, 1, 2):
        with threads(number), Engine(REACH, path=place) as db:
            change(db, [(100 * number + i, 100 * number + i + 1) for i in range(30)])
    with Engine(path=place, threads=1) as db:
        assert len(db["reach"]) == 3 * 30 * 31 // 2


def test_close_ends_the_threads() -> None:
    db = Engine(REACH, threads=2)
    change(db, LADDER)
    crew = core_of(db).runtime.partition.machine.team
    assert crew is not None
    assert crew._workers._inboxes
    db.close()
    assert not crew._workers._inboxes
