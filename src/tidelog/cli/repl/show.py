"""The results of a session, as text in a terminal or a pipe.

Law: large results are truncated, with a count; nothing in a value can move the cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console

from tidelog.cli.base.show import show_diagnostics, show_error
from tidelog.cli.output.answers import count_text, table_lines
from tidelog.cli.repl.reports import Answers, EpochReport, Failure, Findings, Line, Report
from tidelog.engine.read.view import fact_writer
from tidelog.engine.write.epoch import Epoch
from tidelog.errors.render import visible
from tidelog.explain.numbers import duration

CHANGES = 8
ANSWERS = 40  # that a query shows


def reporter(to: Console) -> Callable[[Report], None]:
    """A function that prints reports."""

    def print_report(report: Report) -> None:
        if isinstance(report, Findings):
            show_diagnostics(report.diagnostics, to)
        elif isinstance(report, Failure):
            show_error(report.error, to)
        else:
            for line in report_lines(report):
                to.print(line)

    return print_report


def report_lines(report: Line | Answers | EpochReport | object) -> Iterator[str]:
    """A report as lines of text."""
    match report:
        case Line(text=text):
            yield text
        case Answers(rows=rows, seconds=seconds):
            yield from table_lines(rows, ANSWERS)
            yield f"{count_text(rows)}, {duration(seconds)}"
        case EpochReport(epoch=epoch, convention=convention, rules=rules, dry=dry):
            yield from rules
            yield from change_lines(epoch, convention, dry=dry)
        case _:
            yield str(getattr(report, "value", report))


def change_lines(epoch: Epoch, convention: str, *, dry: bool = False) -> Iterator[str]:
    """What an epoch changed, with a few facts of each relation, and the time that it took."""
    for name, change in epoch.changes.items():
        for sign, rows in (("+", change.inserted), ("-", change.deleted)):
            for text in map(fact_writer(rows, name, convention), rows.head(CHANGES)):
                yield visible(f"{sign} {text}")
            if len(rows) > CHANGES:
                yield f"{sign} ... {len(rows) - CHANGES:,} more of {name}"
    yield epoch_text(epoch, dry=dry)


def epoch_text(epoch: Epoch, *, dry: bool = False) -> str:
    """The number of an epoch, whether it changed anything, and the time that it took."""
    has_changed = epoch.changes or epoch.collected.columns
    nothing = "" if has_changed else "nothing would change, " if dry else "nothing changed, "
    title = "not committed" if dry else f"epoch {epoch.number}"
    return f"{title}: {nothing}{duration(epoch.statistics.seconds)}"
