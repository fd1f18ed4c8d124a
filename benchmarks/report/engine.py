"""The report: tables on the screen, a page and a plot.

Law: the page says what was measured and on how much of a machine, never on which one.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Duration
from benchmarks.outcome import Build, Finding, Measure

SYSTEMS = ("Tidelog", "DuckDB", "clingo")
WORDS = {True: "yes", False: "no", None: ""}


@dataclass(frozen=True, slots=True)
class Rows:
    """A table as text: what the screen and the page have in common."""

    title: str
    head: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]


def number(value: float) -> str:
    """Three digits that matter.

    >>> number(0.1234), number(12.345), number(1234.5)
    ('0.123', '12.3', '1,234')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def measures_table(measures: Sequence[Measure]) -> Rows:
    """Every measure beside its target."""
    head = ("what", "measured", "target", "met", "detail")
    lines = [
        (f"{m.group}: {m.what}", f"{number(m.value)} {m.unit}", _target(m), WORDS[m.met], m.detail) for m in measures
    ]
    return Rows("Measures and targets", head, tuple(lines))


def _target(measure: Measure) -> str:
    return "" if measure.target is None else f"at most {number(measure.target)}"


def builds_table(builds: Sequence[Build]) -> Rows:
    """Load and compute of every system."""
    head = ("build", "facts", "supports", *(f"{s} {part}" for s in SYSTEMS for part in ("load", "compute")))
    return Rows("Builds, seconds of processor time", head, tuple(map(_build_line, builds)))


def _build_line(build: Build) -> tuple[str, ...]:
    cells = [build.title, f"{build.rows:,}", f"{build.supports:,}"]
    for system in SYSTEMS:
        cells += _seconds(build.times.get(system))
    return tuple(cells)


def _seconds(times: tuple[Duration, Duration] | None) -> tuple[str, str]:
    return ("-", "-") if times is None else (f"{times[0].cpu:.3f}", f"{times[1].cpu:.3f}")


def show(console: Console, findings: Sequence[Finding]) -> None:
    """Both tables on the screen."""
    for rows in tables(findings):
        table = Table(title=rows.title)
        for place, name in enumerate(rows.head):
            table.add_column(name, justify="left" if place == 0 or name == "detail" else "right")
        for line in rows.lines:
            style = {"yes": "green", "no": "red"}.get(line[3], "") if rows.head[3] == "met" else ""
            table.add_row(*line, style=style)
        console.print(table)


def tables(findings: Sequence[Finding]) -> Iterator[Rows]:
    """The tables that have lines."""
    builds = [f for f in findings if isinstance(f, Build)]
    measures = [f for f in findings if isinstance(f, Measure)]
    if builds:
        yield builds_table(builds)
    if measures:
        yield measures_table(measures)


def page(findings: Sequence[Finding]) -> str:
    """The report in Markdown."""
    parts = ["# The engine, measured", _preface()]
    for rows in tables(findings):
        parts.append(f"## {rows.title}\n\n{_markdown(rows)}")
    notes = [f"- {f.title}: {note}" for f in findings if isinstance(f, Build) for note in f.notes]
    if notes:
        parts.append("\n".join(notes))
    parts.append("![Measured values as multiples of their targets](engine.png)")
    return "\n\n".join(parts) + "\n"


def _preface() -> str:
    peers = ", ".join(f"{name} {version(name)}" for name in ("duckdb", "clingo", "numba", "numpy"))
    return f"""Written by `make bench`. {os.cpu_count()} cores, Python {platform.python_version()}, {peers}; every
system computes in one thread. Numbers are medians of processor time (on an idle machine that is wall time); systems
alternate within a case; the results of all systems were equal in size and checksum. What each case does is told in
[the design notes](../../docs/design/benchmarks.md)."""


def _markdown(rows: Rows) -> str:
    rule = ["---", *("---" if name == "detail" else "---:" for name in rows.head[1:])]
    lines = [rows.head, tuple(rule), *(tuple(_escaped(c) for c in line) for line in rows.lines)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def write(findings: Sequence[Finding], folder: Path) -> None:
    """The page and its plot."""
    from benchmarks.plot import draw

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "engine.md").write_text(page(findings), encoding="utf-8")
    draw([f for f in findings if isinstance(f, Measure)], folder / "engine.png")
