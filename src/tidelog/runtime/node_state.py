"""The state of a node: one partition with its strata, and what it asks of the others in the middle of an epoch.

Law: all nodes of an engine take the same steps: where one could send messages all of them stop, are given what the
others sent, and learn together whether there was any. One node alone waits for nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tidelog.partition.exchange import take_leaving
from tidelog.partition.owner import Messages
from tidelog.partition.partition import Partition
from tidelog.partition.progress import facts_made
from tidelog.partition.stratum import Stratum
from tidelog.runtime.channel import Channel
from tidelog.runtime.reach import Readers
from tidelog.runtime.request import Request, Steps

# Bits of a request: a partition has something to do in the stratum; it sent messages; it wants the stratum built again.
ACTIVE, SENT, REBUILD = 1, 2, 4


class NodeState:
    """What the steps of an epoch work on."""

    def __init__(self, partition: Partition, channel: Channel) -> None:
        self.partition = partition
        self.channel = channel
        self.strata: dict[str, Stratum] = {}  # by relation
        self.readers = Readers()
        self.messages = self.exchanges = 0  # of the epoch that runs
        self.visiting: tuple[str, ...] = ()  # the relations of the stratum that is visited

    @property
    def is_alone(self) -> bool:
        """Whether there is no other partition."""
        return self.partition.partitions == 1

    def distinct_strata(self) -> list[Stratum]:
        """Every stratum once."""
        return list({id(stratum): stratum for stratum in self.strata.values()}.values())

    def begin(self) -> None:
        """Start an epoch."""
        self.partition.begin()
        self.messages = self.exchanges = 0

    def exchange(self, bits: int = 0) -> Steps[int]:
        """Send what leaves and wait for the others: the bits of all; SENT as long as there is mail for anybody."""
        if self.is_alone:
            return 0
        sent = self.channel.deliver(take_leaving(self.partition))
        answer = yield self._request("any", bits | (SENT if sent else 0), sent)
        assert isinstance(answer, int)
        return answer

    def exchange_all(self, absorb: Callable[[Messages], None], bits: int = 0) -> Steps[int]:
        """Exchange and absorb what arrives until nobody sends any more; gives the bits of the first exchange."""
        first = answer = yield from self.exchange(bits)
        while answer & SENT:
            for messages in self.channel.collect():
                absorb(messages)
            answer = yield from self.exchange()
        return first

    def highest(self, number: int) -> Steps[int]:
        """The highest of the numbers that all partitions name here."""
        answer = number if self.is_alone else (yield self._request("highest", number))
        assert isinstance(answer, int)
        return answer

    def union(self, names: Iterable[str]) -> Steps[frozenset[str]]:
        """All names that some partition names here."""
        answer = frozenset(names) if self.is_alone else (yield self._request("union", frozenset(names)))
        assert isinstance(answer, frozenset)
        return answer

    def used(self) -> tuple[int, int]:
        """Facts that the epoch made, and the bytes held if those are limited."""
        machine = self.partition.machine
        return facts_made(machine), 0 if machine.limits.memory is None else self.partition.memory()

    def _request(self, kind: str, value: int | frozenset[str], sent: int = 0) -> Request:
        self.messages += sent
        self.exchanges += 1
        return Request(kind, value, sent, *self.used(), self.visiting)
