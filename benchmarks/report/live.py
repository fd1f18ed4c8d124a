"""The page of databases that are followed."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table

PREFACE = """
Written by `{command}`. {machine}. Another process commits one row per transaction, at the requested rate. Every
transaction is one epoch, unless the line states that several pending transactions may share one. Latency in
milliseconds of wall time, from the return of COMMIT to the commit of the epoch, or to the line of the feed. Database,
load and engine share the processors; the database does not sync. In every run, each row arrived exactly once. With
kills, the connection is killed after a third of the time and the database after two thirds; the longest latency is then
the recovery time. """
HEADS = ("from COMMIT to", "transactions", "requested a second", "a second", "half within", "99 % within", "longest")


def page(run: Run) -> Page:
    """Latencies."""
    return Page("From COMMIT in PostgreSQL to a view", tuple(_parts(run)))


def _parts(run: Run) -> Iterator[str | Table]:
    yield prose(PREFACE.format(command=run.command, machine=machine_text(run.machine, "numba", "numpy", "pyarrow")))
    yield table(HEADS, list(map(_line, run.of("latency"))))


def _line(record: Record) -> tuple[object, ...]:
    times = [number(record[name]) for name in ("50% within", "99% within", "100% within")]
    counts = f"{record.facts['transactions']:,}", f"{record.facts['asked']:,}", f"{record['rate']:,.0f}"
    return record.title, *counts, *times
