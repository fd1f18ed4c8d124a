"""The page of the editor."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, prose, table

QUICK = ("keystroke", "complete", "hover", "colour a screen")
SLOW = ("open", "check the whole")


def page(run: Run) -> Page:
    """What follows a keystroke, and what an editor does not wait for."""
    how = prose(
        f"Written by `{run.command}`. {machine_text(run.machine)}. Medians of processor time. A keystroke is the edit, "
        "reading and checking the clause, and the list of all findings; the whole text is checked in another process."
    )
    return Page("Typing, measured", (how, *map(_table, run.of("typing"))))


def _table(record: Record) -> Table:
    lines = [(name, f"{record[name]:.1f} ms", "met" if record.value(name).met else "missed") for name in QUICK]
    lines += [(name, f"{record[name]:.2f} s", "") for name in SLOW]
    return table((f"in {record.facts['rules']:,} rules", "time", "at most 100 ms"), lines)
