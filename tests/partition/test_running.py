"""An epoch that is given up says which rule ran, its plan, and how far it came."""

from __future__ import annotations

import re
import signal
from itertools import count

import pytest

from tests.law.sabotage import out_of_memory, tiny_slices
from tidelog import Engine, Limits
from tidelog.engine.engine import core_of
from tidelog.errors import EpochInterrupted, EvaluationError, LimitError
from tidelog.partition.phases.running_rule import running_rule
from tidelog.runtime.base import runtime_failures as failures
from tidelog.runtime.base.interrupts import Interrupts

REACH = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."
CHAIN = [(i, i + 1) for i in range(400)]
RAN = re.compile(
    r"\n  rule    r2: reach\(X, Z\) :- reach\(X, Y\), edge\(Y, Z\)\.(?P<where> \(partition [012] of 3\))?"
    r"\n  plan    on reach\(X, Y\): (edge|\[copy of edge\])\(Y, Z\) by column 1"
    r"\n  so far  this rule visited [\d,]+ rows? and found [\d,]+ supports?; [\d,]+ batch(es)? fired, "
    r"[\d,]+ facts? waits? in the queue$"
)


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("limits", [Limits(facts=3000), Limits(rounds=9), Limits(memory=400_000), Limits(seconds=0.3)])
def test_every_limit_tells_rule_plan_and_progress(limits: Limits, partitions: int) -> None:
    rows = CHAIN if limits.seconds is None else [(i, i + 1) for i in range(4000)]
    db = Engine(REACH, limits=limits, partitions=partitions)
    with pytest.raises(LimitError) as raised, db.epoch() as e:
        e.insert("edge", rows)
    found = RAN.search(str(raised.value))
    assert found is not None, str(raised.value)
    assert bool(found["where"]) == (partitions > 1)
    assert str(raised.value).count("nothing was changed") == 1
    assert raised.value.code.startswith("TL30")


def interrupted(db: Engine) -> str:
    """What Ctrl-C in the middle of an epoch says."""
    slices = []

    def after_some(self: Interrupts) -> None:
        slices.append(1)
        if len(slices) == 40:
            signal.raise_signal(signal.SIGINT)
        if self._is_signalled:
            self._is_signalled = False
            raise KeyboardInterrupt

    with tiny_slices(50), pytest.MonkeyPatch.context() as patched:
        patched.setattr(Interrupts, "check", after_some)
        with pytest.raises(KeyboardInterrupt) as raised, db.epoch() as e:
            e.insert("edge", CHAIN)
    return str(raised.value)


@pytest.mark.parametrize("partitions", [1, 3])
def test_interrupt_tells_rule_plan_and_progress(partitions: int) -> None:
    db = Engine(REACH, partitions=partitions)
    told = interrupted(db)
    assert told.startswith("\n  rule    r")
    assert "\n  plan    on " in told
    assert "\n  so far  this rule visited " in told
    assert "__" not in told
    assert len(db["edge"]) == 0


def test_lack_of_memory_tells_the_rule_too() -> None:
    """Some arrays are made before a rule runs, others while one does; every number of arrays is tried."""
    told = []
    for number in count(1):
        db = Engine(REACH)
        try:
            with out_of_memory(db, number), db.epoch() as e:
                e.insert("edge", CHAIN)
        except LimitError as error:
            told.append(str(error))
        else:
            break  # this many were not made
    assert told[0] == "out of memory; nothing was changed"
    ran = "out of memory; nothing was changed\n  rule    r2: reach(X, Z) :- reach(X, Y), edge(Y, Z).\n  plan    on"
    assert any(text.startswith(ran) for text in told)


def test_epoch_that_another_process_gives_up_says_once_that_nothing_was_changed() -> None:
    db = Engine(REACH)
    machine = core_of(db).runtime.node.partition.machine

    def give_up(self: Interrupts) -> None:
        raise failures.INTERRUPTED.error()

    with tiny_slices(50), pytest.MonkeyPatch.context() as patched:
        patched.setattr(Interrupts, "check", give_up)
        with pytest.raises(EpochInterrupted) as raised, db.epoch() as e:
            e.insert("edge", CHAIN)
    assert str(raised.value).startswith("the epoch was interrupted; nothing was changed\n  rule    r")
    assert str(raised.value).count("nothing was changed") == 1
    assert not machine.firing


def test_rules_of_rewrites_are_told_as_the_user_wrote_them() -> None:
    program = "m(X, min<C>) :- e(X, C), !bad(X, _). d(X, C) :- m(X, C). t(X, N) :- e(X, _), N = sum Y : { e(X, Y) }."
    db = Engine(program, limits=Limits(facts=2500))
    with pytest.raises(LimitError) as raised, db.epoch() as e:
        e.insert("bad", [(i, 1) for i in range(100)])
        e.insert("e", [(i, i) for i in range(2000)])
    assert "__" not in str(raised.value)
    assert re.search(r"\n  rule    r\d: \w+\(X, .* :- .*\.\n", str(raised.value))


def test_nothing_is_told_while_no_rule_runs() -> None:
    db = Engine(REACH)
    assert running_rule(core_of(db).runtime.node.partition) is None
    with db.epoch() as e:
        e.insert("edge", CHAIN)
    assert running_rule(core_of(db).runtime.node.partition) is None


def test_overflowing_sum_of_a_rule_without_label_names_it() -> None:
    with pytest.raises(EvaluationError, match=r"^rule r2: sum: overflow"):
        Engine("n(9223372036854775807). n(1). p(X) :- n(X). s(sum<X>) :- n(X).")
