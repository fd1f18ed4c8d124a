"""Pieces of HTML for notebooks: tables, collapsible parts, text.

Law: everything from facts and programs is text, never markup. There are no scripts and no style sheets: notebook pages
keep neither, and the colours are those of the page, light or dark. Long parts are collapsed and show their size.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

INDENT = "margin-left:1.2em"
FAINT = "opacity:.65"
CELL = "text-align:left;padding:.1em .9em .1em 0"
NUMBER = "text-align:right;padding:.1em .9em .1em 0;font-variant-numeric:tabular-nums"
WIDE = "overflow-x:auto;line-height:1.45"


def text(value: object) -> str:
    """Text that is escaped, so that a browser does not read it as markup.

    >>> text('<b> & "c"')
    '&lt;b&gt; &amp; &quot;c&quot;'
    """
    return html.escape(str(value))


def code(value: object) -> str:
    """Program text, with its spaces and line breaks."""
    return f'<code style="white-space:pre-wrap;background:none">{text(value)}</code>'


def faint(value: object) -> str:
    """Secondary text, in a faint colour."""
    return f'<span style="{FAINT}">{text(value)}</span>'


def line(*parts: str) -> str:
    """A separate line."""
    return f"<div>{' '.join(parts)}</div>"


def spaced_line(*parts: str) -> str:
    """A separate line with some space above it."""
    return f'<div style="margin-top:.5em">{" ".join(parts)}</div>'


def lines(texts: Iterable[str]) -> str:
    """Preformatted lines of text."""
    return f'<pre style="background:none">{text(chr(10).join(texts))}</pre>'


def fold(summary: str, inside: str, *, is_open: bool = False) -> str:
    """A collapsible part with a summary."""
    return f"{fold_start(summary, is_open=is_open)}{inside}{FOLD_END}"


def fold_start(summary: str, *, is_open: bool) -> str:
    """The start of a collapsible part; `FOLD_END` ends it."""
    return f'<details{" open" if is_open else ""}><summary>{summary}</summary><div style="{INDENT}">'


FOLD_END = "</div></details>"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> str:
    """A table. ``numbers`` lists the columns of numbers; a cell that contains HTML is an `Html`."""
    styles = [NUMBER if place in numbers else CELL for place in range(len(head))]
    heads = "".join(f'<th style="{style}">{text(name)}</th>' for name, style in zip(head, styles, strict=True))
    lines = "".join(f"<tr>{''.join(map(_cell, row, styles))}</tr>" for row in rows)
    return f'<table style="border-collapse:collapse"><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>'


class Html(str):
    """A piece of HTML in the place of a value."""

    __slots__ = ()


def _cell(value: object, style: str) -> str:
    content = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
    return f'<td style="{style}">{value if isinstance(value, Html) else text(content)}</td>'


def page(*parts: str) -> str:
    """The complete HTML of an object."""
    return f'<div style="{WIDE}">{"".join(parts)}</div>'
