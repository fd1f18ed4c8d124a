"""Diagnostics as text, the way compilers show them: the line, carets under the words, other places, note and hint.

Law: every diagnostic is shown completely and in plain characters; nothing in a source text can move the cursor or hide
what follows (control characters are replaced), and carets are placed under the text they refer to, also after tabs and
wide characters. Lines have style names, so that a terminal can show colours and a pipe receives plain text.
This module imports nothing but `errors`; `cli.base.show` adds colours.

    error[TL301]: variable `Y` of the head is not bound by the body
     --> paths.dl:3:10
      |
    3 | reach(X, Y) :- node(X).
      |          ^
      = note: Every variable of a head is bound by the body.
      = hint: Use the variable in a positive atom of the body.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tidelog.errors import Diagnostic, Span, TidelogError

PLAIN, ERROR, WARNING, STRONG, FRAME, PRIMARY, SECONDARY = (
    "plain",
    "error",
    "warning",
    "strong",
    "frame",
    "primary",
    "secondary",
)
TAB = 4
WIDEST = 160


class Piece(NamedTuple):
    """Some text in one style."""

    style: str
    text: str


Line = list[Piece]


def render_diagnostics(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics as plain text, with an empty line between them.

    >>> from tidelog.errors import Source
    >>> span = Span(Source("a.dl", "p(X)."), 2, 3)
    >>> print(render_diagnostics([Diagnostic("TL301", "variable `X` is not bound", span)]))
    error[TL301]: variable `X` is not bound
     --> a.dl:1:3
      |
    1 | p(X).
      |   ^
    """
    return "\n\n".join("\n".join(plain(line) for line in lines_of(d)) for d in diagnostics)


def plain(line: Line) -> str:
    """The line without styles."""
    return "".join(piece.text for piece in line).rstrip()


def lines_of(diagnostic: Diagnostic) -> Iterator[Line]:
    """The lines that show one diagnostic."""
    severity = WARNING if diagnostic.severity == WARNING else ERROR
    yield [Piece(severity, f"{severity}[{diagnostic.code}]"), Piece(STRONG, f": {visible(diagnostic.message)}")]
    places = [("", diagnostic.span)] if diagnostic.span is not None else []
    related = [(text, span) for text, span in diagnostic.related]
    gutter = max((len(str(span.line)) for _, span in [*places, *related] if span is not None), default=1)
    for text, span in places:
        if span is not None:
            yield from _place(text, span, gutter, PRIMARY, "-->")
    for text, span in related:
        yield from _place(text, span, gutter, SECONDARY, ":::")
    yield from _advice(diagnostic.note, diagnostic.hint, gutter)


def lines_of_error(error: TidelogError) -> Iterator[Line]:
    """The lines that show an error without a place in a text; line breaks in its message are kept.

    >>> print("\\n".join(plain(line) for line in lines_of_error(TidelogError("no such thing"))))
    error: no such thing
    """
    first, *rest = str(error).split("\n")
    yield [Piece(ERROR, f"error[{error.code}]" if error.code else "error"), Piece(STRONG, f": {visible(first)}")]
    for line in rest:
        yield [Piece(STRONG, visible(line))]
    yield from _advice(error.note, error.hint, 1)


def _advice(note: str, hint: str, gutter: int) -> Iterator[Line]:
    """The rule that was broken and what to do, if the diagnostic has them."""
    for word, text in (("note", note), ("hint", hint)):
        if text:
            yield [Piece(FRAME, " " * (gutter + 1) + "= "), Piece(STRONG, f"{word}: "), Piece(PLAIN, visible(text))]


def _place(text: str, span: Span, gutter: int, style: str, arrow: str) -> Iterator[Line]:
    """The lines that show a place in a source: its address, its line, and what is underlined."""
    line, column = span.line, span.column
    yield [Piece(FRAME, " " * gutter + f"{arrow} "), Piece(PLAIN, f"{visible(span.source.name)}:{line}:{column}")]
    yield [Piece(FRAME, " " * gutter + " |")]
    text_shown, before, width = _window(span, column)
    yield [Piece(FRAME, f"{line:>{gutter}} | "), Piece(PLAIN, text_shown)]
    mark = "^" if style == PRIMARY else "-"
    words = f" {visible(text)}" if text else ""
    yield [Piece(FRAME, " " * gutter + " | "), Piece(PLAIN, " " * before), Piece(style, mark * width + words)]


def _window(span: Span, column: int) -> tuple[str, int, int]:
    """The line as shown, the width before the underlined text, and the width of that text (at least 1).

    A very long line is cut around the place; a span of several lines is underlined to the end of its first line.
    """
    text = span.source.text
    start = span.start - (column - 1)
    end = text.find("\n", span.start)
    line = text[start : len(text) if end < 0 else end].rstrip("\r")
    first = column - 1
    last = min(max(span.end - start, first), len(line))
    cut = max(0, first - WIDEST // 2) if len(line) > WIDEST else 0
    upto = min(len(line), cut + WIDEST)
    last = min(last, upto)
    lead, trail = ("..." if cut else ""), ("..." if upto < len(line) else "")
    before = _expanded(line[cut:first], len(lead))
    marked = _expanded(line[first:last], len(lead) + display_width(before))
    rest = _expanded(line[last:upto], len(lead) + display_width(before + marked))
    return lead + before + marked + rest + trail, len(lead) + display_width(before), max(1, display_width(marked))


def _expanded(text: str, at: int) -> str:
    """The text with tabs as spaces up to the next stop and control characters made visible."""
    out: list[str] = []
    for character in text:
        text_shown = " " * (TAB - at % TAB) if character == "\t" else visible(character)
        out.append(text_shown)
        at += display_width(text_shown)
    return "".join(out)


def visible(text: str) -> str:
    r"""The text with everything escaped that would act instead of being shown: control characters, marks of direction.

    >>> print(visible("a\x1b[31m"), visible("\u202egnp.exe"))
    a\x1b[31m \u202egnp.exe
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _by_number(ord(c)) for c in text)


def _by_number(point: int) -> str:
    return f"\\U{point:08x}" if point > 0xFFFF else f"\\u{point:04x}" if point > 0xFF else f"\\x{point:02x}"


def display_width(text: str) -> int:
    """The number of terminal columns that the text occupies.

    >>> display_width("ab"), display_width("日本"), display_width("e\u0301")
    (2, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
