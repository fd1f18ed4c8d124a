"""What the benchmarks find: outcomes of systems, builds side by side, and measures held against their targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.graphs import Cells
from benchmarks.measure import Duration, checksum


@dataclass(frozen=True, slots=True)
class Options:
    """What a run was asked for."""

    quick: bool = False
    repeat: int = 3
    data: str | None = None
    largest_clingo: int = 3_000_000


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


@dataclass(frozen=True, slots=True)
class Build:
    """One workload built by all systems: medians of (load, compute) per system; None where a system was left out."""

    title: str
    rows: int
    supports: int
    times: Mapping[str, tuple[Duration, Duration] | None]
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its unit, and the target it must not exceed (None: told for information)."""

    group: str
    what: str
    value: float
    unit: str
    target: float | None = None
    detail: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target."""
        return None if self.target is None else self.value <= self.target

    @property
    def share(self) -> float | None:
        """The value as a multiple of its target."""
        return None if self.target is None else self.value / self.target


class Disagreement(Exception):
    """Two systems gave different results: nothing that was measured counts."""


Finding = Build | Measure


def must_agree(one: Outcome, other: Outcome, title: str) -> None:
    """Refuse results that differ."""
    if not one.agrees(other):
        raise Disagreement(
            f"{title}: {one.system} has {one.rows:,} rows (checksum {one.checksum:x}), "
            f"{other.system} {other.rows:,} ({other.checksum:x})"
        )
