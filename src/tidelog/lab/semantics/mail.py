"""Messages under way, and how many there have been.

Law: a message leaves by being delivered or cancelled, and none is made twice. Every message has a number, in the order
of sending; traffic counts those that go from one node to another, and their bytes.
Which message is delivered next is the business of a schedule.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.lab.semantics.algorithm import Message
from tidelog.lab.semantics.fact import Node, Update
from tidelog.lab.semantics.network import Network


class Mail:
    """The messages of one run."""

    def __init__(self) -> None:
        self.waiting: dict[int, Message] = {}
        self.messages = 0
        self.bytes = 0
        self.delivered = 0
        self.next_number = 1

    def send(self, network: Network, source: Node | None, updates: Iterable[Update]) -> tuple[Message, ...]:
        """Send each update to the node that owns its fact; None as source is the world outside."""
        return tuple(self.send_to(network.node_of(update.fact), source, update) for update in updates)

    def send_to(self, target: Node, source: Node | None, update: Update) -> Message:
        """Send one update to a node of the sender's choice."""
        message = Message(self.next_number, source, target, update)
        self.next_number += 1
        self.waiting[message.number] = message
        if not message.local:
            self.messages += 1
            self.bytes += message.size
        return message

    def take(self, message: Message) -> None:
        """The message has been delivered."""
        del self.waiting[message.number]
        self.delivered += 1

    def cancel(self, message: Message) -> None:
        """The message is dropped before it is processed."""
        del self.waiting[message.number]

    def since(self, number: int) -> tuple[Message, ...]:
        """The messages under way that were sent with this number or a later one."""
        return tuple(self.waiting[n] for n in range(number, self.next_number) if n in self.waiting)

    def pending(self) -> tuple[Message, ...]:
        """All messages under way, in the order of sending."""
        return tuple(self.waiting.values())

    def canonical(self) -> frozenset[tuple[object, int]]:
        """The messages without their numbers, counted: two runs that differ only in numbers are in the same state."""
        counts: dict[object, int] = {}
        for message in self.waiting.values():
            key = (message.source, message.target, message.update)
            counts[key] = counts.get(key, 0) + 1
        return frozenset(counts.items())


class MessageCounts:
    """What every algorithm that sends messages can say about them."""

    def __init__(self) -> None:
        self._mail = Mail()

    @property
    def messages(self) -> int:
        """Messages sent from one node to another."""
        return self._mail.messages

    @property
    def bytes(self) -> int:
        """Bytes of those messages."""
        return self._mail.bytes

    @property
    def updates(self) -> int:
        """Messages processed, those a node sent to itself included."""
        return self._mail.delivered
