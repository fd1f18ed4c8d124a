"""The original pipelined algorithm, with its three faults (LAM 2010, section 3.1 and Figure 1; PPDP 2011, Figure 6).

A node has a queue. When an update is sent, the receiving node's table changes at once and the update joins the queue;
when it is dequeued, its delta rules fire on whatever the tables hold by then. There are no tables with ν.

This breaks the law of `algorithm` in three ways, each a named test: a deletion finds its partners gone already and
leaves an unsupported fact behind (unsound); a rule that reads one fact twice fires twice for it (double derivation);
insertions and deletions chase each other around a cycle (divergence). Queues are first in, first out, as its authors
assume; ``fifo=False`` lets a node take any update of its queue.

With ``timestamps`` rows carry the number of the message that brought them, and a delta rule reads only rows that are
not younger than its update, those before the update's position only older ones. That counts an insertion once; but the
deletion of a fact finds the fact itself gone, so the double derivation becomes one that is never taken back, and the
other two faults stay as they are. A selection reads the tables as they are in any case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from tidelog.lab.semantics.algorithm import Event, Message, Schedule, Tables
from tidelog.lab.semantics.annotation import PLAIN
from tidelog.lab.semantics.configuration import check_precondition
from tidelog.lab.semantics.delta import axioms, best, chosen, fire_delta_rules
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Node, Occurrence, Row, Update
from tidelog.lab.semantics.mail import Mail, MessageCounts
from tidelog.lab.semantics.network import prepare
from tidelog.lab.semantics.state import State
from tidelog.program import Program


class Original(MessageCounts):
    """Pipelined semi-naive evaluation as first published, with counts."""

    name = "psn-original"

    def __init__(self, *, fifo: bool = True, central: bool = False, timestamps: bool = False) -> None:
        super().__init__()
        self._fifo, self._central, self._timestamps = fifo, central, timestamps

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables."""
        self.network = prepare(program, central=self._central)
        self._state, self._mail = State(), Mail()
        self._stamps: dict[Occurrence, tuple[int, ...]] = {}
        self._base: Counter[Fact] = Counter()
        self._shown: dict[tuple[str, Row], Fact | None] = {}
        self._send(None, axioms(self.network, PLAIN))
        self.apply(Update(INSERT, fact) for fact in (*self.network.facts, *facts))

    def apply(self, changes: Iterable[Update]) -> None:
        """Changes reach their nodes, and their tables, at once."""
        updates = list(changes)
        self._base = check_precondition(self._base, updates)
        self._send(None, updates)

    def pending(self) -> tuple[Message, ...]:
        """The head of every node's queue; without FIFO the whole queues."""
        if not self._fifo:
            return self._mail.pending()
        heads: dict[Node, Message] = {}
        for message in self._mail.pending():
            heads.setdefault(message.target, message)
        return tuple(heads.values())

    def step(self, schedule: Schedule) -> Event:
        """A node dequeues an update and fires its delta rules on the tables as they are."""
        message = schedule.choose(self.pending())
        self._mail.take(message)
        older, old = (self._seen_by(message, strictly) for strictly in (True, False))
        derived = fire_delta_rules(self.network, PLAIN, message.update, old, older)
        derived += self._choose(message)
        return Event("deliver", message, self._send(message.target, derived))

    def _send(self, source: Node | None, updates: Iterable[Update]) -> tuple[Message, ...]:
        messages = self._mail.send(self.network, source, updates)
        for message in messages:
            self._arrive(message)
        return messages

    def _arrive(self, message: Message) -> None:
        update = message.update
        if update.sign > 0:
            self._state = self._state.plus(message.target, update.occurrence)
            self._stamps[update.occurrence] = (*self._stamps.get(update.occurrence, ()), message.number)
        elif self._state.holds(message.target, update.occurrence):
            self._state = self._state.minus(message.target, update.occurrence)
            self._stamps[update.occurrence] = self._stamps[update.occurrence][1:]

    def _seen_by(self, message: Message, strictly: bool) -> State:
        """The tables as the delta rules of an update read them: all, or what is not younger than the update."""
        if not self._timestamps:
            return self._state
        last = message.number - strictly
        rows = [row for row, stamps in self._stamps.items() for stamp in stamps if stamp <= last]
        return State.of(self.network, rows)

    def _choose(self, message: Message) -> list[Update]:
        """What a choice shows follows the table as it is when a candidate is dequeued."""
        choice = self.network.choice_of.get(message.update.fact.relation)
        if choice is None:
            return []
        group = choice.group(message.update.fact.row)
        table = self._state.table(message.target, choice.candidates)
        after = best(choice, (o for o in table.distinct() if choice.group(o.fact.row) == group))
        key = (choice.candidates, group)
        before, now = self._shown.get(key), None if after is None else chosen(choice, after.fact)
        self._shown = {**self._shown, key: now}
        changes = [(DELETE, before), (INSERT, now)] if before != now else []
        return [Update(sign, fact) for sign, fact in changes if fact is not None]

    def quiescent(self) -> bool:
        """All queues are empty."""
        return not self._mail.waiting

    def tables(self) -> Tables:
        """What the nodes believe."""
        return self._state.tables()

    def canonical(self) -> Hashable:
        """Tables and queues; the order inside a queue counts."""
        queues: dict[Node, list[Hashable]] = {}
        for message in self._mail.pending():
            queues.setdefault(message.target, []).append((message.source, message.update))
        order = tuple if self._fifo else _counted
        return (
            self._state,
            frozenset(self._shown.items()),
            self._order() if self._timestamps else (),
            frozenset((node, order(queue)) for node, queue in queues.items()),
        )

    def _order(self) -> Hashable:
        """Which row and which message is older than which, without the numbers themselves."""
        rows = [(stamp, row) for row, stamps in self._stamps.items() for stamp in stamps]
        messages = [(message.number, message.update) for message in self._mail.pending()]
        return tuple(what for _, what in sorted((*rows, *messages), key=lambda item: item[0]))


def _counted(queue: list[Hashable]) -> Hashable:
    return frozenset(Counter(queue).items())
