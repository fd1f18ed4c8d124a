"""The page of the contest: each measure of every system, and where Tidelog is not first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table

PREFACE = """
Written by `{command}`. {machine}. Every system runs in a separate process with one thread, and follows
[the protocol](../peers/protocol.py): it computes the view, deletes one fact in a hundred, inserts them again, does the
same with a single fact, and adds a rule. After each step but the last, its view had the rows that DuckDB's SQL
returns; the rule step is not compared. Times are
milliseconds of processor time, the best of all runs; `--quick` means small data and one run. Tidelog's build includes
loading the facts. DuckDB, clingo, and systems that are not incremental compute the view again; compiled systems cannot
add a rule. Memory is the peak of the process in MB, with the Python interpreter and its libraries where there are any.
"""
MEASURES: Mapping[str, str] = {
    "build": "Build",
    "out": "Delete 1 %",
    "in": "Insert 1 %",
    "one out": "Delete one fact",
    "one in": "Insert one fact",
    "rule": "Add a rule",
    "memory": "Memory, MB",
}
REASONS: Mapping[str, str] = {
    "build": "Tidelog counts the supports of every fact and ranks them, which is what deletions need; a system that "
    "computes again, or that is compiled for this program, stores rows only.",
    "out": "Deleting visits the supports of every fact that could be lost; where most of the view changes, or the view "
    "is small, computing it again is cheaper.",
    "in": "The same applies as to deletions; what matters is which share of the view changes.",
    "one out": "An epoch passes through Python, which costs a few tenths of a millisecond in the first epochs of a "
    "process.",
    "one in": "The same applies as to the deletion of one fact.",
    "rule": "The supports of the new rule are found and counted.",
    "memory": "Supports and ranks are stored with every fact, and Python with its libraries takes about 75 MB.",
}
OWN = "Tidelog"


def page(run: Run) -> Page:
    """All findings of the group."""
    return Page("Twelve programs on every system", tuple(_parts(run)))


def _parts(run: Run) -> Iterator[str | Table]:
    yield prose(PREFACE.format(command=run.command, machine=machine_text(run.machine, "duckdb", "clingo", "numpy")))
    records = run.of("contest")
    systems = list(dict.fromkeys(system for record in records for system in _systems(record)))
    for measure, title in MEASURES.items():
        shown = [system for system in systems if any(f"{system} {measure}" in record for record in records)]
        yield f"## {title}"
        yield table(("program", *shown), [_line(record, measure, shown) for record in records])
    yield "## Where Tidelog is not first"
    behind = [line for record in records for line in _behind(record)]
    yield table(("program", "measure", "first", "Tidelog, relative to it"), behind)
    measures = [measure for measure, title in MEASURES.items() if any(line[1] == title for line in behind)]
    for measure in measures:
        yield prose(f"*{MEASURES[measure]}.* {REASONS[measure]}")
    if notes := [f"- {record.title}: {note}" for record in records for note in record.notes]:
        yield "## What is missing"
        yield "\n".join(notes)


def _systems(record: Record) -> list[str]:
    return [value.name.removesuffix(" build") for value in record.values if value.name.endswith(" build")]


def _line(record: Record, measure: str, systems: Sequence[str]) -> tuple[str, ...]:
    names = [f"{system} {measure}" for system in systems]
    best = min((record[name] for name in names if name in record), default=0.0)
    cells = [_cell(record[name], best) if name in record else "-" for name in names]
    return record.title, *cells


def _cell(value: float, best: float) -> str:
    return f"**{number(value)}**" if value == best else number(value)


def _behind(record: Record) -> Iterator[tuple[str, str, str, str]]:
    for measure, title in MEASURES.items():
        found = {system: record[n] for system in _systems(record) if (n := f"{system} {measure}") in record}
        if OWN in found and found[OWN] > min(found.values()):
            first = min(found, key=lambda system: found[system])
            yield record.title, title, first, f"{number(found[OWN] / found[first])} x"
