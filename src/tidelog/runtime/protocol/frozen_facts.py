"""A frozen state that can be read while epochs run, however large it is.

Law: every partition keeps a copy of its own records of one epoch, and returns them in batches. All reads belong to that
epoch; a reader holds one batch at a time. Every fact is returned once; a fact of a mirrored relation has the lowest of
its ranks, so that every fact keeps a support of lower rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.memory.records import asserted, counts_of, lowest_of, rank_base
from tidelog.partition.phases.partition import Partition

if TYPE_CHECKING:
    from tidelog.verify.local_strata import LocalStratum
    from tidelog.verify.report import Violation

# The result of a check, None if facts are not where they should be.
CheckPart = Callable[["LocalStratum"], "tuple[Violation | None, int] | None"]
BATCH = 1 << 16  # facts
Counts = tuple[Cells, ...]  # columns, ranks, ``all``, ``low`` and assertion of the facts of a relation
Read = Callable[[int, str, int, int], Counts]  # partition, relation, first, count


class Records:
    """The copy that one partition keeps of its own records."""

    def __init__(self, partition: Partition, names: Iterable[str]) -> None:
        relations = partition.relations
        self._held: dict[str, tuple[Cells, int]] = {
            name: (partition.committed.records(name), rank_base(relations, relations.numbers[name]))
            for name in names
            if name in relations.numbers
        }

    @property
    def sizes(self) -> dict[str, int]:
        """How many facts of each relation there are."""
        return {name: len(records) for name, (records, _) in self._held.items()}

    @property
    def asserted(self) -> dict[str, int]:
        """How many of them are asserted."""
        return {name: int(np.count_nonzero(asserted(records))) for name, (records, _) in self._held.items()}

    def counts(self, name: str, first: int, count: int) -> Counts:
        """Columns, ranks, ``all``, ``low`` and assertion of ``count`` facts of a relation, from number ``first`` on."""
        records, base = self._held[name]
        return counts_of(records[first : first + count], base)


@dataclass(frozen=True, slots=True)
class FrozenFacts:
    """The copies of all partitions; ``close`` drops them."""

    sizes: list[dict[str, int]]
    asserted: list[dict[str, int]]
    mirrored: frozenset[str]
    read: Read
    close: Callable[[], None]
    check: CheckPart | None = None  # lets partitions check a part of a certificate

    def __enter__(self) -> FrozenFacts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def size(self, name: str) -> int:
        """How many facts a relation has."""
        parts = self.sizes[:1] if name in self.mirrored else self.sizes
        return sum(part.get(name, 0) for part in parts)

    def all_asserted(self, name: str) -> bool:
        """Whether all facts of a relation are asserted."""
        counts = zip(self.sizes, self.asserted, strict=True)
        return all(sizes.get(name) == asserted.get(name) for sizes, asserted in counts)

    def batches(self, name: str) -> Iterator[Counts]:
        """The facts of a relation with their counts, every fact once."""
        held = [number for number, sizes in enumerate(self.sizes) if sizes.get(name)]
        if name in self.mirrored:
            if held:
                yield lowest_of([self.read(number, name, 0, self.sizes[number][name]) for number in held])
            return
        for number in held:
            for first in range(0, self.sizes[number][name], BATCH):
                yield self.read(number, name, first, BATCH)


def freeze_partition(partition: Partition, names: Iterable[str]) -> FrozenFacts:
    """The state of one partition in this process."""
    kept = [Records(partition, names)]
    sizes, asserted = [kept[0].sizes], [kept[0].asserted]
    return FrozenFacts(sizes, asserted, frozenset(), lambda number, *page: kept[number].counts(*page), kept.clear)
