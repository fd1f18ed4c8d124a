"""The groups of a fold: a table from key to accumulators, which compiled code changes (`kernel.fold`).

Laws. A group exists as long as it has values; its changes in an epoch are undone from a journal, and the cost of an
epoch follows the groups that it touches. The window of words in which floats are added covers every exponent so far,
with room for carries: it is widened, for all groups together, before a value outside it is added. A row of a counted
relation is folded as many equal rows: its weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tidelog.kernel import fold as at
from tidelog.kernel.cells import Cells, address
from tidelog.kernel.layout import FRESH, NEW
from tidelog.partition.base.block import Block
from tidelog.partition.memory.journal import count_changes, counts_before
from tidelog.partition.memory.relations import BRIEF, NOTHING, Relations, grown
from tidelog.partition.memory.table import Table

SMALLEST = 16
FOLDED = 1 << 18  # rows in one call of the kernel (D19)
FEW_WORDS = {at.COUNTS: 0, at.INTEGERS: 2, at.UNSIGNEDS: 2, at.FLOATS: 3, at.BEST: 2}  # besides the number of values
COUNT, TOTAL = 1, 2  # after the key: the number of values, and the sum of integers
Look = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Shape:
    """What is accumulated and shown: the columns of a row, and the place in the head."""

    kind: int
    shows: int
    key: tuple[int, ...]
    value: int
    order: int
    head: tuple[int, ...]  # for each head column the place in the key, or -1 for the result
    weighed: bool = False  # whether rows have weights: their numbers of supports


class Overflow(Exception):
    """A sum that overflows its type."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self.total = total


