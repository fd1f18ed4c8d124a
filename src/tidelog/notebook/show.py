"""The results of a session as HTML in a notebook: tables, drawings, collapsible texts.

Law: the HTML has the same content as the text (`cli.repl.show`); everything from facts and programs is text, never
markup.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.cli.output.answers import count_text
from tidelog.cli.output.tables import ordered_rows
from tidelog.cli.repl.reports import Answers, Display, EpochReport, Failure, Findings, Line, Report
from tidelog.cli.repl.show import ANSWERS, epoch_text, report_lines
from tidelog.engine.read.changes_page import changes_page
from tidelog.engine.read.view import NUMBERS, Rows
from tidelog.errors import Diagnostic, TidelogError, render
from tidelog.explain.numbers import duration
from tidelog.io import html
from tidelog.io.texts import show_text
from tidelog.why import Proof

COLOURS = {
    render.ERROR: "#d64545",
    render.WARNING: "#b07600",
    render.FRAME: "#3b82f6",
    render.PRIMARY: "#d64545",
    render.SECONDARY: "#3b82f6",
}
ANSI = {render.ERROR: 31, render.WARNING: 33, render.FRAME: 34, render.PRIMARY: 31, render.SECONDARY: 34}


def text_of(report: Report) -> str:
    """A report as plain text."""
    if isinstance(report, Findings):
        return "\n".join(render.render_diagnostics([each]) for each in report.diagnostics)
    if isinstance(report, Failure):
        return "\n".join(map(render.plain, render.lines_of_error(report.error)))
    return "\n".join(report_lines(report))


def page_of(report: Report) -> str:
    """A report as a piece of HTML."""
    match report:
        case Line(text=text):
            return html.lines(text.splitlines())
        case Findings(diagnostics=diagnostics):
            return html.page(*(_coloured(render.lines_of(each)) for each in diagnostics))
        case Failure(error=error):
            return html.page(_coloured(render.lines_of_error(error)))
        case Answers(rows=rows, seconds=seconds):
            return html.page(_table(rows), html.line(html.faint(f"{count_text(rows)}, {duration(seconds)}")))
        case EpochReport():
            return _change(report)
        case Display(value=Proof() as proof):
            return proof_page(proof)
    return report.value._repr_html_()


def proof_page(proof: Proof) -> str:
    """A drawing of a proof, with its text and its rules in collapsible parts."""
    return html.page(proof.svg(), html.fold("as text, with the rules", proof._repr_html_()))


def _table(rows: Rows) -> str:
    """Answers in order, below the names of their variables; only the first ones if there are many."""
    if not rows.columns or not len(rows):
        return ""
    texts = [tuple(map(show_text, row, rows.types)) for row in ordered_rows(rows)[:ANSWERS]]
    numbers = [place for place, type_ in enumerate(rows.types) if type_ in NUMBERS]
    more = html.line(html.faint(f"... {len(rows) - ANSWERS:,} more")) if len(rows) > ANSWERS else ""
    return html.table(rows.columns, texts, numbers=numbers) + more


def _change(report: EpochReport) -> str:
    rules = [html.line(html.code(rule)) for rule in report.rules]
    changes = changes_page(report.epoch.changes) if report.epoch.changes else ""
    return html.page(*rules, changes, html.line(html.faint(epoch_text(report.epoch, dry=report.dry))))


def error_lines(error: TidelogError, diagnostics: Iterable[Diagnostic]) -> list[str]:
    """An error as the last lines of a cell, with terminal colours."""
    found = list(diagnostics)
    lines = [line for each in found for line in (*render.lines_of(each), [])] or list(render.lines_of_error(error))
    return ["".join(_ansi(piece.text, piece.style) for piece in line).rstrip() for line in lines]


def _ansi(text: str, style: str) -> str:
    return f"\x1b[{ANSI[style]}m{text}\x1b[0m" if style in ANSI else text


def _coloured(lines: Iterable[render.Line]) -> str:
    written = ("".join(_span(piece.text, piece.style) for piece in line).rstrip() for line in lines)
    return f'<pre style="background:none">{chr(10).join(written)}</pre>'


def _span(text: str, style: str) -> str:
    colour = COLOURS.get(style)
    return html.text(text) if colour is None else f'<span style="color:{colour}">{html.text(text)}</span>'
