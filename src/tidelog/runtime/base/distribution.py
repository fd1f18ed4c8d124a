"""How the facts of an engine are distributed over its partitions.

Law: a relation is placed by the hash of a column, on partition 0, or on every partition (mirrored); so the rows of an
epoch are sent to the partitions that own them, and a mirrored relation is counted once. A distribution is a value: an
epoch creates a new one, and a failed epoch leaves the old one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import share_rows
from tidelog.plan.work import EpochWork
from tidelog.rewrite.place.placement import MIRRORED


@dataclass(frozen=True, slots=True)
class Distribution:
    """Where relations live (as in `rewrite.place.placement`), and how many facts of each a partition holds."""

    places: Mapping[str, int]
    sizes: tuple[Mapping[str, int], ...]

    @classmethod
    def empty(cls, partitions: int) -> Distribution:
        """The distribution without any relation."""
        return cls({}, ({},) * partitions)

    def with_places(self, places: Mapping[str, int]) -> Distribution:
        """The distribution with the placement of new relations added."""
        return replace(self, places={**self.places, **places})

    def with_sizes(self, changed: Iterable[Mapping[str, int]]) -> Distribution:
        """The distribution with the sizes that an epoch has changed, on each partition."""
        return replace(self, sizes=tuple({**old, **new} for old, new in zip(self.sizes, changed, strict=True)))

    def is_mirrored(self, name: str) -> bool:
        """Whether every partition holds the whole relation."""
        return self.places.get(name) == MIRRORED

    def live(self, name: str) -> int:
        """The number of facts of a relation."""
        parts = self.sizes[:1] if self.is_mirrored(name) else self.sizes
        return sum(part.get(name, 0) for part in parts)

    def unevenness(self, name: str) -> float:
        """The facts of a relation on the partition that has the most, as a multiple of the mean."""
        held = [part.get(name, 0) for part in self.sizes]
        return max(held) * len(held) / sum(held) if any(held) else 1.0

    @property
    def fact_count(self) -> int:
        """The number of facts of all relations."""
        return sum(map(self.live, {name for part in self.sizes for name in part}))

    def shares(self, work: EpochWork) -> list[EpochWork]:
        """The same work for every partition, with the facts that the partition owns."""
        inserts, deletes = self._share(work.inserts), self._share(work.deletes)
        signed: list[dict[str, list[tuple[int, Cells]]]] = [{} for _ in self.sizes]
        for name, parts in work.signed.items():
            for sign, rows in parts:
                for share, part in zip(signed, self._split(name, rows), strict=True):
                    share.setdefault(name, []).append((sign, part))
        return [
            replace(work, inserts=plus, deletes=minus, signed=both)
            for plus, minus, both in zip(inserts, deletes, signed, strict=True)
        ]

    def _share(self, rows: Mapping[str, Cells]) -> list[dict[str, Cells]]:
        shares = {name: self._split(name, cells) for name, cells in rows.items()}
        return [{name: parts[number] for name, parts in shares.items()} for number in range(len(self.sizes))]

    def _split(self, name: str, rows: Cells) -> list[Cells]:
        return share_rows(rows, self.places.get(name, 0), len(self.sizes))
