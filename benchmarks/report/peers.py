"""The page of the contest: each measure of every system, and where Tidelog is not first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table

PREFACE = """
Written by `{command}`. {machine}. Every system runs in a separate process with one thread, and follows
[the protocol](../peers/protocol.py): it computes the view, deletes one fact in a hundred, inserts them again, does the
same with a single fact, and adds a rule. After each step its view had the same rows as DuckDB's SQL; after the rule,
which is not in the SQL, all systems had the same rows. Times are milliseconds of processor time, the best of all runs;
`--quick` means small data. Memory is the peak of the process in MB, with the Python interpreter and its libraries where
there are any. A dash: the system cannot take the step, [did not end](#what-is-missing), or ended before its memory
was seen.
"""
HOW: Mapping[str, str] = {
    "Tidelog": "maintains the view; a rule is added in an epoch; the build includes loading the facts",
    "DuckDB": "computes the view again, by SQL",
    "clingo": "grounds and solves again",
    "Soufflé": "the interpreter computes everything again, and reads the facts as text; known to about a millisecond",
    "Soufflé compiled": "the same as a compiled program; adding a rule means compiling",
    "differential dataflow": "maintains the view; adding a rule means compiling",
    "dbsp": "maintains the view; adding a rule means compiling",
    "Ascent": "computes everything again; adding a rule means compiling",
    "FlowLog": "compiles rules to differential dataflow",
    "DDlog": "compiles rules to differential dataflow; its compiler needs Haskell",
    "pydbsp": "maintains all views; a rule is a fact; has neither comparisons nor minima",
}
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
    "computes again stores rows only, and a compiled one has neither a parser nor a planner in its first epoch.",
    "out": "Deleting visits the supports of every fact that could be lost. Where most of the view changes, or the view "
    "is small, computing it again is cheaper: with small data, a compiled program often needs less time than an epoch, "
    "which costs some tenths of a millisecond whatever it changes.",
    "in": "The same applies as to deletions; what matters is which share of the view changes.",
    "one out": "An epoch passes through Python, which costs some tenths of a millisecond in the first epochs of a "
    "process; a compiled dataflow, or a compiled program on small data, is done by then.",
    "one in": "The same applies as to the deletion of one fact.",
    "rule": "The supports of the new rule are found and counted.",
    "memory": "Supports and ranks are stored with every fact, and Python with its libraries takes about 75 MB.",
}
OWN = "Tidelog"
SEEN = 1.0  # MB: less was read before the process had begun


def page(run: Run) -> Page:
    """All findings of the group."""
    return Page("Twelve programs on every system", tuple(_parts(run)))


def _parts(run: Run) -> Iterator[str | Table]:
    yield prose(PREFACE.format(command=run.command, machine=machine_text(run.machine, "duckdb", "clingo", "numpy")))
    records = run.of("contest")
    systems = list(dict.fromkeys(system for record in records for system in _systems(record)))
    yield "## Systems"
    lines = [(name, how, "yes" if name in systems else "no") for name, how in HOW.items()]
    yield table(("system", "how it takes the steps", "in this run"), lines, ("how it takes the steps", "in this run"))
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
    found = _found(record, measure)
    best = min(found.values(), default=0.0)
    return record.title, *(_cell(found[system], best) if system in found else "-" for system in systems)


def _found(record: Record, measure: str) -> dict[str, float]:
    """What each system has, unless its process ended before it was seen to hold memory."""
    least = SEEN if measure == "memory" else 0.0
    names = {system: f"{system} {measure}" for system in _systems(record)}
    return {system: record[name] for system, name in names.items() if name in record and record[name] > least}


def _cell(value: float, best: float) -> str:
    return f"**{number(value)}**" if value == best else number(value)


def _behind(record: Record) -> Iterator[tuple[str, str, str, str]]:
    for measure, title in MEASURES.items():
        found = _found(record, measure)
        if OWN in found and found[OWN] > min(found.values()):
            first = min(found, key=lambda system: found[system])
            yield record.title, title, first, f"{number(found[OWN] / found[first])} x"
