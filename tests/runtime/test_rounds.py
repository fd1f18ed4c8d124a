"""Rounds: partitions that have work go on while others are at work, and a phase ends when nothing is under way."""

from __future__ import annotations

import pytest

from tidelog.errors import LimitError
from tidelog.partition.base.limits import Limits
from tidelog.runtime.base.call import Call
from tidelog.runtime.base.outcome import EpochOutcome
from tidelog.runtime.base.request import Mail, Request
from tidelog.runtime.many.rounds import Rounds
from tidelog.runtime.node.node_state import SENT
from tidelog.runtime.protocol.service import EpochEnd, Service

END = EpochEnd(EpochOutcome(), ())


def flow(*sent: int, received: int = 0, bits: int = 0, facts: int = 0) -> Request:
    return Request("flow", bits, facts, mail=Mail(sent, received))


class ScriptedRace:
    """Answers in the order that a test wants; notes who was called with which answer."""

    def __init__(self, script: list[tuple[int, Request | EpochEnd]]) -> None:
        self.script, self.partitions = script, 3
        self.called: list[tuple[int, object]] = []
        self.at_work: set[int] = set()

    def race(self, calls):
        self.at_work = set(range(len(calls)))
        return self

    def call(self, number, call):
        assert number not in self.at_work, "a node is called again before it has answered"
        self.at_work.add(number)
        self.called.append((number, call.arguments[0][0]))

    def take(self):
        number, step = self.script.pop(0)
        self.at_work.remove(number)
        return number, step


def run(script: list[tuple[int, Request | EpochEnd]], limits: Limits | None = None) -> ScriptedRace:
    nodes = ScriptedRace(script)
    rounds = Rounds(nodes)
    rounds.limits = limits or Limits()
    assert rounds.run(1, [Call(Service.resume, None, 1)] * 3) == [END] * 3
    assert not script
    return nodes


def test_a_partition_with_messages_goes_on_while_another_is_at_work() -> None:
    script = [
        (0, flow(0, 0, 0)),
        (2, flow(5, 0, 0)),  # 0 goes on, though 1 has not answered
        (0, flow(0, 0, 2, received=5)),  # and so does 2
        (2, flow(5, 0, 0, received=2)),
        (1, flow(0, 0, 0, bits=4)),  # nothing is under way: all receive the bits
        *((number, END) for number in (2, 1, 0)),
    ]
    called = run(script).called
    assert sorted(called[2:]) == [(0, 4), (1, 4), (2, 4)]
    assert called[:2] == [(0, SENT), (2, SENT)]


def test_a_phase_does_not_end_before_messages_that_are_held_back_arrive() -> None:
    late = flow(0, 0, 0)
    script = [(0, late), (1, flow(1, 0, 0)), (2, flow(0, 0, 0)), (0, late), (0, late), (0, flow(0, 0, 0, received=1))]
    called = run([*script, *((number, END) for number in range(3))]).called
    assert called == [(0, SENT)] * 3 + [(0, 0), (1, 0), (2, 0)]


def test_a_limit_is_looked_at_whenever_a_partition_answers() -> None:
    with pytest.raises(LimitError):
        run([(0, flow(0, 0, 0, facts=6)), (1, flow(0, 0, 0, facts=6))], Limits(10))
