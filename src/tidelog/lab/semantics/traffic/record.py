"""A run, step by step: what was delivered, what was sent, which rows changed where.

Law: the recorded changes add up: starting from empty tables and setting every changed row to its recorded count yields,
after any step, the tables that the algorithm had then. So a recording can be played forwards and backwards without the
algorithm. A *round* is one link of the longest chain of messages between nodes in which each was sent because the one
before it was delivered.
Nothing here chooses a message or knows how an algorithm works.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.lab.semantics.algorithm import Algorithm, Event, Message, Schedule, Tables
from tidelog.lab.semantics.fact import Node, Row, Update, order
from tidelog.lab.semantics.semantics_failures import NOT_QUIESCENT


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of a node's table and how often it occurs there now; 0 if it was removed."""

    node: Node
    relation: str
    row: Row
    count: int


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One event of an epoch, the messages it delivered and the rows that it changed.

    Epoch 0 is the loading of program and topology. An iteration may deliver several messages at once.
    """

    epoch: int
    event: Event
    delivered: tuple[Message, ...]
    changes: tuple[RowChange, ...]


@dataclass(slots=True)
class RecordingSchedule:
    """A schedule that remembers what it chose since it was last asked."""

    schedule: Schedule
    chosen: list[Message] = field(default_factory=list)

    def choose(self, pending: Sequence[Message]) -> Message:
        """Whatever the schedule chooses."""
        self.chosen.append(self.schedule.choose(pending))
        return self.chosen[-1]

    def taken(self) -> tuple[Message, ...]:
        """The choices since the last call."""
        chosen, self.chosen = tuple(self.chosen), []
        return chosen


@dataclass(slots=True)
class RoundCounter:
    """Counts rounds: a message that crosses a link lies one round after the deepest of those whose delivery sent it."""

    rounds: int = 0
    _depth: dict[int, int] = field(default_factory=dict)

    def see(self, delivered: Iterable[Message], sent: Iterable[Message]) -> None:
        """Note what one event took in and sent. What a barrier sends follows everything before it."""
        taken = [self._depth.pop(message.number, 0) for message in delivered]
        before = max(taken) if taken else self.rounds
        for message in sent:
            self._depth[message.number] = before + (not message.local)
            self.rounds = max(self.rounds, self._depth[message.number])


@dataclass(slots=True)
class Recorder:
    """Steps an algorithm through epochs of changes and keeps what happened."""

    algorithm: Algorithm
    schedule: Schedule
    limit: int = 100_000
    steps: list[EventRecord] = field(default_factory=list)
    epochs: list[tuple[Update, ...]] = field(default_factory=list)
    rounds: int = 0
    _tables: Tables = field(default_factory=dict)

    def epoch(self, changes: Iterable[Update] | None) -> Iterator[EventRecord]:
        """Apply the changes (None: what `load` left pending) and step until quiescent, yielding each step."""
        updates = tuple(changes or ())
        if changes is not None:
            self.algorithm.apply(updates)
        self.epochs.append(updates)
        clock, watched = RoundCounter(), RecordingSchedule(self.schedule)
        while not self.algorithm.quiescent():
            self._check_limit()
            event = self.algorithm.step(watched)
            delivered = watched.taken()
            clock.see(delivered, event.sent)
            self.steps.append(EventRecord(len(self.epochs) - 1, event, delivered, self._changes()))
            yield self.steps[-1]
        self.rounds += clock.rounds

    def play(self, script: Sequence[Sequence[Update]]) -> None:
        """Load, then every epoch of the script, without looking in between."""
        for changes in (None, *script):
            for _ in self.epoch(changes):
                pass

    def _check_limit(self) -> None:
        if len(self.steps) >= self.limit:
            under_way = len(self.algorithm.pending())
            raise NOT_QUIESCENT.error(algorithm=self.algorithm.name, limit=self.limit, pending=under_way)

    def _changes(self) -> tuple[RowChange, ...]:
        before, now = self._tables, self.algorithm.tables()
        self._tables = {node: {name: rows.copy() for name, rows in tables.items()} for node, tables in now.items()}
        return tuple(_differences(before, self._tables))


def _differences(before: Tables, now: Tables) -> Iterator[RowChange]:
    for node in sorted(before.keys() | now.keys(), key=order):
        old, new = before.get(node, {}), now.get(node, {})
        for relation in sorted(old.keys() | new.keys()):
            was: Mapping[Row, int] = old.get(relation, {})
            has: Mapping[Row, int] = new.get(relation, {})
            changed = [row for row in was.keys() | has.keys() if was.get(row, 0) != has.get(row, 0)]
            for row in sorted(changed, key=order):
                yield RowChange(node, relation, row, has.get(row, 0))


def nodes_of(steps: Iterable[EventRecord]) -> set[Node]:
    """Every node that a step of the run mentions."""
    nodes: set[Node] = set()
    for step in steps:
        nodes |= {message.target for message in (*step.event.sent, *step.delivered)}
        nodes |= {change.node for change in step.changes}
    return nodes
