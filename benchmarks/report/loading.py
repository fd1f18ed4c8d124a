"""The page of loading columns of text."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, machine_text, number, prose, table, target_text

PEERS = ("Tidelog", "DuckDB", "Arrow")


def page(run: Run) -> Page:
    """Files and data frames beside DuckDB and Arrow."""
    machine = machine_text(run.machine, "duckdb", "pyarrow", "pandas")
    how = prose(
        f"Written by `{run.command}`. {machine}. Medians of processor time in seconds, one thread each. Tidelog and "
        "DuckDB store the rows, DuckDB without looking for equal texts; Arrow reads them and finds the equal "
        "texts of each column."
    )
    head = ("what", "rows", "MB of text", *PEERS, "beside DuckDB", "target", "met")
    return Page("Loading columns of text, measured", (how, table(head, [_line(record) for record in run.records])))


def _line(record: Record) -> tuple[str, ...]:
    aim = next(value for value in record.values if value.target is not None)
    times = [f"{record[name]:.2f}" if name in record else "" for name in PEERS]
    size = number(record.facts["bytes"] / 1e6)
    ratio = f"{record['Tidelog'] / record['DuckDB']:.2f} x"
    target = f"{target_text(aim.target)} {aim.unit}"
    return (record.title, f"{record.facts['rows']:,}", size, *times, ratio, target, "yes" if aim.met else "no")
