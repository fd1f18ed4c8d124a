"""Several partitions in one process: nodes called in turn, with a network of lists between them.

Law: messages may be delivered in any order and in any pieces, as long as each is delivered once: the facts and their
``all`` are the same. A `Network` accepts a function that chooses what to deliver, which tests use to deliver in the
most adverse order; engines made inside `delivered_by` use its function (`trial.order`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Concatenate, Generic, ParamSpec, TypeVar

from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import Messages
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.work import ArrivedRows
from tidelog.program.functions.table import Function
from tidelog.runtime.base.call import Call
from tidelog.runtime.base.channel import Channel
from tidelog.runtime.node.node import Node
from tidelog.runtime.protocol.runtime import DirectRows
from tidelog.runtime.protocol.service import Service

T = TypeVar("T")
P = ParamSpec("P")
Message = tuple[int, str, Cells]  # to, relation, rows of (body rank, how many, columns)
Choice = Callable[[list[Message]], tuple[list[Message], list[Message]]]  # -> those delivered now, those held back
Turn = Callable[[int], int]  # number of nodes that could continue -> the one that does
_DELIVERY: ContextVar[Choice | None] = ContextVar("delivery", default=None)


def _first(count: int) -> int:
    return 0


@contextmanager
def delivered_by(choose: Choice) -> Iterator[None]:
    """A context in which new nodes get their messages as chosen by this function."""
    token = _DELIVERY.set(choose)
    try:
        yield
    finally:
        _DELIVERY.reset(token)


class Network:
    """Messages on their way."""

    def __init__(self, partitions: int, choose: Choice | None = None) -> None:
        self._choose = choose
        self._waiting: list[Message] = []
        self._arrived: list[list[Messages]] = [[] for _ in range(partitions)]
        self.services: Sequence[Service] = ()

    def send(self, to: int, messages: Messages) -> None:
        """Accept messages; without a choice they are delivered at once."""
        if self._choose is None:
            self._arrived[to].append(messages)
        else:
            self._waiting += ((to, name, rows) for name, rows in messages.items())

    def take(self, number: int) -> Iterable[Messages]:
        """The messages that have arrived at a partition."""
        found, self._arrived[number] = self._arrived[number], []
        return found

    def arrived(self, number: int) -> int:
        """The bytes of the messages that have arrived at a partition."""
        return sum(rows.nbytes for messages in self._arrived[number] for rows in messages.values())

    def ease(self, sender: Channel, receivers: Iterable[int]) -> None:
        """Let the partitions count what they hold that have begun the sender's exchange; the others do not work yet."""
        self.deliver()
        for to in sorted(receivers):
            channel = self.services[to].node.channel
            if (channel.run, channel.exchange) == (sender.run, sender.exchange):
                self.services[to].relieve()

    def deliver(self) -> None:
        """Deliver what is chosen."""
        if self._choose is not None and self._waiting:
            now, self._waiting = self._choose(self._waiting)
            for to, name, rows in now:
                self._arrived[to].append({name: rows})

    def clear(self) -> None:
        """Drop all messages: those of an epoch that has ended are void."""
        self._waiting.clear()
        for arrived in self._arrived:
            arrived.clear()


class LocalChannel(Channel):
    """The messages of one partition on a network in this process."""

    def __init__(self, network: Network, number: int) -> None:
        super().__init__()
        self._network, self._number = network, number

    def deliver(self, leaving: Mapping[int, Messages]) -> None:
        """Send what leaves."""
        for to, messages in leaving.items():
            self._network.send(to, messages)

    def collect(self) -> Iterable[Messages]:
        """The messages that have arrived."""
        return self._network.take(self._number)

    @property
    def arrived(self) -> int:
        """The bytes of messages that have arrived and are not collected."""
        return self._network.arrived(self._number)

    def ease(self, receivers: Iterable[int], relieve: Callable[[], None]) -> None:
        """Let these partitions count what they hold: they are idle, since partitions in one process work in turn."""
        self._network.ease(self, receivers)


class LocalRace(Generic[T]):
    """Calls of nodes in this process: each is carried out when its answer is requested."""

    def __init__(self, nodes: LocalNodes, calls: Sequence[Call[Service, T]], turn: Turn) -> None:
        self._nodes, self._turn = nodes, turn
        self._calls = list(enumerate(calls))

    def call(self, number: int, call: Call[Service, T]) -> None:
        """Call a node whose last call was answered."""
        self._calls.append((number, call))

    def take(self) -> tuple[int, T]:
        """The number of a node and its answer; messages may arrive before it works."""
        number, call = self._calls.pop(self._turn(len(self._calls)))
        self._nodes.network.deliver()
        return number, call.on(self._nodes.services[number])


class LocalNodes:
    """Nodes in this process; they share one dictionary."""

    session = None

    def __init__(
        self,
        functions: Mapping[str, tuple[Function, ...]],
        partitions: int,
        dictionary: Dictionary,
        choose: Choice | None = None,
        turn: Turn = _first,
    ) -> None:
        self.partitions = partitions
        self._turn = turn
        self.network = Network(partitions, choose or _DELIVERY.get())
        self.services = [
            Service(Node(functions, number, partitions, dictionary, LocalChannel(self.network, number)))
            for number in range(partitions)
        ]
        self.network.services = self.services

    def send(self, arriving: Sequence[DirectRows], places: Mapping[str, int]) -> ArrivedRows:
        """Accept no rows here: rows reach these partitions through this process."""
        assert not arriving, "only Spark sends rows directly"
        return ArrivedRows()

    def ask(self, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> list[T]:
        """The answers of all nodes to the same call."""
        return self.ask_each([Call(method, *args, **named)] * self.partitions)

    def ask_each(self, calls: Sequence[Call[Service, T]]) -> list[T]:
        """The answers of all nodes, each to a separate call."""
        return [call.on(service) for service, call in zip(self.services, calls, strict=True)]

    def post(self, method: Callable[Concatenate[Service, P], None], *args: P.args, **named: P.kwargs) -> None:
        """Send a call to all nodes and wait, since nodes in this process work in turn."""
        self.ask(method, *args, **named)

    def ask_one(self, number: int, method: Callable[Concatenate[Service, P], T], *args: P.args, **named: P.kwargs) -> T:
        """The answer of one node."""
        return Call(method, *args, **named).on(self.services[number])

    def race(self, calls: Sequence[Call[Service, T]]) -> LocalRace[T]:
        """Call all nodes, and later single ones, in any order."""
        return LocalRace(self, calls, self._turn)

    def start_epoch(self, run: int, epoch: int) -> None:
        """Drop the messages of earlier runs."""
        self.network.clear()

    def watch(self, on_slice: Callable[[], None]) -> None:
        """Set the function that is called between slices of work."""
        for service in self.services:
            service.node.partition.machine.on_slice = on_slice

    def interrupt(self) -> None:
        """Do nothing: no node runs while this process does something else."""

    def restart(self) -> None:
        """Do nothing: nodes in this process are never lost."""

    def rest(self) -> None:
        """Do nothing: nodes in this process do not occupy slots that others need."""

    def go_on(self) -> None:
        """Do nothing: the nodes never stopped."""

    def close(self) -> None:
        """Do nothing: the memory of the nodes is freed with them."""
        for service in self.services:
            service.node.partition.close()
        self.services = self.network.services = []
