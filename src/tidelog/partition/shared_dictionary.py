"""The dictionary of one partition among several, and that of their driver.

Law (D15): an entry is owned by the partition that its id hashes to. Whoever makes an entry tells the owner before the
epoch ends, and before any message that holds the id is sent; whoever needs a value asks the owner and keeps it. Two
values with one id meet at the owner, which refuses the epoch. Most rules never look behind an id, so that most values
never travel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from tidelog.errors import DataError
from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary
from tidelog.partition.owner import owners_of
from tidelog.partition.texts import TextColumn
from tidelog.program.term import Value

Entry = tuple[int, Value]
Ask = Callable[[int, list[int]], dict[int, Value]]  # owner, ids -> the values that it knows
Tell = Callable[[int, list[Entry]], None]
UNKNOWN = 1 << 20  # numbers that are remembered to be no ids


class SharedDictionary(Dictionary):
    """Entries that this process made or asked for; ``own`` is its partition, None for the driver."""

    def __init__(self, partitions: int, own: int | None, ask: Ask, tell: Tell) -> None:
        super().__init__()
        self._partitions, self._own, self._ask, self._tell = partitions, own, ask, tell
        self._to_tell: list[Entry] = []
        self._telling = False
        self._numbers: set[int] = set()

    def memory_at(self, partition: int) -> int:
        """Every partition has a dictionary of its own."""
        return self.memory

    def tell_owners(self) -> None:
        """Tell the owners of the entries made here since the last time; DataError if two values have one id.

        What an owner refuses is forgotten here, so that it is refused again; what was not told yet is told next time.
        """
        if not self._to_tell:
            return
        batches, self._to_tell, self._telling = self._by_owner(self._to_tell), [], True
        try:
            self._tell_batches(batches)
        finally:
            self._telling = False

    def _tell_batches(self, batches: Sequence[tuple[int, list[Entry]]]) -> None:
        for place, (owner, entries) in enumerate(batches):
            try:
                if owner != self._own:
                    self._tell(owner, entries)
            except BaseException as error:
                untold = [entry for _, left in batches[place:] for entry in left]
                if isinstance(error, DataError):
                    untold = [*self._not_forgotten(entries), *untold[len(entries) :]]
                self._to_tell = untold
                raise

    def _not_forgotten(self, entries: Iterable[Entry]) -> list[Entry]:
        """Forget entries; those that were told once and are told anew lie among the texts, and are told again."""
        kept = []
        for cell, value in entries:
            if self._recent.pop(cell, None) is None:
                kept.append((cell, value))
            elif isinstance(value, tuple):
                self._lists.pop(cell, None)
            if isinstance(value, str):
                self._cells.pop(value, None)
        return kept

    def tell_all_again(self) -> None:
        """The owners are new and empty: what was made here and may not be in their files is told again."""
        self._to_tell = self.entries_since(0)

    def symbol_column(self, address: int, offsets: Cells) -> Cells:
        """The cells of symbols whose UTF-8 lies in memory; distinct ones are made here, so that owners hear of them."""
        beside = Dictionary()
        cells = beside.symbol_column(address, offsets)
        for cell, text in beside.entries_since(0):
            self._make(cell, text)
        return cells

    def text_column(self, cells: Cells) -> TextColumn | None:
        """The texts behind a column of ids; those not known here are asked for, all at once."""
        self._fetch_unknown(np.unique(cells).tolist())
        return super().text_column(cells)

    def values_of(self, cells: Sequence[int]) -> list[Value]:
        """The values behind ids; those not known here are asked for, all at once."""
        self._fetch_unknown(cells)
        return super().values_of(cells)

    def values_or_cells(self, cells: Sequence[int]) -> list[Value]:
        """The values behind cells of a column whose type is not determined."""
        return [self.decode_any(cell, None) for cell in cells]

    def decode(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell of a column of that type."""
        if type_ in ("symbol", "list"):
            self._fetch_unknown([cell])
        return super().decode(cell, type_)

    def decode_any(self, cell: int, type_: str | None) -> Value:
        """The value behind a cell whose column's type may not be determined."""
        if (type_ is None or type_ == "any") and cell not in self._numbers and self._value(cell) is None:
            self._fetch([cell])
            if self._value(cell) is None and len(self._numbers) < UNKNOWN:
                self._numbers.add(cell)
        return super().decode_any(cell, type_)

    def _make(self, cell: int, value: Value) -> int:
        with self._lock:
            if self._value(cell) is None:
                self._to_tell.append((cell, value))
            return self._enter(cell, value)

    def _settle(self) -> bool:
        """What the owners have not heard of may have to be forgotten, and stays recent."""
        return not self._to_tell and not self._telling and super()._settle()

    def _fetch_unknown(self, cells: Sequence[int]) -> None:
        self._fetch([cell for cell, value in zip(cells, self._looked_up(cells), strict=True) if value is None])

    def _fetch(self, cells: Sequence[int]) -> None:
        for owner, ids in self._by_owner([(cell, 0) for cell in dict.fromkeys(cells)]):
            if owner != self._own:
                for cell, value in self._ask(owner, [cell for cell, _ in ids]).items():
                    self._enter(cell, value)

    def _by_owner(self, entries: Sequence[Entry]) -> list[tuple[int, list[Entry]]]:
        if not entries:
            return []
        found: dict[int, list[Entry]] = {}
        owners = owners_of(np.array([cell for cell, _ in entries], np.int64), self._partitions)
        for owner, entry in zip(owners.tolist(), entries, strict=True):
            found.setdefault(owner, []).append(entry)
        return sorted(found.items())
