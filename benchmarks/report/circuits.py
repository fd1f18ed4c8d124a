"""The page of the circuits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, prose, table

PREFACE = """
Written by `{command}`. {machine}, {architecture}. Seconds on the wall; peak memory in MiB of the whole process. All
systems of a table had as many facts after each step.
"""


def page(run: Run) -> Page:
    """A table per workload and protocol."""
    return Page("Circuits", tuple(_parts(run)))


def _parts(run: Run) -> Iterator[str | Table]:
    machine = machine_text(run.machine, "numba", "numpy")
    yield prose(PREFACE.format(command=run.command, machine=machine, architecture=run.machine["architecture"]))
    for (workload, protocol), found in groupby(run.of("cell"), lambda r: (r.facts["workload"], r.facts["protocol"])):
        yield from _section(f"## {workload}, {protocol}", list(found))


def _section(title: str, records: Sequence[Record]) -> Iterator[str | Table]:
    facts, steps = records[0].facts, records[0].facts["steps"]
    yield title
    yield from (f"Left out: {note}." for note in records[0].notes)
    yield f"{facts['rules']} rules, {facts['rows']:,} facts given."
    yield table(("system", *steps, "facts after each step", "peak MiB", "of it data"), [_line(r) for r in records])


def _line(record: Record) -> tuple[object, ...]:
    times = [f"{record[step]:.4f}" for step in record.facts["steps"]]
    sizes = ", ".join(f"{size:,}" for size in record.facts["facts"])
    return record.facts["system"], *times, sizes, record["peak"], record["data"]
