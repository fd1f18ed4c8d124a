"""The page of another number of partitions."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table


def page(run: Run) -> Page:
    """Repartitions, and the star."""
    how = prose(
        f"""Written by `{run.command}`. {machine_text(run.machine, "numba")}. Seconds of processor time, state folder
        included, all partitions in one process. One pass is a snapshot and opening it."""
    )
    return Page(
        "Another number of partitions",
        (how, *_moves(run.of("repartition")), *_stars(run.of("star"))),
    )


def _moves(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    head = ("state", "facts", "build", "one pass", "repartition", "passes", "told")
    return "## Repartitioning", table(head, list(map(_move, records)), ("told",))


def _move(record: Record) -> tuple[object, ...]:
    times = (number(record[name]) for name in ("build", "one pass", "repartition"))
    return record.title, f"{record.facts['facts']:,}", *times, f"{number(record['passes'])} x", record.facts["told"]


def _stars(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    told = prose("Facts of the most uneven relation on the fullest of four partitions, as a multiple of the mean.")
    lines = [
        (r.title, f"{r.facts['facts']:,}", f"{number(r['before'])} x", f"{number(r['after'])} x", r.facts["told"])
        for r in records
    ]
    return "## A heavy key", told, table(("graph", "facts", "before", "after", "told"), lines, ("told",))
