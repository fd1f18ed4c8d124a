"""Messages between partitions, as a node sees them: outgoing ones are handed over, incoming ones are collected.

Law: collected messages belong to the current run of the node; messages of any other run are void. Rows are counted
where they leave and where they are collected: the two sums are equal when no messages are under way. An *exchange* ends
when none are under way, for all partitions; messages are sent and collected in the same exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tidelog.partition.base.owner import Messages
from tidelog.runtime.base.request import Mail


class Channel:
    """What other partitions have sent to this one, until it is collected; a single partition receives nothing."""

    def __init__(self) -> None:
        self.run = self.exchange = 0  # the numbers of the node's current run, and of the exchange in it
        self._sent: dict[int, int] = {}
        self._received = 0

    def begin(self, run: int) -> None:
        """Begin another run of the node."""
        self.run, self.exchange, self._sent, self._received = run, 0, {}, 0

    def mail(self, partitions: int) -> Mail:
        """The numbers of rows sent and received since the run began."""
        return Mail(tuple(self._sent.get(to, 0) for to in range(partitions)), self._received)

    def send(self, leaving: Mapping[int, Messages]) -> int:
        """Count and deliver what leaves; returns the number of messages."""
        if not leaving:
            return 0
        for to, messages in leaving.items():
            self._sent[to] = self._sent.get(to, 0) + sum(map(len, messages.values()))
        self.deliver(leaving)
        return sum(len(rows) for messages in leaving.values() for rows in messages.values())

    def receive(self) -> list[Messages]:
        """Collect and count what has arrived."""
        found = list(self.collect())
        self._received += sum(len(rows) for messages in found for rows in messages.values())
        return found

    def deliver(self, leaving: Mapping[int, Messages]) -> None:
        """Send what leaves to the other partitions."""
        raise AssertionError("a single partition has no other partition to write to")

    def collect(self) -> Iterable[Messages]:
        """The messages of this exchange that have arrived."""
        return ()

    @property
    def arrived(self) -> int:
        """The bytes of messages that have arrived and are not collected."""
        return 0

    def ease(self, receivers: Iterable[int], relieve: Callable[[], None]) -> None:
        """Wait until these partitions have room for more, and call ``relieve`` meanwhile."""
