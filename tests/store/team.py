"""Partitions without rules, each with its piece, and the driver that commits for them: a history to be broken off.

Relation p lives by its first column, q on every partition, s on partition 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.store.disks import MemoryDisk, MemoryStore
from tidelog.errors import StateError
from tidelog.partition.base.owner import share_rows
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.work import EpochWork
from tidelog.program import Program
from tidelog.program.functions.table import FUNCTIONS
from tidelog.runtime.node.node import Node
from tidelog.store.base.store import Store
from tidelog.store.folder.durable import Durable, EpochRecord
from tidelog.store.folder.piece import Piece
from tidelog.store.log.markers import PieceNote

PARTITIONS = 2
PLACES = {"p": 0, "q": -2, "s": -1}
ARITIES = {"p": 2, "q": 1, "s": 0}
SCHEMA = {"p": ("number", "symbol"), "q": ("number",), "s": ()}
Rows = Mapping[str, list[tuple[int, ...]]]
Held = list[tuple[dict[str, Any], int, dict[int, Any]]]


@dataclass(frozen=True)
class Change:
    """The facts of an epoch, whether rules change in it, and whether a snapshot follows."""

    inserts: Rows = field(default_factory=dict)
    deletes: Rows = field(default_factory=dict)
    rules: bool = False
    snapshot: bool = False


def words(*pairs: tuple[int, str]) -> list[tuple[int, ...]]:
    """Rows of p."""
    return [(number, Dictionary().symbol(text)) for number, text in pairs]


WORDS = {Dictionary().symbol(text): text for text in ("a", "b", "c", "e")}
STORY = (
    Change({"p": words((1, "a"), (2, "b"), (3, "c"), (4, "a")), "q": [(7,)]}, rules=True),
    Change({"p": words((5, "a"))}, snapshot=True),  # one partition has work, the other has none
    Change({"q": [(8,)], "s": [()]}, {"p": words((1, "a")), "q": [(7,)]}, rules=True, snapshot=True),
    Change({"p": words(*((n, "e") for n in range(10, 30)))}, {"p": words((2, "b"), (5, "a"))}),
    Change(snapshot=True),  # no thread has work
    Change({"p": words((1, "a"))}, {"p": words((10, "e"), (11, "e")), "s": [()], "q": [(8,)]}),
)


class Team:
    """Partitions, pieces and driver; made of what a disk holds."""

    def __init__(self, disk: MemoryDisk, store: Store | None = None) -> None:
        place = store or MemoryStore(disk)
        self.durable = Durable.open(place, None, 0, lambda _: PARTITIONS)
        self.words = Dictionary()
        self.nodes = [Node(FUNCTIONS, number, PARTITIONS, self.words) for number in range(PARTITIONS)]
        self.pieces = [Piece(place, number) for number in range(PARTITIONS)]
        self.rules = Ruleset(Program(), FUNCTIONS)
        for node, piece in zip(self.nodes, self.pieces, strict=True):
            if not self.durable.is_new:
                piece.load(self.durable.epoch, node.partition)
            node.adopt(ARITIES, [], [], PLACES)

    def commit(self, change: Change) -> None:
        """One epoch: run, pieces, marker, commit; undone everywhere if anything fails."""
        epoch = self.durable.epoch + 1
        for row in change.inserts.get("p", ()):
            self.words.symbol(WORDS[row[1]])
        for node, work in zip(self.nodes, _shares(change), strict=True):
            run_alone(node, work)
        rules = Ruleset(Program(), FUNCTIONS) if change.rules else self.rules
        try:
            notes = self._write(epoch, bases=change.rules)
            self.durable.record_pieces(epoch, notes, self.nodes[0], rules, EpochRecord(), PLACES)
        except StateError:
            for node in self.nodes:
                node.rollback()
            raise
        self.rules = rules
        for node in self.nodes:
            node.commit()

    def _write(self, epoch: int, bases: bool) -> list[PieceNote]:
        pairs = zip(self.nodes, self.pieces, strict=True)
        return [piece.write(epoch, node.partition, SCHEMA, bases=bases) for node, piece in pairs]

    def snapshot(self) -> None:
        self.durable.snapshot_pieces(
            self.nodes[0],
            self.rules,
            lambda epoch: self._each(lambda node, piece: piece.snapshot(epoch, node.partition, SCHEMA)),
            lambda old: self._each(lambda _, piece: piece.remove_old(old)),
        )

    def _each(self, call: Callable[[Node, Piece], None]) -> None:
        for node, piece in zip(self.nodes, self.pieces, strict=True):
            call(node, piece)

    def held(self) -> Held:
        """Everything that the partitions hold: facts with ranks and counts, clocks, and what the facts' symbols say."""
        return [_held(node) for node in self.nodes]


def run_alone(node: Node, work: EpochWork) -> None:
    """An epoch on one partition of several: without rules no partition waits for another."""
    assert not list(node.steps(work))


def _shares(change: Change) -> list[EpochWork]:
    works: list[dict[str, dict[str, Any]]] = [{"inserts": {}, "deletes": {}} for _ in range(PARTITIONS)]
    for kind, facts in (("inserts", change.inserts), ("deletes", change.deletes)):
        for name, rows in facts.items():
            cells = np.array(rows, np.int64).reshape(len(rows), ARITIES[name])
            for work, part in zip(works, share_rows(cells, PLACES[name], PARTITIONS), strict=True):
                if len(part):
                    work[kind][name] = part
    return [EpochWork(**work) for work in works]


def _held(node: Node) -> tuple[dict[str, Any], int, dict[int, Any]]:
    partition = node.partition
    facts = {}
    for name in ARITIES:
        columns = [part.tolist() for part in partition.counts(name)]
        if columns[0]:
            facts[name] = sorted(zip(*columns, strict=True))
    cells = [cell for row, *_ in facts.get("p", ()) for cell in row[1:]]
    return facts, partition.clock, {cell: partition.dictionary.decode(cell, "symbol") for cell in cells}
