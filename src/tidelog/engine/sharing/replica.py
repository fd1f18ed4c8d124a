"""Copies of relations that readers use while an epoch has the turn.

Law (D24): a replica holds relations as of one committed epoch. A relation is copied when it is first requested during
an epoch; from then on every epoch leaves its changes of that relation, and a reader first applies those up to the last
committed epoch. So an epoch pays only for its own changes of copied relations, and a reader for the changes since the
last read; neither waits for the other. Copies are bounded, and dropped when they have not been read for a long time.

There are two, so that a look-up never waits for a query that runs rules. On Spark there are none: its relations are too
large to be copied into this process.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.texts.dictionary import Dictionary, ScratchDictionary
from tidelog.plan.work import EpochWork
from tidelog.program.functions.table import Function
from tidelog.runtime.one.embedded import EmbeddedRuntime
from tidelog.runtime.protocol.facts import Facts

IDLE = 1 << 12  # epochs that may wait for a reader
MUCH = 1 << 14  # changed rows from which on a look-up does not update copies
PATIENCE = 16  # look-ups that scan a relation before it is worth a copy
SMALL = 1 << 12  # facts that are copied at once
ROOM = 1 << 28  # bytes that copies may always occupy; beyond that, at most as much as the facts
CELL_BYTES = 8

PendingChanges = tuple[
    int, dict[str, NetChange[Cells]]
]  # the number of an epoch, and what it changed in copied relations


@dataclass(slots=True)
class Copies:
    """Relations copied into a separate runtime, and the epochs not yet applied to it."""

    runtime: EmbeddedRuntime
    names: frozenset[str] = frozenset()
    widths: dict[str, int] = field(default_factory=dict)  # the number of columns of those that hold or held facts
    pending: deque[PendingChanges] = field(default_factory=deque)
    rows: int = 0  # not yet applied


class Replica:
    """One set of copies, read by one thread at a time."""

    def __init__(self, make: Callable[[], EmbeddedRuntime], most: int) -> None:
        self._make, self._most = make, most  # rows that may wait
        self._passed = 0  # look-ups that found no copies
        self._is_copying = False
        self._reading = threading.Lock()
        self._copies: Copies | None = None
        self.epoch = 0  # of the copies; only valid while they are held

    @property
    def memory(self) -> int:
        """Bytes held by copies."""
        copies = self._copies
        return 0 if copies is None else copies.runtime.partition.relations.memory()

    def clear(self) -> None:
        """Drop all copies; current readers continue with the old ones."""
        copies, self._copies = self._copies, None
        if copies is not None and self._reading.acquire(blocking=False):
            copies.runtime.close()
            self._reading.release()

    def read_ahead(self, changes: Mapping[str, NetChange[Cells]]) -> None:
        """Read what an epoch changed in copied relations, before its commit is announced."""
        copies = self._copies
        if copies is not None:
            for name in copies.names & changes.keys():
                changes[name]

    def note(self, number: int, changes: Mapping[str, NetChange[Cells]]) -> None:
        """Leave the changes of a committed epoch to copied relations. Called while no reader copies."""
        copies = self._copies
        if copies is None:
            return
        found = {name: changes[name] for name in changes if name in copies.names}
        copies.pending.append((number, found))
        copies.rows += sum(len(plus) + len(minus) for plus, minus in found.values())
        is_as_before = all(c[0].shape[1] == copies.widths.setdefault(n, c[0].shape[1]) for n, c in found.items())
        if not is_as_before or len(copies.pending) > IDLE or copies.rows > self._most:
            self._copies = None

    def is_worth_asking(self, name: str, live: Facts) -> bool:
        """Whether a look-up should use a copy, although it could scan the facts instead.

        Making a copy takes about as long as scanning the facts a few times; look-ups that arrive meanwhile scan them.
        """
        copies = self._copies
        if self._is_copying or (copies is not None and name in copies.names):
            return not self._is_copying
        self._passed += 1
        return self._passed > PATIENCE or live.live(name) <= SMALL

    @contextmanager
    def at_last_epoch(
        self, names: Iterable[str], live: Facts, number: Callable[[], int]
    ) -> Iterator[EmbeddedRuntime | None]:
        """Copies of relations at the last committed epoch, fixed while held; None if they would be too large."""
        with self._reading:
            while (copies := self._with(frozenset(names), live, number)) is not None:
                last = number()
                if copies is self._copies:  # these have received every epoch so far
                    _catch_up(copies, last)
                    self.epoch = last
                    break
            yield None if copies is None else copies.runtime

    def _with(self, names: frozenset[str], live: Facts, number: Callable[[], int]) -> Copies | None:
        copies = self._copies
        if copies is not None and names <= copies.names:
            return copies
        room = max(ROOM, live.memory)
        if self.memory + _bytes(names, live) > room:
            copies = None
        if _bytes(names, live) > room:
            return None
        copies = copies or Copies(self._make())
        self._passed, self._is_copying = 0, True
        try:
            return self._copied(copies, names, live, number)
        finally:
            self._is_copying = False

    def _copied(self, copies: Copies, names: frozenset[str], live: Facts, number: Callable[[], int]) -> Copies:
        with live.one_epoch():
            at, fresh = number(), names - copies.names
            rows = {name: live.rows(name) for name in fresh if live.arity(name) is not None}
            copies.names |= fresh
            copies.widths.update((name, cells.shape[1]) for name, cells in rows.items())
            self._copies = copies
        _catch_up(copies, at)
        _apply(copies.runtime, rows, {})
        return copies


def _bytes(names: Iterable[str], live: Facts) -> int:
    """The approximate size of copies: a record and a place in a table for every fact, and an index."""
    return sum(live.live(name) * CELL_BYTES * ((live.arity(name) or 0) + 5) for name in names)


def _catch_up(copies: Copies, number: int) -> None:
    """Apply the pending changes of epochs up to a number."""
    found: dict[str, list[NetChange[Cells]]] = {}
    while copies.pending and copies.pending[0][0] <= number:
        _, changes = copies.pending.popleft()
        for name, change in changes.items():
            found.setdefault(name, []).append(change)
    if found:
        copies.rows = 0
        both = {name: _composed(changes) for name, changes in found.items()}
        inserts = {name: plus for name, (plus, _) in both.items() if len(plus)}
        _apply(copies.runtime, inserts, {name: minus for name, (_, minus) in both.items() if len(minus)})


def _composed(changes: list[NetChange[Cells]]) -> NetChange[Cells]:
    """The net effect of several successive changes: the last change of each row counts.

    >>> one, other = np.array([[1, 2]]), np.array([[3, 4]])
    >>> found = _composed([NetChange(one, other), NetChange(other, one)])
    >>> found.inserted.tolist(), found.deleted.tolist()
    ([[3, 4]], [[1, 2]])
    """
    if len(changes) == 1:
        return changes[0]
    rows = np.concatenate([part for change in reversed(changes) for part in change])
    signs = np.concatenate([np.full(len(p), 1 - 2 * i) for change in reversed(changes) for i, p in enumerate(change)])
    if not rows.shape[1]:
        return NetChange(rows[:1][signs[:1] > 0], rows[:1][signs[:1] < 0])
    keys = np.ascontiguousarray(rows).view([("", np.int64)] * rows.shape[1]).ravel()
    _, first = np.unique(keys, return_index=True)
    rows, signs = rows[first], signs[first]
    return NetChange(np.ascontiguousarray(rows[signs > 0]), np.ascontiguousarray(rows[signs < 0]))


def _apply(runtime: EmbeddedRuntime, inserts: Mapping[str, Cells], deletes: Mapping[str, Cells]) -> None:
    arities = {name: rows.shape[1] for name, rows in (*deletes.items(), *inserts.items())}
    runtime.run(EpochWork(arities, dict(inserts), deletes))
    runtime.commit()


class Replicas:
    """The replica that look-ups read, and the one on which queries run their rules."""

    def __init__(self, functions: Mapping[str, tuple[Function, ...]], dictionary: Dictionary) -> None:
        def make(own: bool) -> EmbeddedRuntime:
            return EmbeddedRuntime(functions, dictionary=ScratchDictionary(dictionary) if own else dictionary)

        self.of_look_ups = Replica(lambda: make(own=False), MUCH)
        self.of_questions = Replica(lambda: make(own=True), ROOM // 64)

    def clear(self) -> None:
        """Drop all copies."""
        self.of_look_ups.clear()
        self.of_questions.clear()

    @property
    def memory(self) -> int:
        """Bytes held by copies."""
        return self.of_look_ups.memory + self.of_questions.memory

    def read_ahead(self, changes: Mapping[str, NetChange[Cells]]) -> None:
        """Read what an epoch that is about to be committed changed in copied relations."""
        self.of_look_ups.read_ahead(changes)
        self.of_questions.read_ahead(changes)

    def note(self, number: int, changes: Mapping[str, NetChange[Cells]]) -> None:
        """Leave the changes of a committed epoch to the copies."""
        self.of_look_ups.note(number, changes)
        self.of_questions.note(number, changes)
