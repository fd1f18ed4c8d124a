"""The page of the circuits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, prose, table

MEMORY = "memory of "
PLOT = "![Seconds to load growing parts of the data, per system](circuits.png)"
PREFACE = """
Written by `{command}`. {machine}, {architecture}. Seconds of processor time; peak memory in MiB of the whole process.
All systems of a table had the same number of facts after each step. Growing data is Figure 4 of the paper; inserting
and deleting 1 % and 50 % is Figure 5, where each table names the systems that were not measured.
"""


def page(run: Run) -> Page:
    """Growing data first, then a table per workload and protocol."""
    return Page("Circuits", tuple(_parts(run)), PLOT if run.of("growth") else "")


def _parts(run: Run) -> Iterator[str | Table]:
    machine = machine_text(run.machine, "numba", "numpy")
    yield prose(PREFACE.format(command=run.command, machine=machine, architecture=run.machine["architecture"]))
    for workload, found in groupby(run.of("growth"), lambda r: r.facts["workload"]):
        yield from _growth(workload, list(found))
    systems = list(dict.fromkeys(record.facts["system"] for kind in ("growth", "cell") for record in run.of(kind)))
    for (workload, protocol), found in groupby(run.of("cell"), lambda r: (r.facts["workload"], r.facts["protocol"])):
        yield from _section(f"## {workload}, {protocol}", list(found), systems)


def _growth(workload: str, records: Sequence[Record]) -> Iterator[str | Table]:
    """Seconds and memory by share of the data; a dash where a system was not asked any more.

    Notes gather from system to system, so that the last record has them all.
    """
    facts = records[0].facts
    yield f"## {workload}: growing parts of {facts['rows']:,} facts"
    yield from (f"Skipped: {note}." for note in records[-1].notes)
    shares = max(([v.name for v in r.values if not v.name.startswith(MEMORY)] for r in records), key=len)
    yield f"Seconds of a load. After more than {facts['enough']:.0f} s, or an aborted load, larger parts are skipped."
    yield table(("system", *shares), [(r.facts["system"], *_cells(r, shares, "", ".3f")) for r in records])
    yield "Memory that the load added, MiB:"
    yield table(("system", *shares), [(r.facts["system"], *_cells(r, shares, MEMORY, ".0f")) for r in records])


def _cells(record: Record, shares: Sequence[str], kind: str, digits: str) -> Iterator[str]:
    return (format(record[kind + share], digits) if kind + share in record else "-" for share in shares)


def _section(title: str, records: Sequence[Record], systems: Sequence[str]) -> Iterator[str | Table]:
    facts, steps = records[0].facts, records[0].facts["steps"]
    yield title
    yield from (f"Skipped: {note}." for note in records[0].notes)
    asked = {record.facts["system"] for record in records}
    if others := [system for system in systems if system not in asked]:
        yield f"Not measured: {', '.join(others)}."
    yield f"{facts['rules']} rules, {facts['rows']:,} facts inserted."
    head = ("system", *steps, "facts after each step", "peak MiB", "of it data", "indexes")
    yield table(head, [_line(r) for r in records])


def _line(record: Record) -> tuple[object, ...]:
    times = [f"{record[step]:.4f}" for step in record.facts["steps"]]
    sizes = ", ".join(f"{size:,}" for size in record.facts["facts"])
    indexes = record.facts.get("indexes")
    return record.facts["system"], *times, sizes, record["peak"], record["data"], "" if indexes is None else indexes
