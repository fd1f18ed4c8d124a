"""Algorithms that work in epochs: what delete and re-derive and ranked support have in common.

Law: an epoch is a sequence of phases, and a barrier ends a phase when none of its messages is under way; inside a phase
messages may arrive in any order. Changes applied while an epoch runs wait for the next one, so that an epoch sees one
set of base facts from its beginning to its end.
Which phases there are and what a message does is said by the algorithms (`dred`, `ranked`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable

from tidelog.lab.semantics.algorithm import Event, Message, Schedule, Tables
from tidelog.lab.semantics.asserted import AssertedFacts
from tidelog.lab.semantics.fact import INSERT, Fact, Update
from tidelog.lab.semantics.groups import Groups
from tidelog.lab.semantics.mail import Mail, MessageCounts
from tidelog.lab.semantics.network import Network, prepare
from tidelog.lab.semantics.visible import VisibleFacts
from tidelog.program import Program

IDLE = "idle"
"""The phase between two epochs."""


class EpochAlgorithm(MessageCounts, ABC):
    """An algorithm over a network whose phases are separated by barriers."""

    def __init__(self, *, central: bool = False) -> None:
        super().__init__()
        self._central = central

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; the base facts are the changes of the first epoch."""
        self.network: Network = prepare(program, central=self._central)
        self.asserted, self.visible = AssertedFacts(self.network), VisibleFacts(self.network)
        self._mail, self._groups = Mail(), Groups(self.network)
        self._phase, self.barriers = IDLE, 0
        self.apply(Update(INSERT, fact) for fact in (*self.network.facts, *facts))

    def apply(self, changes: Iterable[Update]) -> None:
        """Changes of the next epoch."""
        self.asserted.apply(changes)

    def pending(self) -> tuple[Message, ...]:
        """All messages of the phase."""
        return self._mail.pending()

    def quiescent(self) -> bool:
        """No epoch runs and none is due."""
        return self._phase == IDLE and not self.asserted.due()

    def step(self, schedule: Schedule) -> Event:
        """Deliver a message, or, when the phase is quiet, begin the next one."""
        before = self._mail.next_number
        if not self._mail.waiting:
            self.barriers += 1
            note = self._barrier()
            return Event("barrier", None, self._mail.since(before), note)
        message = schedule.choose(self.pending())
        self._mail.take(message)
        self._deliver(message)
        return Event("deliver", message, self._mail.since(before), self._phase)

    @abstractmethod
    def _barrier(self) -> str:
        """Begin the next phase; returns a word about it."""

    @abstractmethod
    def _deliver(self, message: Message) -> None:
        """What the target does with a message."""

    def tables(self) -> Tables:
        """The visible facts, each once."""
        return self.visible.state.tables()

    def canonical(self) -> Hashable:
        """What the future of every such algorithm depends on; each adds what it keeps besides."""
        facts = (self.asserted.canonical(), self.visible.state)
        return facts, self._phase, self._groups.canonical(), self._mail.canonical()
