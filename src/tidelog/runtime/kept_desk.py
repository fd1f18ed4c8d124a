"""The desk of a partition that keeps a piece of the state, takes rows that Spark tasks send, and writes out views.

Law: rows that were sent count only when an epoch names their stage and the attempts that were heard of; whatever else
lies there is thrown away. A piece is durable before the coordinator records its epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tidelog.errors import EngineError, StateError
from tidelog.io.parquet import write_changes, write_rows
from tidelog.kernel.cells import Cells
from tidelog.partition.keys import replace_by_key
from tidelog.partition.net import net_rows
from tidelog.plan.ruleset import Schema
from tidelog.plan.work import EpochWork, Staged
from tidelog.program.term import Value
from tidelog.runtime.desk import Desk, Ended
from tidelog.runtime.epoch_steps import Host
from tidelog.runtime.request import Request
from tidelog.store.capture import everything
from tidelog.store.image import RelationImage, deltas_of
from tidelog.store.markers import PieceNote, read_markers
from tidelog.store.piece import Piece
from tidelog.store.reading import pieces
from tidelog.store.snapshot import Old
from tidelog.store.store import Store

Rows = tuple[str, int, Cells]  # relation, sign, cells


class KeptDesk(Desk):
    """One host with its piece of the state folder."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._piece: Piece | None = None
        self._store: Store | None = None
        self._epochs: Mapping[int, int] = {}
        self._stages: dict[str, dict[str, list[Rows]]] = {}  # stage, attempt

    # Rows that Spark tasks send

    def stage(self, stage: str, attempt: str, rows: Rows) -> None:
        """Keep rows until an epoch names them."""
        self._stages.setdefault(stage, {}).setdefault(attempt, []).append(rows)

    def drop_stages(self) -> None:
        """Throw away what no epoch has named."""
        self._stages.clear()

    def rollback(self) -> None:
        """Undo the epoch that runs or ran last; what was sent for it, refused rows too, is not kept in memory."""
        self.drop_stages()
        super().rollback()

    def start(self, run: int, work: EpochWork, forgotten: Sequence[int] = ()) -> Request | Ended:
        """Begin the epoch ``run``, with the rows that were sent for it."""
        if work.staged or work.signed:
            work = self._with_staged(work)
        self.drop_stages()
        return super().start(run, work, forgotten)

    def _with_staged(self, work: EpochWork) -> EpochWork:
        signed: dict[str, list[tuple[int, Cells]]] = {name: list(parts) for name, parts in work.signed.items()}
        for staged in work.staged:
            for sign, cells in self._rows_of(staged):
                signed.setdefault(staged.relation, []).append((sign, cells))
        inserts, deletes = net_rows({name: parts for name, parts in signed.items() if parts})
        replace_by_key(work.keys, self.rows_with_keys, inserts, deletes)  # all rows with one key have one owner
        arities = {staged.relation: staged.arity for staged in work.staged}
        empty = {name: np.zeros((0, arity), np.int64) for name, arity in arities.items()}
        return replace(
            work, inserts={**work.inserts, **empty, **inserts}, deletes={**work.deletes, **empty, **deletes}, staged=()
        )

    def _rows_of(self, staged: Staged) -> list[tuple[int, Cells]]:
        attempts = self._stages.get(staged.stage, {})
        return [(sign, cells) for key in staged.attempts for _, sign, cells in attempts.get(key, ())]

    # The piece of the state folder

    def open_piece(self, store: Store) -> None:
        """Open the partition's piece of a state."""
        self._store, self._piece = store, Piece(store, self.host.partition.number)

    def load_piece(self, epoch: int) -> None:
        """Fill the empty partition with its state at a committed epoch."""
        self._opened().load(epoch, self.host.partition)

    def write_piece(self, epoch: int, schema: Schema, bases: bool) -> PieceNote:
        """Make the partition's part of the epoch that ran last durable."""
        return self._opened().write(epoch, self.host.partition, schema, bases=bases)

    def snapshot_piece(self, epoch: int, schema: Schema) -> None:
        """Write all that the partition holds."""
        self._opened().snapshot(epoch, self.host.partition, schema)

    def remove_old_piece(self, old: Old) -> None:
        """Remove what no epoch needs that is kept."""
        self._opened().remove_old(old)

    def remember_epochs(self, epochs: Mapping[int, int]) -> None:
        """Which epochs the runs were whose changes somebody may still read: the hosts that ran them are lost."""
        self._epochs = dict(epochs)

    def changes(self, run: int, name: str) -> tuple[Cells, Cells]:
        """The rows of a relation that came and went in an epoch; out of the state folder if another host ran it."""
        if run in self._changes:
            return super().changes(run, name)
        epoch = self._epochs.get(run)
        if self._store is None or epoch is None:
            raise EngineError("what this epoch would change was lost with a partition: ask again")
        try:
            return self._changes_in(self._store, epoch, name)
        except StateError as error:
            raise EngineError(f"the changes of epoch {epoch} are not kept any more: {error}") from error

    def _changes_in(self, store: Store, epoch: int, name: str) -> tuple[Cells, Cells]:
        number = self.host.partition.number
        for frame in pieces(store, number, read_markers(store, number, epoch - 1, epoch), epoch - 1):
            for delta in deltas_of(frame):
                if delta.relation == name:
                    return delta.added[:, :-2], delta.removed[:, 1:]
        empty: Cells = np.zeros((0, self.host.arity(name) or 0), np.int64)
        return empty, empty

    def _opened(self) -> Piece:
        assert self._piece is not None, "the state folder was not opened"
        return self._piece

    def image(self) -> dict[str, RelationImage]:
        """The records of every relation that holds facts."""
        partition = self.host.partition
        with partition.lock:
            found = {}
            for delta in everything(partition, {}):
                found[delta.relation] = RelationImage(delta.arity)
                found[delta.relation].apply(delta)
            return found

    # Views as files

    def write_view(
        self,
        path: str,
        name: str,
        types: Sequence[str | None],
        columns: Sequence[str],
        run: int | None,
        lists_as_text: bool = False,
    ) -> Mapping[str, str]:
        """Write the facts of a relation, or what an epoch changed of it, to a file; tells what its lists hold."""
        if run is not None:
            return write_changes(path, *self.changes(run, name), types, columns, self.values)
        return write_rows(path, self.rows(name), types, columns, self.values, lists_as_text=lists_as_text)

    def values(self, cells: Sequence[int]) -> list[Value]:
        """The values behind ids."""
        return self.host.partition.dictionary.values_of(cells)