class Groups:
    """All groups of one fold."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._spare: Cells = np.zeros(at.SPARE_WORDS, np.int64)
        self._state: Cells = np.zeros(at.COLUMNS + len(shape.key) + len(shape.head), np.int64)
        state = self._state
        state[[at.KIND, at.SHOWS, at.NKEY]] = shape.kind, shape.shows, len(shape.key)
        state[[at.VALUE, at.ORDER, at.NHEAD]] = shape.value, shape.order, len(shape.head)
        state[at.WEIGHED] = shape.weighed
        state[at.COLUMNS :] = (*shape.key, *shape.head)
        state[at.SPARE] = address(self._spare)
        own = 2 + FEW_WORDS[shape.kind]
        widths = len(shape.key) + own, own
        self._groups, self._journal = (Block(np.zeros((SMALLEST, width), np.int64)) for width in widths)
        self._table = Table()
        self._set_addresses()

    def _set_addresses(self) -> None:
        """Update the addresses of all arrays."""
        groups, journal, state = self._groups.array, self._journal.array, self._state
        state[[at.GROUPS, at.CAP, at.SPAN]] = address(groups), len(groups), groups.shape[1]
        state[[at.JOURNAL, at.JCAP]] = address(journal), len(journal)
        state[[at.TAB, at.SLOTS]] = address(self._table.cells), len(self._table.cells)

    def __len__(self) -> int:
        return int(self._state[at.LIVE])

    @property
    def memory(self) -> int:
        """Bytes in use."""
        return sum(array.nbytes for array in (self._groups.array, self._journal.array, self._table.cells))

    # Changes

    def begin(self) -> None:
        """Prepare for an epoch that changes groups."""
        self._state[at.FRESH] = len(self) == 0

    def fold(self, rows: Cells, sign: int, look: Look) -> None:
        """Fold rows of cells; ``look`` is called from time to time."""
        self._fold(address(rows), rows.shape[1], 0, -1, NOTHING, NOTHING, len(rows), sign, look)

    def fold_items(self, records: Cells, items: Cells, sign: int, look: Look, weights: Cells = NOTHING) -> None:
        """Fold some records of a relation, given as items: relation << 32 | row; with weights, if rows have them."""
        self._fold(address(records), records.shape[1], 0, 0, items, weights, len(items), sign, look)

    def fold_all(self, records: Cells, flag: int, look: Look) -> None:
        """Fold all records of a relation that have a flag."""
        width = records.shape[1]
        self._fold(address(records), width, width - 2, flag, NOTHING, NOTHING, len(records), 1, look)

    def fold_counts(self, relations: Relations, number: int, look: Look) -> None:
        """Fold what the epoch changed in a counted relation: weights are the supports that facts gained or lost."""
        records = relations.records(number)
        if relations.directory.item(number, FRESH):
            self.fold_all(records, NEW, look)
        else:
            rows, weights = count_changes(relations, number)
            self.fold_items(records, rows, 1, look, weights)

    def restore_counts(self, relations: Relations, number: int, look: Look) -> None:
        """Let groups, folded over the old facts of a counted relation, count what these had before the epoch."""
        if not relations.directory.item(number, FRESH):
            rows, weights = counts_before(relations, number)
            self.fold_items(relations.records(number), rows, 1, look, weights)

    def _fold(
        self,
        where: int,
        width: int,
        flags: int,
        flag: int,
        items: Cells,
        weights: Cells,
        count: int,
        sign: int,
        look: Look,
    ) -> None:
        done, fold = 0, at.fold_rows.when_brief(count <= BRIEF)
        while done < count:
            end = min(done + FOLDED, count)
            self._state[[at.LOWEST, at.HIGHEST]] = -1
            done = fold(self._state, where, width, flags, flag, items, weights, done, end, sign)
            if done < end:
                self._make_room()
            elif done < count:
                look()

    def look_again(self, relations: Relations, number: int) -> None:
        """Search groups that lost their best value, with an index that is created when it is first needed."""
        if self.shape.kind != at.BEST or not self._has_unknown():
            return
        index = relations.index(number, self.shape.key) if self.shape.key else -1
        tables = relations.directory, relations.indexes
        at.look_again(*tables, number, index, self._state, 0, int(self._state[at.JROWS]))

    def _has_unknown(self) -> bool:
        touched = self._groups.array[self._journal.array[: self._state[at.JROWS], 0]]
        return bool(((touched[:, -2 - 1] != 0) & (touched[:, -1] == 0)).any())

    def _make_room(self) -> None:
        state = self._state
        if state[at.LOWEST] >= 0:
            self._widen(int(state[at.LOWEST]), int(state[at.HIGHEST]) + 1)
        if state[at.JROWS] >= state[at.JCAP]:
            self._journal.resize(grown(int(state[at.JCAP])) + SMALLEST)
        if state[at.FREE] == 0 and state[at.USED] >= state[at.CAP]:
            self._groups.resize(grown(int(state[at.CAP])) + SMALLEST)
        self._table.reserve(int(state[at.LIVE]))
        self._set_addresses()

    def _widen(self, first: int, last: int) -> None:
        """Widen the window to include words ``first`` to ``last``; words above a number repeat its sign."""
        state = self._state
        base, words = int(state[at.BASE]), int(state[at.WORDS])
        if words:
            first, last = min(first, base), max(last, base + words)
        else:
            base = first
        wider = [
            _wider(block.array, words, base - first, last - base - words) for block in (self._groups, self._journal)
        ]
        self._groups, self._journal = map(Block, wider)
        state[[at.BASE, at.WORDS]] = first, last - first

    # Results

    def net_results(self) -> tuple[Cells, Cells]:
        """The head facts that groups showed before the epoch and no longer show, and those that they show instead."""
        if self._state[at.FRESH]:
            return np.empty((0, len(self.shape.head)), np.int64), self.all_results()
        count, heads = int(self._state[at.JROWS]), len(self.shape.head)
        lost, gained = (np.empty((count, heads), np.int64) for _ in range(2))
        found: Cells = np.zeros(2, np.int64)
        read = at.net_results.when_brief(count <= BRIEF)
        stopped = read(self._state, 0, count, address(lost), address(gained), found)
        if stopped < count:
            raise self._overflow(int(self._journal.array[stopped, 0]))
        return lost[: found[0]], gained[: found[1]]

    def all_results(self) -> Cells:
        """The head facts of all groups."""
        used = int(self._state[at.USED])
        results: Cells = np.empty((len(self), len(self.shape.head)), np.int64)
        found: Cells = np.zeros(1, np.int64)
        stopped = at.all_results.when_brief(used <= BRIEF)(self._state, 0, used, address(results), found)
        if stopped < used:
            raise self._overflow(stopped)
        return results[: found[0]]

    def _overflow(self, row: int) -> Overflow:
        low, high = self._groups.array[row, len(self.shape.key) + TOTAL :][:2].tolist()
        return Overflow((high << 64) + low % (1 << 64))

    # Epochs

    def commit(self) -> None:
        """Keep the groups as they are."""
        self._end(0)

    def undo(self) -> None:
        """Restore the groups as they were when the epoch began."""
        if self._state[at.FRESH]:
            self._clear()
        self._end(1)

    def _clear(self) -> None:
        self._table.clear()
        self._state[[at.USED, at.LIVE, at.FREE]] = 0

    def _end(self, undo: int) -> None:
        at.end_epoch.when_brief(self._state.item(at.JROWS) <= BRIEF)(self._state, undo)
        self._state[at.FRESH] = 0
        self._journal.shrink(SMALLEST)
        self._set_addresses()


def _wider(cells: Cells, words: int, below: int, above: int) -> Cells:
    """Rows whose last ``words`` columns are a number, with more words for it below and above."""
    kept = cells.shape[1] - words
    signs = cells[:, -1:] >> 63 if words else np.zeros((len(cells), 1), np.int64)
    parts = (cells[:, :kept], np.zeros((len(cells), below), np.int64), cells[:, kept:], np.repeat(signs, above, axis=1))
    return np.ascontiguousarray(np.concatenate(parts, axis=1))
