"""Picking a deletion without looking for its fact: the fault that LAM 2010L finds in the rules of Navarro et al."""

from tidelog.lab.semantics.algorithm import as_sets
from tidelog.lab.semantics.baselines import UncheckedBaseline
from tidelog.lab.semantics.executions import PipelinedExecution
from tidelog.lab.semantics.fact import deletion, insertion
from tidelog.syntax import parse_program

from .networks import REACHABLE, all_schedules, expected, settle

PROGRAM = parse_program("p(@1) :- a(@1).")
BURST = [insertion("a", 1), deletion("a", 1)]


def test_a_deletion_that_overtakes_its_insertion_is_lost() -> None:
    found = all_schedules(UncheckedBaseline(), PROGRAM, BURST, "{}")
    assert not found.agrees
    assert set(found.ends) == {"{}", "{a(1), p(1)}", "{a(1)}", "{p(1)}"}
    assert found.counterexample is not None
    assert len(found.counterexample) == 4


def test_looking_for_the_fact_makes_every_schedule_right() -> None:
    assert all_schedules(PipelinedExecution(), PROGRAM, BURST, "{}").agrees


def test_without_overtaking_it_maintains_acyclic_reachability() -> None:
    links = [insertion("link", a, b) for a, b in ("ab", "bc", "ad", "dc")]
    failure = [deletion("link", "a", "b")]
    algorithm = settle(UncheckedBaseline(), REACHABLE, links, failure)
    assert as_sets(algorithm.tables()) == expected(REACHABLE, links, failure)


def test_the_event_says_that_the_fact_was_not_there() -> None:
    algorithm = UncheckedBaseline()
    algorithm.load(PROGRAM)
    algorithm.apply(BURST)

    class Deletion:
        def choose(self, pending):
            return next(m for m in pending if m.update.sign < 0)

    assert "not present" in algorithm.step(Deletion()).note
