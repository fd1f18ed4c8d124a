"""The page of durability."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table

PREFACE = """
Written by `{command}`. {machine}. Epochs delete and insert base facts; both engines get the same ones in turn. The bare
append writes as many bytes as an epoch and syncs. A record is touched if the epoch changes its counts, rank or
presence. `faster` refers to the slower opening. Medians; openings are repeated in one process with warm memory. The
first one takes longer, because it must request all its pages from the system.
"""
EPOCHS = ("workload", "epoch", "in memory", "durable", "bare append + sync", "bytes", "bytes per record touched")
OPENINGS = (
    "workload",
    "facts",
    "rebuild",
    "open, from log",
    "open, from snapshot",
    "faster",
    "snapshot bytes per fact",
)


def page(run: Run) -> Page:
    """Epochs and openings."""
    return Page("What durability costs", tuple(_parts(run)))


def _parts(run: Run) -> Iterator[str | Table]:
    yield prose(PREFACE.format(command=run.command, machine=machine_text(run.machine, "numba", "numpy", "pyarrow")))
    yield "## Epochs, in milliseconds of wall time"
    yield table(EPOCHS, list(map(_epochs_line, run.of("epochs"))), ("epoch",))
    yield "## Opening compared with rebuilding, in milliseconds of processor time"
    yield table(OPENINGS, list(map(_opening_line, run.of("opening"))))


def _epochs_line(record: Record) -> tuple[object, ...]:
    times = [number(record.wall(name)) for name in ("in memory", "durable", "bare append")]
    each = f"{record['bytes'] / record['records']:.0f}" if record["records"] else ""
    return record.facts["workload"], record.facts["epoch"], *times, f"{record['bytes']:,.0f}", each


def _opening_line(record: Record) -> tuple[object, ...]:
    times = [number(record[name]) for name in ("rebuild", "open from log", "open from snapshot")]
    facts = record.facts["facts"]
    return (
        record.facts["workload"],
        f"{facts:,}",
        *times,
        f"{record['faster']:.1f} x",
        f"{record['snapshot'] / max(1, facts):.0f}",
    )
