"""The page of ordinary questions."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.beside import measures_table
from benchmarks.report.table import WORDS, Page, Table, machine_text, number, prose, table, target_text

QUESTIONS = """
Each number is the median of processes of their own, one thread each, in seconds of processor time. The *question* is
asked of tables that are held: an epoch that adds the rules, beside `CREATE TABLE ... AS` of every view. Views were
equal row by row.
"""
MEMORY = """
*Load* brings the tables in; Tidelog finds equal rows as it does so, DuckDB stores them as they come. *At once* is one
epoch of an engine whose rules were there before, load included; its memory is what the peak of the process rose by from
before the load to the end.
"""
OTHERS = "What is not a question of SQL, or is read rather than asked."
HEAD = ("question", "rows out", "Tidelog", "DuckDB", "beside DuckDB", "target", "met")
AROUND = (
    "question",
    "load",
    "DuckDB load",
    "at once",
    "memory, MB",
    "DuckDB memory, MB",
    "beside DuckDB",
    "target",
    "met",
)


def page(run: Run) -> Page:
    """Questions first, then what is measured in other ways."""
    told = machine_text(run.machine, "duckdb", "numpy", "pyarrow")
    parts: list[str | Table] = [prose(f"Written by `{run.command}`. {told}.")]
    if questions := run.of("question"):
        parts += [prose(QUESTIONS), table(HEAD, list(map(_question, questions)))]
        parts += [prose(MEMORY), table(AROUND, list(map(_around, questions)))]
    if others := [record for record in run.records if record.kind != "question"]:
        parts += [prose(OTHERS), measures_table(others)]
    return Page("Ordinary questions, measured beside DuckDB", tuple(parts))


def _question(record: Record) -> tuple[str, ...]:
    aim, times = record.value("measured"), (record["Tidelog question"], record["DuckDB question"])
    beside = (f"{number(aim.value)} x", target_text(aim.target), WORDS[aim.met])
    return (record.title, f"{record.facts['rows']:,}", *map(number, times), *beside)


def _around(record: Record) -> tuple[str, ...]:
    aim, names = record.value("memory"), ("Tidelog load", "DuckDB load", "at once", "Tidelog memory", "DuckDB memory")
    beside = (f"{number(aim.value)} x", target_text(aim.target), WORDS[aim.met])
    return (record.title, *(number(record[name]) for name in names), *beside)
