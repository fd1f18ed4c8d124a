"""The page of deletions."""

from __future__ import annotations

from benchmarks.record import HEADLINE, Record, Run
from benchmarks.report.table import WORDS, Page, Table, machine_text, number, prose, table


def page(run: Run) -> Page:
    """Suspended facts, and large deletions."""
    how = prose(f"Written by `{run.command}`. {machine_text(run.machine, 'numba')}. Processor time.")
    return Page("Deletions, measured", (how, *_suspended(run.of("suspended")), *_large(run.of("large"))))


def _suspended(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    text = prose(
        f"""Facts suspended per deleted row, compared with facts that are actually removed, over
        {records[0].facts["rounds"]} rounds. Each round deletes one old row and reinserts the row that has been deleted
        for the longest time. Before: a rank was a single clock. Now: a rank is a depth and a clock. No stratum is
        rebuilt here."""
    )
    lines = [
        (r.title, f"{r.facts['facts']:,}", number(r["net"]), number(r["before"]) if "before" in r else "", *_now(r))
        for r in records
    ]
    return text, table(("shape", "facts", "net change", "suspended before", "suspended now", "now / net"), lines)


def _now(record: Record) -> tuple[str, str]:
    return number(record[HEADLINE]), f"{number(record[HEADLINE] / record['net'])} x" if record["net"] else "-"


def _large(records: list[Record]) -> tuple[str | Table, ...]:
    if not records:
        return ()
    text = prose(
        """Large deletions, as multiples of a build of the original data. Followed: strata are not rebuilt
        (`Limits(rebuild=False)`)."""
    )
    lines = [
        (
            r.title,
            number(r["build"]),
            f"{r['followed']:.2f}",
            f"{r[HEADLINE]:.2f}",
            WORDS[r.value(HEADLINE).met],
            r.facts["way"],
        )
        for r in records
    ]
    return text, table(("what", "build, ms", "followed", "elastic", "met", "way"), lines, ("way",))
