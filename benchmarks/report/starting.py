"""The page of starting."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import WORDS, Page, machine_text, prose, table, target_text

PREFACE = """
Written by `{command}`. {machine}. Each line is a separate process, from start to end, with existing bytecode and
kernel; they take turns. Medians in seconds; targets are for processor time, which is wall time on an idle machine.
"""
HEAD = ("process", "processor", "wall", "target", "met")


def page(run: Run) -> Page:
    """One line per process."""
    machine = machine_text(run.machine, "duckdb", "numpy", "pyarrow")
    lines = [_line(record) for record in run.of("start")]
    return Page("Starting", (prose(PREFACE.format(command=run.command, machine=machine)), table(HEAD, lines)))


def _line(record: Record) -> tuple[object, ...]:
    value = record.value("start")
    target = "" if value.target is None else f"{target_text(value.target)} s"
    return record.title, f"{value.value:.2f}", f"{record.wall('start'):.2f}", target, WORDS[value.met]
