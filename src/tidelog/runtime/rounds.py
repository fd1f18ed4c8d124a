"""An epoch on several nodes, in rounds.

Law: in a round all nodes take a step, and every request is answered with what all of them said; then the next round
begins. All nodes take the same steps, so that all make the same request or all have ended. Limits of an epoch
hold for the sum over all partitions, and are looked at in every round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tidelog.partition.limits import Limits, check_facts, check_memory
from tidelog.runtime.call import Call
from tidelog.runtime.node_state import SENT
from tidelog.runtime.nodes import Nodes
from tidelog.runtime.outcome import EpochOutcome
from tidelog.runtime.request import Request, join_answers
from tidelog.runtime.service import Ended, Service


class Rounds:
    """Runs epochs; knows in which round and stratum the last one is, or was."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self.limits = Limits()
        self.on_slice: Callable[[], None] = lambda: None
        self.number = 0
        self.stratum: tuple[str, ...] = ()

    def run(self, run: int, starts: Sequence[Call[Service, Request | Ended]]) -> list[Ended]:
        """Carry out the run whose calls to start it are given, one for each node."""
        steps = self._nodes.ask_each(starts)
        self.number, self.stratum = 0, ()
        while requests := [step for step in steps if isinstance(step, Request)]:
            assert len(requests) == len(steps), "partitions are at different places"
            self.number, self.stratum = self.number + 1, requests[0].stratum
            check_limits(self.limits, requests)
            self.on_slice()
            answer = join_answers(requests)
            if requests[0].kind == "any" and self._nodes.has_messages():
                assert isinstance(answer, int)
                answer |= SENT
            steps = self._nodes.ask(Service.resume, answer, run)
        ended = [step for step in steps if isinstance(step, Ended)]
        check_limits(self.limits, [end.outcome for end in ended])
        return ended


def check_limits(limits: Limits, used: Sequence[Request | EpochOutcome]) -> None:
    """Raise LimitError if what all partitions used is more than the limits allow."""
    check_facts(limits, sum(part.facts for part in used))
    check_memory(limits, sum(part.bytes for part in used))
