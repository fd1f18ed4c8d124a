"""The state of a node: one partition with its strata, and its requests to the others during an epoch.

Law: all nodes of an engine take the same steps. In a phase in which any of them could send messages, each continues as
long as it has messages to absorb, and the phase ends for all when none are under way (`rounds`). A single node never
waits. Messages leave when their window is full, and a sender waits for receivers that hold too many. No node waits
forever: a node counts what has arrived whether it works, is idle, or waits itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from tidelog.partition.base.demanded_groups import Due
from tidelog.partition.base.owner import Messages
from tidelog.partition.code.stratum import Stratum
from tidelog.partition.phases.exchange import count_early, take_leaving
from tidelog.partition.phases.partition import Partition
from tidelog.runtime.base.channel import Channel
from tidelog.runtime.base.reach import Readers
from tidelog.runtime.base.request import Answer, Request, Steps

# Bits of a request: a partition has work in the stratum, or has sent messages; it requests a rebuild of the stratum;
# groups of a min or max must be cleaned up; some of them show nothing. Bit of an answer: messages are under way.
ACTIVE, SENT, REBUILD, UNCLEAN, UNSETTLED = 1, 2, 4, 8, 16
MOST_ARRIVED = 16 << 20  # bytes of messages that a node holds before it counts them early


class NodeState:
    """What the steps of an epoch work on."""

    def __init__(self, partition: Partition, channel: Channel) -> None:
        self.partition = partition
        self.channel = channel
        self.strata: dict[str, Stratum] = {}  # by relation
        self.ordered: list[Stratum] = []  # those with rules, lower ones first
        self.readers = Readers()
        self.messages = self.exchanges = self.sent = 0  # of the running epoch
        self.waiting = 0.0
        self.visiting: tuple[str, ...] = ()  # the relations of the stratum that is visited
        self._has_sent = False  # in this exchange
        self._early = self._relieving = False  # messages were counted, and what follows from them is not fired
        partition.machine.send, partition.machine.relieve = self._send_window, self.relieve
        self.frees_rows = False  # whether the work of an epoch is carried out once, and its rows are not needed again

    @property
    def is_alone(self) -> bool:
        """Whether there is no other partition."""
        return self.partition.partitions == 1

    def distinct_strata(self) -> list[Stratum]:
        """Every stratum, once."""
        return list({id(stratum): stratum for stratum in self.strata.values()}.values())

    def begin(self) -> None:
        """Start an epoch."""
        self.partition.begin()
        self.messages = self.exchanges = self.sent = 0
        self.waiting = 0.0
        self._has_sent = self._early = False

    def flow(self, absorb: Callable[[Messages], None], bits: Callable[[], int] = lambda: 0) -> Steps[int]:
        """Send what leaves and absorb what arrives, until nothing is under way; returns the bits of all at the end.

        ``bits`` is called whenever this partition is idle; a partition that has sent messages adds ACTIVE.
        """
        if self.is_alone:
            return 0
        self._send()
        while True:
            while (found := self.channel.receive()) or self._early:
                self._early = False
                for messages in found or ({},):
                    absorb(messages)
                self._send()
            answer = yield from self._ask("flow", bits() | (ACTIVE if self._has_sent else 0))
            assert isinstance(answer, int)
            if not answer & SENT:
                self.channel.exchange += 1
                self._has_sent, self.partition.epoch.arriving = False, None
                return answer

    def _send(self) -> Iterable[int]:
        """Send what leaves; returns the receivers."""
        leaving = take_leaving(self.partition)
        sent = self.channel.send(leaving)
        self._has_sent = self._has_sent or sent > 0
        self.messages += sent
        self.sent += sum(rows.nbytes for messages in leaving.values() for rows in messages.values())
        return leaving

    def _send_window(self) -> None:
        """In the middle of a batch, send what leaves, and wait for receivers that hold too much."""
        self.channel.ease(self._send(), self.relieve)

    def relieve(self) -> None:
        """Count what has arrived if it is too much to hold, and the phase in which it counts has opened here."""
        if self._relieving or self.partition.epoch.arriving is None or self.channel.arrived <= MOST_ARRIVED:
            return
        self._relieving = True
        try:
            for messages in self.channel.receive():
                self._early = True
                count_early(self.partition, messages)
        finally:
            self._relieving = False

    def highest(self, number: int) -> Steps[int]:
        """The highest of the numbers that the partitions pass here."""
        answer = number if self.is_alone else (yield from self._ask("highest", number))
        assert isinstance(answer, int)
        return answer

    def first_due(self, due: Due | None) -> Steps[Due | None]:
        """What is due first on any partition."""
        answer = due if self.is_alone else (yield from self._ask("first_due", due))
        assert answer is None or isinstance(answer, Due)
        return answer

    def union(self, names: Iterable[str]) -> Steps[frozenset[str]]:
        """The union of the names that the partitions pass here."""
        answer = frozenset(names) if self.is_alone else (yield from self._ask("union", frozenset(names)))
        assert isinstance(answer, frozenset)
        return answer

    def used(self) -> tuple[int, int]:
        """The number of facts that the epoch created, and the bytes held if those are limited."""
        machine = self.partition.machine
        return machine.facts_created, 0 if machine.limits.memory is None else self.partition.memory()

    def _ask(self, kind: str, value: Answer) -> Steps[Answer]:
        """The joined values of all partitions; the time until the answer counts as waiting."""
        self.exchanges += 1
        mail = self.channel.mail(self.partition.partitions)
        began = time.perf_counter()
        answer = yield Request(kind, value, *self.used(), self.visiting, mail)
        self.waiting += time.perf_counter() - began
        return answer
