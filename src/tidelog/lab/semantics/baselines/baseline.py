"""What the baselines share: a program on a network, messages under way, and the books about them.

Law: a baseline differs from the others only in what a node does with an update that reaches it (`receive`); sending,
counting and the check of the changes handed in are the same for all, so that their numbers can be compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import ClassVar

from tidelog.lab.semantics.algorithm import Event, Message, Schedule, Tables
from tidelog.lab.semantics.annotation import PLAIN, Annotation
from tidelog.lab.semantics.configuration import check_precondition
from tidelog.lab.semantics.delta import axioms
from tidelog.lab.semantics.fact import INSERT, Fact, Node, Update
from tidelog.lab.semantics.mail import Mail
from tidelog.lab.semantics.network import Network, prepare
from tidelog.lab.semantics.state import State
from tidelog.program import Program


class Baseline(ABC):
    """An algorithm in which any message under way may be delivered next."""

    name: ClassVar[str] = "baseline"
    annotation: ClassVar[Annotation] = PLAIN

    def __init__(self, *, central: bool = False) -> None:
        self._central = central
        self._state, self._mail = State(), Mail()
        self._base: Counter[Fact] = Counter()

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; every base fact is an insertion under way."""
        self.network = self.fitting(prepare(program, central=self._central))
        self._state, self._mail, self._base = State(), Mail(), Counter()
        self._mail.send(self.network, None, axioms(self.network, self.annotation))
        self.apply(Update(INSERT, fact) for fact in (*self.network.facts, *facts))

    def fitting(self, network: Network) -> Network:
        """The network, if the algorithm can run it; otherwise an error that says why not."""
        return network

    def apply(self, changes: Iterable[Update]) -> None:
        """Send changes of base facts; a deletion without its fact is a `DataError`."""
        updates = list(changes)
        self._base = check_precondition(self._base, updates)
        self._mail.send(self.network, None, map(self.asserted, updates))

    def asserted(self, update: Update) -> Update:
        """A change of a base fact with the note that the algorithm attaches to base facts."""
        return update

    def pending(self) -> tuple[Message, ...]:
        """All messages under way."""
        return self._mail.pending()

    def step(self, schedule: Schedule) -> Event:
        """Deliver one message."""
        message = schedule.choose(self.pending())
        self._mail.take(message)
        derived, note = self.receive(message.target, message.update)
        sent = self._mail.send(self.network, message.target, derived)
        return Event("deliver", message, (*sent, *self.answer(message)), note)

    @abstractmethod
    def receive(self, node: Node, update: Update) -> tuple[list[Update], str]:
        """What the node sends because of the update, and a word about what it did."""

    def answer(self, message: Message) -> tuple[Message, ...]:
        """What is sent back to the sender."""
        return ()

    def quiescent(self) -> bool:
        """No message is under way."""
        return not self._mail.waiting

    def tables(self) -> Tables:
        """What the nodes hold."""
        return self._state.tables()

    def canonical(self) -> Hashable:
        """Tables and messages: what the future depends on."""
        return self._state, self._mail.canonical()

    @property
    def messages(self) -> int:
        """Messages between nodes."""
        return self._mail.messages

    @property
    def bytes(self) -> int:
        """Bytes between nodes."""
        return self._mail.bytes

    @property
    def updates(self) -> int:
        """Messages delivered, those of a node to itself included."""
        return self._mail.delivered
