"""The page of real programs beside other systems: builds, changes beside building again, the Java analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.record import Record, Run
from benchmarks.report.engine import builds_table
from benchmarks.report.table import WORDS, Page, Table, machine_text, number, prose, table, target_text

PREFACE = """
Written by `{command}`. {machine}; Tidelog and DuckDB compute in {threads}, clingo in one thread. Numbers are medians of
processor time unless they are marked as wall time; systems alternate within a case, and their results were equal in
size and checksum after the build and after a deletion. [The design
notes](../../docs/design/benchmarks.md#real-programs) describe each case.
"""
CHANGES = """
Tidelog maintains its views; the time is that of a whole epoch through the API. DuckDB and clingo compute the views
again. The last column is DuckDB's time divided by Tidelog's time for the slower direction.
"""
HEAD = (
    "change",
    "facts",
    "out, ms",
    "in, ms",
    "worst, ms",
    "suspended",
    "DuckDB again, ms",
    "clingo again, ms",
    "gain",
)


def page(run: Run) -> Page:
    """All findings of the group."""
    return Page("Real programs, compared with other systems", tuple(_parts(run)))


def _parts(run: Run) -> Iterator[str | Table]:
    machine = machine_text(run.machine, "duckdb", "clingo", "numba", "numpy")
    count = run.options.get("threads", 1)
    threads = "one thread" if count == 1 else f"{count} threads"
    yield prose(PREFACE.format(command=run.command, machine=machine, threads=threads))
    if builds := run.of("build"):
        yield "## Builds, seconds of processor time"
        yield builds_table(builds)
    if held := [record for record in builds if record.headline and record.headline.target]:
        yield measures_table(held)
    if changes := run.of("changes"):
        yield "## Changes"
        yield prose(CHANGES)
        yield table(HEAD, list(map(_change, changes)))
    if java := [record for record in run.records if record.kind.startswith("java")]:
        yield "## The Java analysis"
        yield measures_table(java)
    if forms := run.of("forms"):
        yield "## Other forms of the programs"
        yield measures_table(forms)
    if notes := [f"- {record.title}: {note}" for record in run.records for note in record.notes]:
        yield "\n".join(notes)


def _change(record: Record) -> tuple[str, ...]:
    shown = [_cell(record, name) for name in ("out", "in", "worst")]
    again = [_cell(record, f"{system} again") for system in ("DuckDB", "clingo")]
    dearer = max(record[name] for name in ("out", "in") if name in record)
    gain = f"{number(record['DuckDB again'] / dearer)} x"
    return record.title, f"{record.facts['changed']:,}", *shown, f"{record.facts['suspended']:,}", *again, gain


def _cell(record: Record, name: str) -> str:
    return number(record[name]) if name in record else "-"


def measures_table(records: Sequence[Record]) -> Table:
    """Every measure beside its target."""
    return table(("what", "measured", "target", "met", "detail"), list(map(_measure, records)))


def _measure(record: Record) -> tuple[str, ...]:
    value = record.headline
    assert value is not None, "every record of these tables has one"
    clock = " wall" if value.clock == "wall" else ""
    shown = f"{number(value.value)} {value.unit}{clock}"
    return record.title, shown, target_text(value.target), WORDS[value.met], _detail(record)


def _detail(record: Record) -> str:
    others = [v for v in record.values if v.name != "measured" and v.clock in ("", "cpu") and not _is_system(v.name)]
    values = [f"{value.name} {number(value.value)} {value.unit}" for value in others]
    facts = [f"{name.replace('_', ' ')} {size:,}" for name, size in record.facts.items() if isinstance(size, int)]
    return "; ".join(filter(None, (", ".join(values), ", ".join(facts))))


def _is_system(name: str) -> bool:
    """Whether a time is already in the table of builds."""
    return name.endswith((" load", " compute"))
