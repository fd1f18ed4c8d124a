"""A failed epoch leaves no trace: after Ctrl-C, lack of memory, a limit, a fault or a bad program all is as before.

Random histories as in `test_law.py`; before an epoch is committed it is first made to fail at a random place, and the
whole state (facts, ranks, counts, rules, strata, schema) must equal the state before. Then the epoch is
committed for real, which must work as if nothing had happened.
What this cannot notice: trouble while an epoch is being undone (lack of memory at that very moment), and a process that
is killed; nothing of an embedded engine outlives its process.
"""

from __future__ import annotations

import signal
import threading
from random import Random

import pytest

from tests.law.harness import Case, check, check_at_rest, check_feed, commit
from tests.law.sabotage import TROUBLES, tiny_slices
from tests.law.share import share
from tidelog import Engine, EvaluationError, LimitError, ProgramError, TidelogError
from tidelog.runtime.base.interrupts import Interrupts
from tidelog.testing import EpochChanges, State

CASES = share(20, 10)
BLOCK = 10
REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."


@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
@pytest.mark.parametrize("kind", ["plain", "all"])
def test_failed_epochs_leave_no_trace(first: int, kind: str) -> None:
    failed = 0
    for seed in range(first, first + BLOCK):
        case, rng = Case.random(2 * 10**6 + seed, kind, epochs=3), Random(seed)
        try:
            failed += run_with_trouble(case, rng)
        except Exception as error:
            raise AssertionError(f"seed {2 * 10**6 + seed}, kind {kind}: {error}\n{case}") from error
    assert failed > BLOCK  # else nothing was tried


def run_with_trouble(case: Case, rng: Random) -> int:
    """The law, with failures before every epoch; how many there were."""
    db, state, failed = Engine(case.program), State.start(case.program), 0
    before = check(db, state)
    for change in case.changes:
        for _ in range(3):
            if make_fail(db, change, case.program.convention, rng):
                failed += 1
            else:
                break
        else:
            commit_and_check = commit(db, change, case.program.convention)
            state = state.after(change)
            after = check(db, state)
            check_feed(commit_and_check, before, after)
            before = after
            continue
        state = state.after(change)
        before = check(db, state)
    return failed


def make_fail(db: Engine, change: EpochChanges, convention: str, rng: Random) -> bool:
    """Try to commit in the face of trouble; whether it failed, which must have left no trace."""
    state, number, relations, rules = db.state(), db.epoch_number, db.relations, db.rules
    trouble = rng.choice(TROUBLES)
    with trouble(db, rng.choice([1, 1, 2, 3, 5, 8, 20])) as expected:
        try:
            commit(db, change, convention)
        except expected:
            assert db.state() == state, trouble.__name__
            check_at_rest(db)
            assert (db.epoch_number, db.relations, db.rules) == (number, relations, rules)
            return True
    return False


def edges(count: int) -> list[tuple[int, int]]:
    rng = Random(count)
    return [(rng.randrange(60), rng.randrange(60)) for _ in range(count)]


def reach() -> Engine:
    db = Engine(REACH)
    with db.epoch() as e:
        e.insert("edge", edges(80))
    return db


def test_overflow_is_rolled_back_and_told_with_its_values() -> None:
    db = Engine("q(Y) :- p(X), Y = X * X.")
    with db.epoch() as e:
        e.insert("p", [(3,)])
    before = db.state()
    with pytest.raises(EvaluationError, match=r"overflow: 4611686018427387904 \* 4611686018427387904"), db.epoch() as e:
        e.insert("p", [(5,), (2**62,)])
    assert db.state() == before
    assert list(db["q"]) == [(9,)]


def test_rule_that_is_refused_leaves_no_trace() -> None:
    db = reach()
    before = db.state()
    with pytest.raises(ProgramError, match="TL5"), db.epoch() as e:
        e.insert("edge", [(100, 101)])
        e.add_rule("edge(X,Y) :- node(X), node(Y), (!reach(X,Y) ; edge(Y,X)).")
    assert db.state() == before


def test_exception_inside_the_block_leaves_no_trace() -> None:
    db = reach()
    before = db.state()
    with pytest.raises(ZeroDivisionError), db.epoch() as e:
        e.insert("edge", [(100, 101)])
        raise ZeroDivisionError
    assert db.state() == before


