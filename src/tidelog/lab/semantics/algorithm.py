"""One interface for every maintenance algorithm: load a program, apply changes, deliver messages one at a time.

Law: an algorithm is *eventually consistent* when, once it is quiescent, its tables are those of evaluation from scratch
over the base facts that remain, whatever the schedule. The protocol says nothing about which algorithms keep this law;
`explore` and the tests do.
Nothing here chooses a message (see `schedule`) or evaluates a rule (see `evaluate`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from tidelog.lab.semantics.fact import Fact, Node, Row, Update, byte_size
from tidelog.lab.semantics.semantics_failures import NOT_QUIESCENT
from tidelog.program import Program

Tables: TypeAlias = "dict[Node, dict[str, Counter[Row]]]"
"""Per node and relation the rows with their multiplicity; under set semantics every count is 1."""


@dataclass(frozen=True, slots=True)
class Message:
    """One update on its way to the node that owns its fact.

    ``number`` counts the messages of one run in the order of sending; it is the only clock a schedule may read.
    """

    number: int
    source: Node | None
    target: Node
    update: Update

    @property
    def local(self) -> bool:
        """Sent by a node to itself, or from outside: it crosses no link and is not counted as traffic."""
        return self.source is None or self.source == self.target

    @property
    def size(self) -> int:
        """Bytes on the wire."""
        sign, (relation, row), note = self.update
        return byte_size([sign, relation, row] if note == () else [sign, relation, row, note])

    def __deepcopy__(self, memo: object) -> Message:
        return self  # immutable, so copies of an algorithm may share it

    def __str__(self) -> str:
        return f"{self.update} at {self.target}" if self.target != "" else str(self.update)


@dataclass(frozen=True, slots=True)
class Event:
    """What one step did. ``kind`` is ``deliver`` (a message was taken in) or ``barrier`` (a phase ended everywhere)."""

    kind: str
    message: Message | None = None
    sent: tuple[Message, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        what = self.note if self.message is None else str(self.message)
        sent = ", ".join(map(str, self.sent))
        return f"{self.kind} {what}" + (f" sends {sent}" if sent else "")


@runtime_checkable
class Schedule(Protocol):
    """Which of the messages under way is delivered next."""

    def choose(self, pending: Sequence[Message]) -> Message:
        """One of ``pending``, which is never empty and is ordered by number."""


@runtime_checkable
class Algorithm(Protocol):
    """A maintenance algorithm over a network of nodes.

    Life cycle: `load` once; then any number of `apply`, each followed by `step` until `quiescent`. An algorithm that
    needs epochs (DRed, ranked support) keeps changes applied in between for its next epoch.
    """

    @property
    def name(self) -> str:
        """The name by which users choose the algorithm."""

    @property
    def messages(self) -> int:
        """Messages sent so far from one node to another."""

    @property
    def bytes(self) -> int:
        """Bytes of those messages."""

    @property
    def updates(self) -> int:
        """Updates processed so far, those a node sent to itself included."""

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; the facts of the program and ``facts`` are pending insertions."""

    def apply(self, changes: Iterable[Update]) -> None:
        """Hand changes of base facts to the nodes that own them."""

    def pending(self) -> tuple[Message, ...]:
        """The messages that may be delivered next, ordered by number."""

    def step(self, schedule: Schedule) -> Event:
        """Deliver the message that the schedule chooses, or end the phase when none is under way."""

    def quiescent(self) -> bool:
        """Nothing is left to do."""

    def tables(self) -> Tables:
        """What every node holds."""


def run(algorithm: Algorithm, schedule: Schedule, limit: int = 100_000) -> list[Event]:
    """Step until the algorithm is quiescent; more than ``limit`` steps are a `LimitError`."""
    events: list[Event] = []
    while not algorithm.quiescent():
        if len(events) >= limit:
            raise NOT_QUIESCENT.error(algorithm=algorithm.name, limit=limit, pending=len(algorithm.pending()))
        events.append(algorithm.step(schedule))
    return events


def flatten(tables: Tables) -> Counter[Fact]:
    """The facts of all nodes together, with their multiplicities."""
    return Counter(
        {
            Fact(relation, row): count
            for node in tables.values()
            for relation, rows in node.items()
            for row, count in rows.items()
            if count
        }
    )


def as_sets(tables: Tables) -> Mapping[Node, Mapping[str, frozenset[Row]]]:
    """The tables without multiplicities and without empty relations and nodes: what two algorithms must agree on."""
    sets = {
        node: {relation: frozenset(row for row, n in rows.items() if n > 0) for relation, rows in relations.items()}
        for node, relations in tables.items()
    }
    kept = {node: {name: rows for name, rows in relations.items() if rows} for node, relations in sets.items()}
    return {node: relations for node, relations in kept.items() if relations}
