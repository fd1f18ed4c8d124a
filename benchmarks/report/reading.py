"""The page of reading."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import WORDS, Page, Table, machine_text, prose, table, target_text

PEERS = ("Tidelog", "DuckDB", "SQLite", "Python")
ALONE = """
A view of {rows:,} rows, `v(x, y) :- e(x, y)`, read in one thread while nothing is written. Microseconds of processor
time per read, medians. DuckDB has an index on the first column, SQLite (in memory) a primary key; Python has a
set of the rows and a dict by key. All use their own Python interfaces.
"""
BESIDE = """
One writer, whose epochs insert or delete one fact, and readers that ask for one row of the view (`row in view`), all of
them threads of one process and each as fast as it can: they share one interpreter. Every look-up sees the last
committed epoch. Seconds are wall time; *alone* means that the writer does nothing.
"""
ASKED = """
Questions about single facts, with eight partitions in one process that store the paths of many chains of edges:
`reach(x, z) :- reach(x, y), edge(y, z)`. The table has the total number of facts, the median processor time in
milliseconds for each fact that the answer names, and, for one question, the calls to partitions and the facts that they
returned.
"""


def page(run: Run) -> Page:
    """Readings alone, and beside a writer."""
    machine = machine_text(run.machine, "duckdb", "numpy")
    parts: list[str | Table] = [prose(f"Written by `{run.command}`. {machine}.")]
    if reads := run.of("read"):
        head = ("what", *PEERS, "target", "met")
        lines = [_read(record) for record in reads]
        parts += [prose(ALONE.format(rows=reads[0].facts["rows"])), table(head, lines)]
    if found := run.of("beside"):
        head = ("readers", "epochs a second", "look-ups a second with the writer", "alone")
        parts += [prose(BESIDE), table(head, [_beside(record) for record in found])]
    if asked := run.of("asked"):
        head = ("what", "facts named", "ms for each", "calls", "facts moved", "target", "met")
        parts += [prose(ASKED), table(head, [_asked(record) for record in asked])]
    return Page("Reading, measured", tuple(parts))


def _read(record: Record) -> tuple[object, ...]:
    own = record.value("Tidelog")
    times = [f"{record[name]:,.1f}" if name in record else "" for name in PEERS]
    target = "" if own.target is None else f"{target_text(own.target)} µs"
    return (record.title, *times, target, WORDS[own.met])


def _beside(record: Record) -> tuple[object, ...]:
    looked = [f"{record[name]:,.0f}" if name in record else "" for name in ("look-ups beside", "look-ups alone")]
    return (record.facts["readers"], f"{record['epochs']:,.0f}", *looked)


def _asked(record: Record) -> tuple[object, ...]:
    took = record.value("time")
    target = "" if took.target is None else f"{target_text(took.target)} ms"
    counted = [f"{record[name]:,.0f}" for name in ("calls", "facts")]
    return (record.title, record.facts["told"], f"{took.value:,.2f}", *counted, target, WORDS[took.met])
