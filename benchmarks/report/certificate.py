"""The page of the certificate."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, machine_text, prose, table

HEAD = ("state", "facts", "supports", "build (s)", "checker", "certificate (s)", "beside the build")


def page(run: Run) -> Page:
    """Builds and their certificates."""
    machine = machine_text(run.machine, "numba", "numpy", "pyspark")
    how = prose(f"Written by `{run.command}`. {machine}. Wall time, because Spark works in other processes.")
    return Page("Cost of a certificate", (how, table(HEAD, list(map(_line, run.of("certificate"))), ("checker",))))


def _line(record: Record) -> tuple[object, ...]:
    facts, build, took = record.facts, record.wall("build"), record.wall("certificate")
    sizes = f"{facts['facts']:,}", f"{facts['supports']:,}"
    return record.title, *sizes, f"{build:.2f}", facts["checker"], f"{took:.2f}", f"{record['beside the build']:.1f}"
