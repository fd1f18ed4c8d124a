"""The page of aggregates in recursion."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, machine_text, number, prose, table, target_text

HOW = """
Written by `{command}`. {machine}. The cost of every part of a hierarchy, in which each part contains eight others or
has a price, by `cost(p, sum<n * c>) :- part(p, s, n), cost(s, c).`; processor time. A change replaces the quantity of
one part by another, in one epoch, after which the view is complete. The loop computes all costs again, in Python, from
the leaves up, over lists that hold the hierarchy; it keeps nothing, and nothing reports what changed.
"""


def page(run: Run) -> Page:
    """Builds and changes beside a loop."""
    how = prose(HOW.format(command=run.command, machine=machine_text(run.machine)))
    heads = ("costs", "build (s)", "change (ms)", "95 % below (ms)", "target", "loop (ms)", "loop / change")
    return Page("Aggregates in recursion, measured", (how, table(heads, list(map(_line, run.of("costs"))))))


def _line(record: Record) -> tuple[str, ...]:
    change = record.value("change")
    target = "" if change.target is None else f"{target_text(change.target)} ms: {'met' if change.met else 'missed'}"
    loop, ratio = number(record["loop"]), f"{record['ratio']:.0f} x"
    return (
        record.title,
        f"{record['build']:.1f}",
        number(change.value),
        number(record["95 % below"]),
        target,
        loop,
        ratio,
    )