def test_limit_of_facts_aborts_the_epoch() -> None:
    from tidelog import Limits

    db = Engine(REACH, limits=Limits(facts=500))
    with pytest.raises(LimitError, match="its limit is 500"), db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(100)])
    assert len(db["edge"]) == 0
    with db.epoch() as e:
        e.insert("edge", [(1, 2)])
    assert list(db["reach"]) == [(1, 2)]


def test_lack_of_memory_is_a_limit_error() -> None:
    db = reach()
    before = db.state()
    from tests.law.sabotage import out_of_memory

    with out_of_memory(db, 1), pytest.raises(LimitError, match="out of memory") as raised, db.epoch() as e:
        e.insert("edge", edges(500))
    assert raised.value.code == "TL3101"
    assert db.state() == before


def test_interrupt_of_a_running_epoch_leaves_no_trace() -> None:
    db = reach()
    before = db.state()
    slices = []

    def after_some(self: Interrupts) -> None:
        slices.append(1)
        if len(slices) == 20:
            signal.raise_signal(signal.SIGINT)
        if self._is_signalled:
            self._is_signalled = False
            raise KeyboardInterrupt

    with tiny_slices(50), pytest.MonkeyPatch.context() as patched:
        patched.setattr(Interrupts, "check", after_some)
        with pytest.raises(KeyboardInterrupt), db.epoch() as e:
            e.insert("edge", edges(300))
    assert len(slices) == 20
    assert db.state() == before


def test_failed_start_raises_and_a_new_engine_works() -> None:
    with pytest.raises(TidelogError):
        Engine("p(X, count<Y>) :- q(X, Y), !p(X, Y).")
    assert Engine("p(X) :- q(X).").relations == ("p", "q")


def test_query_leaves_no_trace() -> None:
    db = reach()
    before = db.state()
    assert len(db.query("reach(X, Y), X < Y")) > 0
    assert db.state() == before
    with pytest.raises(EvaluationError):
        db.query("reach(X, Y), Z = X / 0")
    assert db.state() == before
    assert threading.active_count() >= 1


def test_sum_of_floats_that_a_failed_epoch_planned_anew_is_still_one_of_floats() -> None:
    db = Engine("s(G,V,W) :- a(G,V,L), W = f_first(L).  t(G, sum<V>) :- s(G,V,W).")
    with db.epoch() as e:
        e.insert("a", [(1, 1.5, (1, 2))])
    with pytest.raises(EvaluationError, match="division by zero"), db.epoch() as e:
        e.insert("s", [(2, 1.0, 5)])  # the type of the third column becomes known, and rules that read it are planned
        e.add_rule("k(Z) :- a(G,V,L), Z = 1 / (G - 1).")
    with db.epoch() as e:
        e.insert("a", [(1, 2.25, (3,))])
    assert list(db["t"]) == [(1, 3.75)]


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("head", ["best(X, min<C>)", "best(X, max<T>)", "best(X, min<C>, Y)"])
def test_the_next_best_of_a_group_is_at_rest_again_after_a_preview(head: str, partitions: int) -> None:
    key = "materialize(best, infinity, infinity, keys(1)). "
    with Engine(f"{key}{head} :- w(X, Y, C), T = to_string(C).", partitions=partitions) as db:
        with db.epoch() as e:
            e.insert("w", [(2, 1, 0), (2, 5, 1), (2, 3, 4), (1, 2, 3)])
        for row in [(2, 1, 0), (2, 3, 4)]:
            epoch = db.epoch()
            epoch.delete("w", [row])
            db.preview(epoch)
            check_at_rest(db)
            assert db.verify()


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_relation_has_its_own_columns_again_after_an_epoch_that_gave_it_others(partitions: int) -> None:
    with Engine("a: d(X) :- p(X).", partitions=partitions) as db:
        epoch = db.epoch()
        epoch.remove_rule("a")
        epoch.add_rule("d(X, Y) :- q(X, Y).", label="b")
        epoch.insert("q", [(1, 2)])
        db.preview(epoch)
        with db.epoch() as e:
            e.insert("p", [(7,)])
        assert list(db["d"]) == [(7,)]
        assert db.verify()
