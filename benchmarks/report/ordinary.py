"""The page of ordinary questions."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.beside import measures_table
from benchmarks.report.table import WORDS, Page, Table, machine_text, number, prose, table, target_text

QUESTIONS = """
Each number is the median of separate processes with one thread each, in seconds of processor time. The *question* is
asked when the tables are already loaded: an epoch that adds the rules, compared with `CREATE TABLE ... AS` for every
view. Views were equal row by row.
"""
MEMORY = """
*Load* inserts the tables. Tidelog finds equal rows while loading; DuckDB stores all rows. *At once* is one epoch of an
engine that already has the rules, including the load; its memory is the increase of the peak memory of the process from
before the load to the end.
"""
OTHERS = "Cases that are not SQL questions, or that read a view."
HEAD = ("question", "rows out", "Tidelog", "DuckDB", "relative to DuckDB", "target", "met")
AROUND = (
    "question",
    "load",
    "DuckDB load",
    "at once",
    "memory, MB",
    "DuckDB memory, MB",
    "relative to DuckDB",
    "target",
    "met",
)


def page(run: Run) -> Page:
    """Questions first, then what is measured in other ways."""
    machine = machine_text(run.machine, "duckdb", "numpy", "pyarrow")
    parts: list[str | Table] = [prose(f"Written by `{run.command}`. {machine}.")]
    if questions := run.of("question"):
        parts += [prose(QUESTIONS), table(HEAD, list(map(_question, questions)))]
        parts += [prose(MEMORY), table(AROUND, list(map(_around, questions)))]
    if others := [record for record in run.records if record.kind != "question"]:
        parts += [prose(OTHERS), measures_table(others)]
    return Page("Ordinary questions, compared with DuckDB", tuple(parts))


def _question(record: Record) -> tuple[str, ...]:
    aim, times = record.value("measured"), (record["Tidelog question"], record["DuckDB question"])
    beside = (f"{number(aim.value)} x", target_text(aim.target), WORDS[aim.met])
    return (record.title, f"{record.facts['rows']:,}", *map(number, times), *beside)


def _around(record: Record) -> tuple[str, ...]:
    aim, names = record.value("memory"), ("Tidelog load", "DuckDB load", "at once", "Tidelog memory", "DuckDB memory")
    beside = (f"{number(aim.value)} x", target_text(aim.target), WORDS[aim.met])
    return (record.title, *(number(record[name]) for name in names), *beside)
