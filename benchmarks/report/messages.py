"""The page of messages between partitions."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, machine_text, number, prose, table

HEAD = ("partitions", "facts", "supports", "messages", "build", "x one", "peak", "x one", "1 % out", "suspended")


def page(run: Run) -> Page:
    """One row for each number of partitions."""
    about = prose(
        f"""Written by `{run.command}`. {machine_text(run.machine, "numba")}. An R-MAT graph of 1,024 nodes and 10,000
        edges, closed by a rule that joins the closure with itself and sends what it finds; all partitions are in one
        process. Messages are merged by fact and rank. Times are seconds of processor time. Peak memory is that of the
        process; one with the engine alone is part of it. The last columns are about an epoch without 1 % of the edges,
        and the facts that it suspends. Targets for two partitions: 3 x the time and 2 x the memory of one."""
    )
    return Page("Messages between partitions", (about, table(HEAD, list(map(_line, run.of("messages"))))))


def _line(record: Record) -> tuple[object, ...]:
    counts = (f"{record.facts[name]:,}" for name in ("facts", "supports", "messages"))
    build = (number(record["build"]), f"{number(record['build beside one'])} x")
    memory = (f"{record['peak'] / 1e6:,.0f} MB", f"{number(record['peak beside one'])} x")
    out = (number(record["1 % out"]), f"{record.facts['suspended']:,}")
    return (record.facts["partitions"], *counts, *build, *memory, *out)
