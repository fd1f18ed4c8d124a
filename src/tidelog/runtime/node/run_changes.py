"""What the runs of epochs changed on one partition, for as long as it may be read.

Law: a run that this node carried out is read from memory; one that a lost node carried out is read from the partition's
piece of the state folder, under the number of its epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tidelog.errors import StateError
from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.memory.records import arity_of
from tidelog.runtime.base import runtime_failures as failures
from tidelog.runtime.base.outcome import RowChanges
from tidelog.runtime.node.node import Node
from tidelog.store.base.store import Store
from tidelog.store.folder.state_reader import pieces
from tidelog.store.image.image import deltas_of
from tidelog.store.log.markers import read_markers


class RunChanges:
    """The changes of a node's runs."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._kept: dict[int, RowChanges] = {}
        self._store: Store | None = None
        self._epochs: Mapping[int, int] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def open(self, store: Store, epochs: Mapping[int, int]) -> None:
        """Read runs that are not known here from a state folder; ``epochs`` maps them to their epochs."""
        self._store, self._epochs = store, dict(epochs)

    def keep(self, run: int, changes: RowChanges) -> None:
        """Keep what a run changed."""
        self._kept[run] = changes

    def forget(self, runs: Iterable[int]) -> None:
        """Drop the changes of these runs, which are no longer needed."""
        for run in runs:
            self._kept.pop(run, None)

    def read(self, run: int, name: str) -> NetChange[Cells]:
        """The rows of a relation that were inserted and deleted in a run."""
        if run in self._kept:
            return self._in_memory(self._kept[run], name)
        epoch = self._epochs.get(run)
        if self._store is None or epoch is None:
            raise failures.PREVIEW_LOST.error()
        try:
            return self._in_folder(self._store, epoch, name)
        except StateError as error:
            raise failures.CHANGES_LOST.error(epoch=epoch, error=error) from error

    def _in_memory(self, changes: RowChanges, name: str) -> NetChange[Cells]:
        found = changes.get(name)
        if found is not None:
            return found
        relations = self._node.partition.relations
        empty: Cells = np.zeros((0, arity_of(relations, relations.numbers[name])), np.int64)
        return NetChange(empty, empty)

    def _in_folder(self, store: Store, epoch: int, name: str) -> NetChange[Cells]:
        number = self._node.partition.number
        for frame in pieces(store, number, read_markers(store, number, epoch - 1, epoch), epoch - 1):
            for delta in deltas_of(frame):
                if delta.relation == name:
                    return NetChange(delta.inserted[:, :-2], delta.deleted[:, 1:])
        empty: Cells = np.zeros((0, self._node.arity(name) or 0), np.int64)
        return NetChange(empty, empty)
