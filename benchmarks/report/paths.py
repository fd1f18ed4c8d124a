"""The page of path queries."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, machine_text, prose, table

HEAD = ("path", "edges", "rows", "Tidelog, ms", "DuckDB, ms", "ratio", "edge out, ms", "edge in, ms", "95 % below, ms")
PREFACE = """
Written by `{command}`. {machine}; every system computes in one thread. Medians of processor time: a question to a
loaded database (the rule is added, the query is run), then epochs with one edge through the API. Results of both
systems were equal. All pairs are computed only if they fit into memory: most nodes of the R-MAT graph with cycles reach
one another, which would be tens of millions of rows.
"""


def page(run: Run) -> Page:
    """A line per question."""
    machine = machine_text(run.machine, "duckdb", "numba", "numpy")
    lines = list(map(_line, run.of("question")))
    parts = prose(PREFACE.format(command=run.command, machine=machine)), table(HEAD, lines)
    return Page("Closures, compared with recursive SQL", parts)


def _line(record: Record) -> tuple[str, ...]:
    return (
        f"`{record.title}`",
        f"{record.facts['edges']:,}",
        f"{record.facts['rows']:,}",
        *(f"{record[name]:,.1f}" for name in ("Tidelog", "DuckDB")),
        f"{record['ratio']:.2f} x",
        *(f"{record[name]:.2f}" for name in ("edge out", "edge in", "95 % below")),
    )
