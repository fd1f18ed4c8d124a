"""The dictionary of one partition among several, and that of their driver.

Law (D15): an entry is owned by the partition that its id hashes to. A process that makes an entry reports it to the
owner before the epoch ends, and before any message that contains the id is sent; a process that needs a value requests
it from the owner and keeps it. Two values with the same id meet at the owner, which refuses the epoch. Most rules never
need the value behind an id, so that most values are never sent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from tidelog.errors import DataError
from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import owners_of
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.entries import Entries
from tidelog.partition.texts.texts import TextColumn
from tidelog.program.values.term import Value

Entry = tuple[int, Value]
Batch = tuple[int, list[Entry]]  # what is reported to an owner
Ask = Callable[[int, list[int]], dict[int, Value]]  # owner, ids -> the values that it knows
ReportEntries = Callable[[int, list[Entry]], None]
UNKNOWN = 1 << 20  # numbers that are remembered not to be ids


class UnreportedEntries:
    """Entries made here that have not been reported to their owners yet."""

    def __init__(self, report: ReportEntries, partitions: int, own: int | None) -> None:
        self._report, self._partitions, self._own = report, partitions, own
        self._entries: list[Entry] = []
        self._is_reporting = False
        self._lock = threading.Lock()  # readers make entries while an epoch reports others

    @property
    def is_empty(self) -> bool:
        """Whether everything has been reported to the owners."""
        return not self._entries and not self._is_reporting

    def add(self, entry: Entry) -> None:
        """Add an entry that was made."""
        with self._lock:
            self._entries.append(entry)

    def aim(self, report: ReportEntries, partitions: int, entries: list[Entry]) -> None:
        """Set new owners, and the entries to be reported to them."""
        with self._lock:
            self._report, self._partitions, self._entries = report, partitions, entries

    def report_to_owners(self, forget: Callable[[Entry], bool]) -> None:
        """Report to the owners; entries that an owner refuses are forgotten, or reported again with the rest."""
        if not self._entries:
            return
        with self._lock:
            entries, self._entries, self._is_reporting = self._entries, [], True
        try:
            batches = by_owner(entries, self._partitions)
            for place, (owner, entries) in enumerate(batches):
                if owner != self._own:
                    self._report_to_one(owner, entries, batches[place + 1 :], forget)
        finally:
            self._is_reporting = False

    def _report_to_one(
        self, owner: int, entries: list[Entry], later: Sequence[Batch], forget: Callable[[Entry], bool]
    ) -> None:
        try:
            self._report(owner, entries)
        except BaseException as error:
            refused = isinstance(error, DataError)
            kept = [entry for entry in entries if not (refused and forget(entry))]
            with self._lock:
                self._entries[:0] = [*kept, *(entry for _, left in later for entry in left)]
            raise


class SharedDictionary(Dictionary):
    """Entries that this process made or requested; ``own`` is its partition, None for the driver."""

    def __init__(self, partitions: int, own: int | None, ask: Ask, report: ReportEntries) -> None:
        super().__init__()
        self._partitions, self._own, self._ask = partitions, own, ask
        self._unreported = UnreportedEntries(report, partitions, own)
        self.entries = Entries(lambda: self._unreported.is_empty)  # unreported entries may be forgotten
        self._numbers: set[int] = set()

    def memory_at(self, partition: int) -> int:
        """The bytes of the dictionary: every partition has a separate one."""
        return self.entries.memory

    def begin(self) -> None:
        """Do nothing: entries that were reported to others are not dropped."""

    def has_news(self, known: int) -> bool:
        """Whether entries were made here that have not been reported to their owners."""
        return not self._unreported.is_empty

    def report_to_owners(self) -> None:
        """Report the entries made here since the last report to their owners; DataError if two values have the same id.

        An entry that an owner refuses is forgotten here, so that it is refused again; the rest is reported next time.
        """
        self._unreported.report_to_owners(self._forget)

    def _forget(self, entry: Entry) -> bool:
        cell, value = entry
        if isinstance(value, str):
            self._cells.pop(value, None)
        return self.entries.forget(cell)

    def aim(self, partitions: int, ask: Ask, report: ReportEntries) -> None:
        """Set new, empty owners: entries made here that may not be in their files are to be reported."""
        self._partitions, self._ask = partitions, ask
        with self.entries.lock:  # no entry is made in between
            self._unreported.aim(report, partitions, self.entries.since(0))

    def symbol_column(self, address: int, offsets: Cells) -> Cells:
        """The cells of symbols whose UTF-8 is in memory; distinct ones are made here, so that owners are notified."""
        beside = Dictionary()
        cells = beside.symbol_column(address, offsets)
        for cell, text in beside.entries.since(0):
            self._make(cell, text)
        return cells

    def pack_rows(self, rows: Cells) -> Cells:
        """The cells of many records or variants, made here one by one, so that owners are notified."""
        return np.array([self.pack(row) for row in rows.tolist()], np.int64)

    def text_column(self, cells: Cells) -> TextColumn | None:
        """The texts behind a column of ids; those not known here are requested together."""
        self._fetch(unknown(self.entries, np.unique(cells).tolist()))
        return super().text_column(cells)

    def values_of(self, cells: Sequence[int]) -> list[Value]:
        """The values behind ids; those not known here are requested together."""
        self._fetch(unknown(self.entries, cells))
        return super().values_of(cells)

    def values_or_cells(self, cells: Sequence[int]) -> list[Value]:
        """The values behind cells of a column whose type is not determined."""
        return [self.decode_any(cell, None) for cell in cells]

    def decode(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell of a column of that type."""
        if type_ in ("symbol", "list"):
            self._fetch(unknown(self.entries, [cell]))
        return super().decode(cell, type_)

    def decode_any(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell whose column's type may not be determined."""
        value = self.entries.value
        if (type_ is None or type_ == "any") and cell not in self._numbers and value(cell) is None:
            self._fetch([cell])
            if value(cell) is None and len(self._numbers) < UNKNOWN:
                self._numbers.add(cell)
        return super().decode_any(cell, type_)

    def _make(self, cell: int, value: Value) -> int:
        with self.entries.lock:
            if self.entries.value(cell) is None:
                self._unreported.add((cell, value))
            return super()._make(cell, value)

    def _fetch(self, cells: Sequence[int]) -> None:
        lent, ask = self.lent, self._ask
        if lent is not None:
            found = {cell: lent[cell] for cell in cells if cell in lent}
        else:
            try:
                found = ask_owners(cells, ask, self._partitions, self._own)
            except Exception:
                if self.lent is None and self._ask is ask:
                    raise
                self._fetch(unknown(self.entries, cells))  # others are taking over, or have
                return
        for cell, value in found.items():
            self.entries.enter(cell, value)


def unknown(entries: Entries, cells: Sequence[int]) -> list[int]:
    """The ids whose values are not known here."""
    return [cell for cell, value in zip(cells, entries.values(cells), strict=True) if value is None]


def ask_owners(cells: Sequence[int], ask: Ask, partitions: int, own: int | None) -> dict[int, Value]:
    """The values that the owners have for ids."""
    found: dict[int, Value] = {}
    for owner, ids in by_owner([(cell, 0) for cell in dict.fromkeys(cells)], partitions):
        if owner != own:
            found.update(ask(owner, [cell for cell, _ in ids]))
    return found


def by_owner(entries: Sequence[Entry], partitions: int) -> list[Batch]:
    """Entries by the partition that owns them."""
    if not entries:
        return []
    found: dict[int, list[Entry]] = {}
    owners = owners_of(np.array([cell for cell, _ in entries], np.int64), partitions)
    for owner, entry in zip(owners.tolist(), entries, strict=True):
        found.setdefault(owner, []).append(entry)
    return sorted(found.items())
