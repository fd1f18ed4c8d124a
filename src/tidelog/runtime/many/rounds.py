"""An epoch on several nodes: phases that end when nothing is under way, and questions that all nodes answer together.

Law: all nodes take the same steps, so that at the end of a phase all make the same request or all have ended; every
request is then answered with the combined values of all. Inside a phase (``flow``) no node waits for all others: a node
that is idle reports how many rows it has sent to each node and received since the epoch began, and continues as soon as
rows for it are known to exist. A node whose call was answered does nothing until it is called again, so that when all
have answered and as many rows were received as were sent, no message is under way, and none will be. The limits of an
epoch apply to the sum over all partitions, and are checked whenever a node answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tidelog.partition.base.limits import Limits, check_facts, check_memory
from tidelog.runtime.base.call import Call
from tidelog.runtime.base.outcome import EpochOutcome
from tidelog.runtime.base.request import Answer, Request, join_answers
from tidelog.runtime.node.node_state import SENT
from tidelog.runtime.protocol.nodes import Nodes
from tidelog.runtime.protocol.service import EpochEnd, Service


class Rounds:
    """Runs epochs; keeps the round and the stratum of the last one."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self.limits = Limits()
        self.on_slice: Callable[[], None] = lambda: None
        self.number = 0
        self.stratum: tuple[str, ...] = ()

    def run(self, run: int, starts: Sequence[Call[Service, Request | EpochEnd]]) -> list[EpochEnd]:
        """Carry out a run, given the calls that start it, one for each node."""
        self.number, self.stratum = 0, ()
        race = self._nodes.race(starts)
        last_steps: dict[int, Request | EpochEnd] = {}  # the last answer of each node
        idle: set[int] = set()  # the nodes that are not at work
        while True:
            number, step = race.take()
            last_steps[number] = step
            idle.add(number)
            self._look_at(step, last_steps)
            for each, answer in self._answers(last_steps, idle).items():
                idle.remove(each)
                race.call(each, Call(Service.resume, answer, run))
            if len(idle) == len(starts):
                return [step for _, step in sorted(last_steps.items()) if isinstance(step, EpochEnd)]

    def _look_at(self, step: Request | EpochEnd, last_steps: Mapping[int, Request | EpochEnd]) -> None:
        if isinstance(step, Request):
            self.number, self.stratum = self.number + 1, step.stratum
        check_limits(
            self.limits, [each.outcome if isinstance(each, EpochEnd) else each for each in last_steps.values()]
        )
        self.on_slice()

    def _answers(self, last_steps: Mapping[int, Request | EpochEnd], idle: set[int]) -> dict[int, Answer]:
        """The nodes that continue now, and the answers for them."""
        requests = {number: step for number, step in last_steps.items() if isinstance(step, Request)}
        flowing = {number for number in idle & requests.keys() if requests[number].kind == "flow"}
        awaited = flowing & with_mail(requests)
        if awaited:
            return dict.fromkeys(awaited, SENT)
        if len(idle) < self._nodes.partitions or not requests:
            return {}
        assert len(requests) == len(last_steps), "partitions are at different places"
        return dict.fromkeys(requests, join_answers(list(requests.values())))


def with_mail(requests: Mapping[int, Request]) -> set[int]:
    """The nodes to which more rows were sent than they have received, as far as is known.

    >>> from tidelog.runtime.base.request import Mail
    >>> first, second = Mail((0, 3), received=0), Mail((0, 0), received=1)
    >>> with_mail({0: Request("flow", 0, mail=first), 1: Request("flow", 0, mail=second)})
    {1}
    """
    mail = [request.mail for request in requests.values()]
    return {n for n, own in requests.items() if sum(each.sent[n] for each in mail) > own.mail.received}


def check_limits(limits: Limits, used: Sequence[Request | EpochOutcome]) -> None:
    """Raise LimitError if all partitions together have exceeded the limits."""
    check_facts(limits, sum(part.facts for part in used))
    check_memory(limits, sum(part.bytes for part in used))
