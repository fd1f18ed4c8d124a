"""The inputs of a cell.

Law: a cell is read as the prompt reads lines, but consecutive clauses are one input, and so are consecutive changes
with ``+`` and ``-``: one epoch each. Every input starts with as many empty lines as precede it, so that errors are
reported with their lines in the cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tidelog.cli.repl.inputs import is_complete, is_query
from tidelog.highlight.lexer import TidelogLexer

CLAUSES, SCRIPT, ALONE, BLANK = "clauses", "script", "alone", "blank"


def cell_inputs(text: str, convention: Callable[[], str]) -> Iterator[str]:
    """The inputs of a cell in order: the declarations of an input apply to those after it.

    >>> list(cell_inputs("p(1).\\np(2).\\n?p(X)\\n", lambda: "prolog"))
    ['p(1).\\np(2).\\n', '\\n\\n?p(X)\\n']
    """
    waiting = together = ""
    kind, line = BLANK, 0
    for number, each in enumerate(text.splitlines(keepends=True), 1):
        waiting += each
        if not is_complete(waiting if waiting.strip() else "", convention()):
            continue
        its = _kind(waiting)
        if its == BLANK or (its == kind and kind != ALONE):
            together += waiting
        else:
            if kind != BLANK:
                yield together
            together, kind = "\n" * line + waiting, its
        waiting, line = "", number
        if kind == ALONE:
            yield together
            together, kind = "", BLANK
    if waiting.strip() and kind == CLAUSES == _kind(waiting):
        yield together + waiting
        return
    if kind != BLANK:
        yield together
    if waiting.strip():
        yield "\n" * line + waiting


def _kind(text: str) -> str:
    """The kind of an input, determined by its beginning."""
    bare = text.strip()
    if not bare or _only_comments(bare):
        return BLANK
    if is_query(bare) or bare.startswith((".", "#")) or (bare.startswith(":") and not bare.startswith(":-")):
        return ALONE
    return SCRIPT if bare.startswith(("+", "-")) else CLAUSES


def _only_comments(text: str) -> bool:
    kinds = {str(kind).split(".")[1] for _, kind, _ in TidelogLexer().get_tokens_unprocessed(text)}
    return kinds <= {"Comment", "Text"} and not text.startswith("#")
