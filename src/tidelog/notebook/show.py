"""The results of a session, as HTML in a notebook: tables, drawings, texts that fold.

Law: the page says what the text says (`cli.repl.show`); whatever comes out of facts and programs is text, never markup.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.cli.output.answers import count_text
from tidelog.cli.output.tables import ordered_rows
from tidelog.cli.repl.show import ANSWERS, epoch_text, told_lines
from tidelog.cli.repl.told import Answered, Changed, Failed, Found, Line, Shown, Told
from tidelog.engine.read.page import changes_page
from tidelog.engine.read.view import Rows
from tidelog.errors import Diagnostic, TidelogError, render
from tidelog.explain.profile import duration
from tidelog.io import html
from tidelog.io.texts import show_text
from tidelog.why import Proof
from tidelog.why.draw import draw_proof

NUMBERS = ("number", "unsigned", "float")
COLOURS = {
    render.ERROR: "#d64545",
    render.WARNING: "#b07600",
    render.FRAME: "#3b82f6",
    render.PRIMARY: "#d64545",
    render.SECONDARY: "#3b82f6",
}
ANSI = {render.ERROR: 31, render.WARNING: 33, render.FRAME: 34, render.PRIMARY: 31, render.SECONDARY: 34}


def text_of(told: Told) -> str:
    """A result, as plain text."""
    if isinstance(told, Found):
        return "\n".join(render.render_diagnostics([each]) for each in told.diagnostics)
    if isinstance(told, Failed):
        return "\n".join(map(render.plain, render.lines_of_error(told.error)))
    return "\n".join(told_lines(told))


def page_of(told: Told) -> str:
    """A result, as HTML."""
    match told:
        case Line(text=text):
            return html.lines(text.splitlines())
        case Found(diagnostics=diagnostics):
            return html.page(*(_coloured(render.lines_of(each)) for each in diagnostics))
        case Failed(error=error):
            return html.page(_coloured(render.lines_of_error(error)))
        case Answered(rows=rows, seconds=seconds):
            return html.page(_table(rows), html.line(html.faint(f"{count_text(rows)}, {duration(seconds)}")))
        case Changed():
            return _change(told)
        case Shown(value=Proof() as proof):
            return proof_page(proof)
    return told.value._repr_html_()


def proof_page(proof: Proof) -> str:
    """A proof, drawn; its text and its rules fold."""
    return html.page(draw_proof(proof), html.fold("as text, with the rules", proof._repr_html_()))


def _table(rows: Rows) -> str:
    """Answers under the names of their variables, in order; a few of many."""
    if not rows.columns or not len(rows):
        return ""
    shown = [tuple(map(show_text, row, rows.types)) for row in ordered_rows(rows)[:ANSWERS]]
    numbers = [place for place, type_ in enumerate(rows.types) if type_ in NUMBERS]
    more = html.line(html.faint(f"... {len(rows) - ANSWERS:,} more")) if len(rows) > ANSWERS else ""
    return html.table(rows.columns, shown, numbers=numbers) + more


def _change(told: Changed) -> str:
    rules = [html.line(html.code(rule)) for rule in told.rules]
    changes = changes_page(told.epoch.changes) if told.epoch.changes else ""
    return html.page(*rules, changes, html.line(html.faint(epoch_text(told.epoch, dry=told.dry))))


def error_lines(error: TidelogError, diagnostics: Iterable[Diagnostic]) -> list[str]:
    """An error as the lines that a cell ends with, coloured as terminals are."""
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
