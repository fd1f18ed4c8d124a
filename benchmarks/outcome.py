"""What a system found, by size and checksum, and the refusal of results that differ.

Law: two systems agree when they found the same set of rows; a run in which they do not counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.data.graphs import Cells
from benchmarks.measure import Duration, checksum


@dataclass(frozen=True, slots=True)
class Outcome:
    """Times, and the result by size and checksum; two systems agree when both are equal."""

    system: str
    load: Duration
    compute: Duration
    rows: int
    checksum: int
    supports: int = 0

    @classmethod
    def of_rows(cls, system: str, load: Duration, compute: Duration, rows: Cells, supports: int = 0) -> Outcome:
        """An outcome with these rows."""
        return cls(system, load, compute, len(rows), checksum(rows), supports)

    def agrees(self, other: Outcome) -> bool:
        """Whether both systems found the same set of rows."""
        return (self.rows, self.checksum) == (other.rows, other.checksum)


class Disagreement(Exception):
    """Two systems gave different results: nothing that was measured counts."""


def must_agree(one: Outcome, other: Outcome, title: str) -> None:
    """Refuse results that differ."""
    if not one.agrees(other):
        raise Disagreement(
            f"{title}: {one.system} has {one.rows:,} rows (checksum {one.checksum:x}), "
            f"{other.system} {other.rows:,} ({other.checksum:x})"
        )
