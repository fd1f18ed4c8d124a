"""The entries of a dictionary: values under their ids, numbered in the order in which they were made.

Law (D15): two values with the same id are an error. Entries made one by one are *recent* at first and then settle among
the texts, where columns of texts and of structures are entered immediately. Lists are also kept as values, since equal
ones may be written differently. Adding requires the lock; looking up does not. An entry is permanent, unless the epoch
that made it failed: entries that such an epoch made since its `begin` are dropped, except those that another thread has
made or used in the meantime.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from itertools import compress, islice
from threading import RLock, get_ident
from typing import NamedTuple

import numpy as np

from tidelog.kernel.cells import Cells, address
from tidelog.kernel.structures import hash_structures
from tidelog.kernel.texts import STRUCTURE
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.texts.packed_cells import PackedStructure
from tidelog.partition.texts.texts import (
    LIST,
    TEXT,
    Clash,
    EntryColumns,
    KnownRecords,
    TextColumn,
    TextMark,
    Texts,
    from_kept_bytes,
    laid_out,
    to_kept_bytes,
)
from tidelog.program.functions.lists import same
from tidelog.program.values.term import Value

RECENT, RECENT_BYTES = 1 << 14, 1 << 22
MARKED = 8  # texts per row up to which the distinct ones are marked in an array instead of sorted
FEW = 32  # ids from which on they are looked up together
WHOLE = (str, PackedStructure)  # values that are equal only if their bytes are equal
OF_PARTS = (LIST, STRUCTURE)


class Mark(NamedTuple):
    """The entries before an epoch of a thread: settled ones, and the first ``length`` that were recent then."""

    texts: TextMark
    recent: dict[int, Value]
    length: int
    bytes: int
    thread: int


def list_bytes(value: Value) -> int:
    """The approximate memory of a list, without the texts in it.

    >>> list_bytes((1, 2, (3,)))
    240
    """
    return (
        56 + sum(32 + (list_bytes(v) if isinstance(v, tuple) else 0) for v in value) if isinstance(value, tuple) else 0
    )


def _distinct(numbers: Cells, most: int) -> tuple[Cells, Cells]:
    """Distinct numbers in order, and the place of each number among them; many below ``most`` are not sorted.

    >>> _distinct(np.array([5, 2, 5, 2, 2]), 6)
    (array([2, 5]), array([1, 0, 1, 0, 0]))
    """
    if most > MARKED * len(numbers) or numbers.min() < 0:
        distinct, places = np.unique(numbers, return_inverse=True)
        return distinct, places.reshape(-1)
    marks = np.zeros(most, np.bool_)
    marks[numbers] = True
    distinct = marks.nonzero()[0]
    order: Cells = np.empty(most, np.int64)
    order[distinct] = np.arange(len(distinct))
    return distinct, order[numbers]


class Entries:
    """Values by id; ``may_settle`` returns whether recent entries are permanent, or may have to be forgotten."""

    def __init__(self, may_settle: Callable[[], bool] = lambda: True) -> None:
        self.lock = RLock()
        self._may_settle = may_settle
        self._texts = Texts()
        self._recent: dict[int, Value] = {}
        self._recent_bytes = 0
        self._lists: dict[int, Value] = {}
        self._list_bytes = 0
        self._mark: Mark | None = None
        self._kept: set[int] = set()  # of the running epoch, used by others

    def __len__(self) -> int:
        with self.lock:
            return len(self._texts) + len(self._recent)

    @property
    def memory(self) -> int:
        """Bytes of all texts and their tables, and the approximate bytes of lists."""
        return self._texts.memory + self._recent_bytes + self._list_bytes

    # Looking up

    def value(self, cell: int) -> Value | None:
        """The value behind an id, if known here. Recent ones first: settling adds to the texts before it removes."""
        return self._own(cell)

    def _own(self, cell: int) -> Value | None:
        value = self._recent.get(cell)
        if value is None:
            value = self._lists.get(cell)
        if value is None and (number := self._texts.find(cell)) >= 0:
            value = self._texts.value(number)
        return value

    def values(self, cells: Sequence[int]) -> list[Value | None]:
        """The values behind many ids, None where one is not known here."""
        if len(cells) < FEW:
            return [self.value(cell) for cell in cells]
        if self._lists:
            return self._mixed_values(cells)
        recent = self._recent
        numbers = self._texts.find_all(np.array(cells, np.int64))
        settled = numbers >= 0
        if settled.all():
            return list(self._texts.values(numbers))
        found: list[Value | None] = [recent.get(cell) for cell in cells]
        places = settled.nonzero()[0].tolist()
        for place, value in zip(places, self._texts.values(numbers[settled]), strict=True):
            found[place] = value
        return found

    def _mixed_values(self, cells: Sequence[int]) -> list[Value | None]:
        """The same if there are lists and structures, whose texts are not parsed again. Recent ones first, as above."""
        recent, lists = self._recent, self._lists
        found = [lists.get(cell) if (value := recent.get(cell)) is None else value for cell in cells]
        missing = [place for place, value in enumerate(found) if value is None]
        numbers = self._texts.find_all(np.array([cells[place] for place in missing], np.int64))
        settled = numbers >= 0
        values = self._texts.values(numbers[settled])
        for place, value in zip(np.array(missing, np.int64)[settled].tolist(), values, strict=True):
            found[place] = value
        return found

    def text_column(self, cells: Cells) -> TextColumn | None:
        """The texts behind a column of ids; None if one of them is not UTF-8, or has not settled."""
        with self.lock:
            self._settle()
        numbers = self._texts.find_all(cells)
        places: Cells = np.arange(len(numbers))
        if not (numbers[1:] > numbers[:-1]).all():  # already in order, each text once
            numbers, places = _distinct(numbers, len(self._texts))
        if len(numbers) and numbers[0] < 0:
            return None
        data, offsets, are_texts = self._texts.copied(numbers)
        return TextColumn(data, offsets, places) if are_texts else None

    def are_known(self, cells: Cells, *, lists: bool) -> bool:
        """Whether all of these ids refer to values of one kind: texts, or lists and records."""
        with self.lock:
            settled = self._settle()
        assert settled, "entries that owners have not heard of"
        numbers = self._texts.find_all(cells)
        return bool((numbers >= 0).all()) and bool((np.isin(self._texts.kinds(numbers), OF_PARTS) == lists).all())

    def structures(self, cells: Cells) -> tuple[Cells, Cells] | None:
        """The parts of all structures consecutively, and where those of each begin; None if one has not settled."""
        with self.lock:
            self._settle()
        return self._texts.structures(cells)

    @property
    def known_records(self) -> KnownRecords:
        """The entries that have settled."""
        return self._texts.known

    @property
    def lasting_records(self) -> KnownRecords:
        """The settled entries that are older than the running epoch, which may fail."""
        with self.lock:
            known, mark = self._texts.known, self._mark
            return known if mark is None else known._replace(size=mark.texts.records)

    def since(self, count: int) -> list[tuple[int, Value]]:
        """The entries made after the first ``count``, in order."""
        with self.lock:
            settled = len(self._texts)
            recent = list(islice(self._recent.items(), max(count - settled, 0), None))
            if count >= settled:
                return recent
            numbers = np.arange(count, settled)
            return [*zip(self._texts.cells(count).tolist(), self._texts.values(numbers), strict=True), *recent]

    def columns_since(self, count: int) -> EntryColumns:
        """The entries made after the first ``count``, in order, in the form of state folders."""
        with self.lock:
            settled = self._settle()
            assert settled, "entries that owners have not heard of"
            return self._texts.entries(count)

    # Adding

    def enter(self, cell: int, value: Value) -> None:
        """Add an entry; DataError if another value has its id."""
        with self.lock:
            if self.is_shared:
                self._kept.add(cell)
            known = self._own(cell)
            if known is None:
                self._recent[cell] = value
                if not isinstance(value, WHOLE):
                    self._lists[cell] = value
                    self._list_bytes += list_bytes(value)
                else:
                    self._recent_bytes += len(value) * (1 if isinstance(value, str) else 8)
                if len(self._recent) >= RECENT or self._recent_bytes >= RECENT_BYTES:
                    self._settle()
            elif known is not value and not same(known, value):
                raise failures.SAME_ID.error(known=known, value=value, cell=cell)

    def enter_all(self, entries: Sequence[tuple[int, Value]]) -> None:
        """Add many entries."""
        symbols = [entry for entry in entries if isinstance(entry[1], WHOLE)]
        with self.lock:
            if self.is_shared:
                self._kept.update(cell for cell, _ in symbols)
            if len(symbols) >= FEW and self._settle():
                self._enter_values(symbols)
                entries = [entry for entry in entries if not isinstance(entry[1], WHOLE)]
            for cell, value in entries:
                self.enter(cell, value)

    def enter_column(self, address: int, offsets: Cells, seed: int) -> Cells:
        """Add texts whose UTF-8 is in memory, from ``offsets[i]`` to the next; returns their ids under ``seed``."""
        cells: Cells = np.empty(len(offsets) - 1, np.int64)
        with self.lock:
            self._settle()
            self._enter_texts(address, offsets, cells, seed)
            if self.is_shared:
                self._kept.update(cells.tolist())
        return cells

    def enter_structures(self, rows: Cells, seed: int) -> Cells:
        """Add structures, each a row of the cells of its parts; returns their ids, chains of hashes from ``seed``."""
        cells: Cells = np.empty(len(rows), np.int64)
        hash_structures(rows, seed, cells)
        offsets = np.arange(len(rows) + 1) * (8 * rows.shape[1])
        with self.lock:
            self._settle()
            self._enter_texts(address(rows), offsets, cells, 0, np.full(len(rows), STRUCTURE))
            if self.is_shared:
                self._kept.update(cells.tolist())
        return cells

    def forget(self, cell: int) -> bool:
        """Forget an entry that is still recent; False if it has settled."""
        if self._recent.pop(cell, None) is None:
            return False
        self._lists.pop(cell, None)
        return True

    # Epochs

    @property
    def is_shared(self) -> bool:
        """Whether the current thread is not the one whose epoch runs."""
        return self._mark is not None and self._mark.thread != get_ident()

    def begin(self) -> None:
        """Begin an epoch of this thread, which may fail."""
        with self.lock:
            recent = self._recent
            self._mark = Mark(self._texts.mark(), recent, len(recent), self._recent_bytes, get_ident())
            self._kept = set()

    def end(self) -> None:
        """End an epoch that succeeded: its entries stay."""
        self._mark = None

    def drop(self) -> int:
        """Drop what only a failed epoch has made and used; returns the number of entries dropped."""
        with self.lock:
            mark, self._mark = self._mark, None
            if mark is None or not self._may_settle():
                return 0
            before = len(self)
            made = self._created_since(mark)
            kept = {cell: value for cell in self._kept.intersection(made) if (value := self.value(cell)) is not None}
            old = dict(islice(mark.recent.items(), mark.length))
            if len(self._texts) > mark.texts.records:
                self._texts.drop(mark.texts)
            for cell in made:
                if cell not in old and (value := self._lists.pop(cell, None)) is not None:
                    self._list_bytes -= list_bytes(value)
            self._recent, self._recent_bytes = old, mark.bytes
            self.enter_all(list(kept.items()))
            return before - len(self)

    def created(self) -> list[int]:
        """The ids of the entries made since `begin`."""
        with self.lock:
            return [] if self._mark is None else self._created_since(self._mark)

    def _created_since(self, mark: Mark) -> list[int]:
        made = [cell for cell, _ in islice(self._recent.items(), self._old(mark), None)]
        made += self._texts.cells(mark.texts.records).tolist()
        return made

    def _old(self, mark: Mark) -> int:
        """How many of the recent entries are older than a mark."""
        return mark.length if self._recent is mark.recent else 0

    def _settle(self) -> bool:
        """Move the recent entries to the texts; returns whether all were moved. Ctrl-C leaves each in one place."""
        if not self._may_settle():
            return False
        if self._recent:
            recent = list(self._recent.items())
            try:
                self._enter_values(recent)
            finally:
                there = self._texts.find_all(np.array([cell for cell, _ in recent], np.int64)) >= 0
                self._recent = {} if there.all() else dict(compress(recent, ~there))
                self._recent_bytes = 0
        return True

    def _enter_values(self, entries: Sequence[tuple[int, Value]]) -> None:
        parts = [to_kept_bytes(value) for _, value in entries]
        data, offsets = laid_out([raw for raw, _ in parts])
        cells = np.array([cell for cell, _ in entries], np.int64)
        self._enter_texts(data.ctypes.data, offsets, cells, 0, np.array([kind for _, kind in parts], np.int64))

    def _enter_texts(self, address: int, offsets: Cells, cells: Cells, seed: int, *kinds: Cells) -> None:
        try:
            self._texts.enter(address, offsets, cells, seed, *kinds)
        except Clash as clash:
            at, end = offsets[clash.row : clash.row + 2].tolist()
            kind = kinds[0].item(clash.row) if kinds else TEXT
            value = from_kept_bytes(ctypes.string_at(address + at, end - at), kind)
            known, cell = self._texts.value(clash.number), int(cells[clash.row])
            raise failures.SAME_ID.error(known=known, value=value, cell=cell) from None


class ScratchEntries(Entries):
    """Temporary entries on top of those of another dictionary, which may still lose those of a running epoch."""

    def __init__(self, base: Entries) -> None:
        super().__init__()
        self._base = base

    def value(self, cell: int) -> Value | None:
        """The value behind an id, made here or in the other dictionary."""
        found = self._own(cell)
        return self._base.value(cell) if found is None else found

    def values(self, cells: Sequence[int]) -> list[Value | None]:
        """The values behind many ids."""
        here = super().values(cells)
        there = iter(self._base.values([cell for cell, value in zip(cells, here, strict=True) if value is None]))
        return [next(there) if value is None else value for value in here]

    @property
    def known_records(self) -> KnownRecords:
        """The settled entries of the other dictionary that stay even if a running epoch fails."""
        return self._base.lasting_records

    def created(self) -> list[int]:
        """The ids of the entries made here."""
        return [cell for cell, _ in self.since(0)]

    def enter(self, cell: int, value: Value) -> None:
        """Add an entry here, even if the other dictionary has it; DataError if another value has its id."""
        with self.lock:
            if self._own(cell) is None:
                known = self._base.value(cell)
                if known is not None and not same(known, value):
                    raise failures.SAME_ID.error(known=known, value=value, cell=cell)
            super().enter(cell, value)
