"""The page of the language."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, prose, table, target_text


def page(run: Run) -> Page:
    """Reading and checking beside a compiler."""
    how = prose(f"Written by `{run.command}`. {machine_text(run.machine)}. Medians of processor time.")
    return Page("Reading and checking, measured", (how, *map(_table, run.of("program"))))


def _table(record: Record) -> Table:
    facts, peer, both = record.facts, record["Python's compiler"], record.value("both")
    verdict = f"{target_text(both.target)} s: {'met' if both.met else 'missed'}"
    names = {
        "read": f"read {facts['rules']:,} rules ({facts['characters']:,} characters)",
        "check": "check them",
        "both": f"both ({verdict})",
        "Python's compiler": f"Python's compiler on {facts['characters of Python']:,} characters",
    }
    lines = [(title, f"{record[name]:.2f}", f"{record[name] / peer:.1f} x") for name, title in names.items()]
    return table(("what", "seconds", "beside Python's compiler"), lines)
