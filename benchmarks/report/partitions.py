"""The page of another number of partitions."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table


def page(run: Run) -> Page:
    """Repartitions, messages, and the star."""
    how = prose(
        f"""Written by `{run.command}`. {machine_text(run.machine, "numba")}. Seconds of processor time, state folder
        included, all partitions in one process. One pass is a snapshot and opening it."""
    )
    return Page(
        "Another number of partitions",
        (how, *_moves(run.of("repartition")), *_messages(run.of("messages")), *_stars(run.of("star"))),
    )


def _moves(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    head = ("state", "facts", "build", "one pass", "repartition", "passes", "told")
    return "## Repartitioning", table(head, list(map(_move, records)), ("told",))


def _move(record: Record) -> tuple[object, ...]:
    times = (number(record[name]) for name in ("build", "one pass", "repartition"))
    return record.title, f"{record.facts['facts']:,}", *times, f"{number(record['passes'])} x", record.facts["told"]


def _messages(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    about = prose(
        """An R-MAT graph, closed by a rule that joins the closure with itself and sends what it finds. Messages are
        merged by fact and rank. Peak memory is that of a process with all partitions; one with the engine alone is
        part of it. Last, an epoch without 1 % of the edges, and the facts that it suspends."""
    )
    head = (
        "partitions",
        "facts",
        "supports",
        "messages",
        "build",
        "beside one",
        "peak",
        "beside one",
        "1 % out",
        "suspended",
    )
    return "## Messages", about, table(head, list(map(_sent, records)))


def _sent(record: Record) -> tuple[object, ...]:
    counts = (f"{record.facts[name]:,}" for name in ("facts", "supports", "messages"))
    build = (number(record["build"]), f"{number(record['build beside one'])} x")
    memory = (f"{record['peak'] / 1e6:,.0f} MB", f"{number(record['peak beside one'])} x")
    return (
        record.facts["partitions"],
        *counts,
        *build,
        *memory,
        number(record["1 % out"]),
        f"{record.facts['suspended']:,}",
    )


def _stars(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    told = prose("Facts of the most uneven relation on the fullest of four partitions, as a multiple of the mean.")
    lines = [
        (r.title, f"{r.facts['facts']:,}", f"{number(r['before'])} x", f"{number(r['after'])} x", r.facts["told"])
        for r in records
    ]
    return "## A heavy key", told, table(("graph", "facts", "before", "after", "told"), lines, ("told",))
