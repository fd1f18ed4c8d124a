"""What the Spark benchmarks find, and the page made of it.

Law: times are wall time, since the work is done in other processes; a number stands beside its target, which says
whether it is a floor or a ceiling. Whatever is compared had equal results, or the run stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.report import WORDS, number
from benchmarks.table import machine, markdown


@dataclass(frozen=True, slots=True)
class Target:
    """A floor or a ceiling.

    >>> str(Target(10, floor=True)), Target(10, floor=True).met(9.9), Target(30).met(12)
    ('at least 10', False, True)
    """

    value: float
    floor: bool = False

    def met(self, value: float) -> bool:
        """Whether a value is on the right side."""
        return value >= self.value if self.floor else value <= self.value

    def __str__(self) -> str:
        return f"at {'least' if self.floor else 'most'} {number(self.value)}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A number with its unit; without a target it is told for information."""

    what: str
    value: float
    unit: str
    target: Target | None = None
    detail: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without a target."""
        return None if self.target is None else self.target.met(self.value)

    def line(self) -> tuple[str, ...]:
        """The reading as a line of a table."""
        target = "" if self.target is None else str(self.target)
        return self.what, f"{number(self.value)} {self.unit}", target, WORDS[self.met], self.detail


@dataclass(frozen=True, slots=True)
class Pair:
    """The seconds that a peer and Tidelog need for the same."""

    peer: float
    own: float
    target: Target

    @property
    def ratio(self) -> float:
        """How many times faster Tidelog is."""
        return self.peer / self.own


@dataclass(frozen=True, slots=True)
class Comparison:
    """One workload beside its peer: built, one row out, one row in."""

    title: str
    peer: str
    facts: int
    turns: int
    build: Pair
    out: Pair
    into: Pair

    def line(self) -> tuple[str, ...]:
        """The comparison as a line of a table."""
        turns = f"{self.turns}" if self.turns else ""
        cells = [cell for pair in (self.build, self.out, self.into) for cell in _cells(pair)]
        return f"{self.title}; {self.peer}", f"{self.facts:,}", turns, *cells


Finding = Reading | Comparison
COMPARED = (
    "workload; peer",
    "facts",
    "turns",
    *(f"{what}: {part}" for what in ("build", "row out", "row in") for part in ("peer s", "Tidelog s", "ratio")),
)
READ = ("what", "measured", "target", "met", "detail")
METHOD = """\
Wall time; medians of Tidelog's {builds} builds and {changes} changed rows, of the peer one of each. The view was
compared with the peer's after the build, after a row went and after it came back. The loops are written by hand over
DataFrames: deltas are checkpointed, base facts cached and broadcast, results checkpointed every few turns; an inserted
row goes on with the loop, a deleted one makes it compute everything again. Spark's `WITH RECURSIVE` eliminates no
duplicates, so that of these it can express only same-generation over a tree. Builds start from the same cached
DataFrames, changed rows are Python tuples; the session runs and the engine is open before the clock starts. Targets: a
build at least {build:g} x, a changed row at least {row:g} x faster than the peer."""


def _cells(pair: Pair) -> tuple[str, str, str]:
    mark = "" if pair.target.met(pair.ratio) else " (missed)"
    return number(pair.peer), number(pair.own), f"{number(pair.ratio)} x{mark}"


def comparisons(findings: Sequence[Finding]) -> str:
    """The table of workloads beside their peers, empty if there is none."""
    lines = [finding.line() for finding in findings if isinstance(finding, Comparison)]
    return markdown(COMPARED, lines) if lines else ""


def readings(findings: Sequence[Finding]) -> str:
    """The table of all other numbers, empty if there is none."""
    lines = [finding.line() for finding in findings if isinstance(finding, Reading)]
    return markdown(READ, lines) if lines else ""


def missed(findings: Sequence[Finding]) -> list[str]:
    """What stayed behind its target."""
    found = [f.what for f in findings if isinstance(f, Reading) and f.met is False]
    for finding in findings:
        if isinstance(finding, Comparison):
            pairs = {"build": finding.build, "row out": finding.out, "row in": finding.into}
            found += [f"{finding.title}, {what}" for what, pair in pairs.items() if not pair.target.met(pair.ratio)]
    return found


def parts(findings: Sequence[Finding], method: str) -> list[str]:
    """The parts of the page."""
    short = missed(findings)
    verdict = "Missed: " + "; ".join(short) + "." if short else "All targets are met."
    told = [f"Written by `make bench-spark`. {machine('pyspark', 'pyarrow', 'numba', 'numpy')}. {verdict}"]
    if table := comparisons(findings):
        told += ["## Beside Spark alone", method, table]
    if table := readings(findings):
        told += ["## Rounds, epochs, partitions, growth", table]
    return told
