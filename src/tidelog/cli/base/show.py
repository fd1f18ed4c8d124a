"""Show diagnostics and errors: coloured in a terminal, plain in a pipe, or as JSON.

Law: all three have the same content. Colours are styles for the lines of `errors.render` and change no character.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tidelog.errors import Diagnostic, Span, TidelogError, render

if TYPE_CHECKING:
    from rich.console import Console

STYLES: Mapping[str, str] = {
    render.PLAIN: "",
    render.ERROR: "bold red",
    render.WARNING: "bold yellow",
    render.STRONG: "bold",
    render.FRAME: "blue",
    render.PRIMARY: "red",
    render.SECONDARY: "blue",
}
WARNINGS_OF_A_CODE = 3  # that a command prints unless its purpose is checking


def console(*, stderr: bool = False) -> Console:
    """A console for output that is never re-wrapped or interpreted; rich omits colours in a pipe."""
    from rich.console import Console  # a small command prints nothing that needs it

    return Console(stderr=stderr, soft_wrap=True, highlight=False, markup=False, emoji=False)


def show_diagnostics(diagnostics: Iterable[Diagnostic], to: Console) -> None:
    """Print the diagnostics, each followed by an empty line."""
    for diagnostic in diagnostics:
        _print(render.lines_of(diagnostic), to)
        to.print()


def show_first_warnings(diagnostics: Sequence[Diagnostic], file: str, to: Console) -> None:
    """Print the first warnings of each code, and for each code one line about the others."""
    shown: Counter[str] = Counter()
    for warning in diagnostics:
        shown[warning.code] += 1
        if shown[warning.code] <= WARNINGS_OF_A_CODE:
            show_diagnostics([warning], to)
    for code, count in shown.items():
        if count > WARNINGS_OF_A_CODE:
            to.print(
                f"{count - WARNINGS_OF_A_CODE:,} more of warning {code}; `tidelog check {file}` prints all of them"
            )


def show_error(error: TidelogError, to: Console) -> None:
    """Print an error that does not refer to a place in a program."""
    _print(render.lines_of_error(error), to)


def _print(lines: Iterable[render.Line], to: Console) -> None:
    from rich.text import Text

    for line in lines:
        styled = Text()
        for piece in line:
            styled.append(piece.text, style=STYLES[piece.style])
        styled.rstrip()
        to.print(styled)


def diagnostic_to_json(diagnostic: Diagnostic) -> dict[str, object]:
    """The diagnostic as plain values for `json`.

    >>> diagnostic_to_json(Diagnostic("TL301", "not bound"))["code"]
    'TL301'
    """
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "span": span_to_json(diagnostic.span),
        "note": diagnostic.note,
        "hint": diagnostic.hint,
        "related": [{"message": text, "span": span_to_json(span)} for text, span in diagnostic.related],
    }


def span_to_json(span: Span | None) -> dict[str, object] | None:
    """File, line and column (from 1) and character offsets (from 0, the end is exclusive)."""
    if span is None:
        return None
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "start": span.start,
        "end": span.end,
        "text": span.text,
    }


@contextmanager
def shown_warnings() -> Iterator[None]:
    """Show Tidelog's warnings as lines on the standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _show_warning
        yield


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    console(stderr=True).print(f"warning: {message}")
