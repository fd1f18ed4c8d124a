"""One layout for every program.

Law: a layout has the tokens and the comments of its text in the same order, reads as the same program, and is its own
layout. Only white space differs, as described in `docs/reference/format.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tidelog.errors import Diagnostic, Source
from tidelog.program import PROLOG, SOUFFLE
from tidelog.syntax.layout.document import Document
from tidelog.syntax.layout.leaves import leaves_of
from tidelog.syntax.layout.lines import WIDTH
from tidelog.syntax.layout.read import ParsedText, read_again, read_text, settles_convention
from tidelog.syntax.sources import Include, include_from
from tidelog.syntax.tokens import PREPROCESS, scan

__all__ = ["WIDTH", "Layout", "lay_out"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a text, or the reason why there is none: mistakes that prevent reading it, or a layout that would
    not mean the same."""

    text: str | None
    errors: tuple[Diagnostic, ...] = ()


def lay_out(
    text: str | bytes,
    name: str = "<text>",
    *,
    convention: str | None = None,
    include: Include | str | Path | None = None,
) -> Layout:
    """The layout of a program or of a script of changes.

    >>> lay_out("p( X ):-q(X,Y),Y>1.  r(a).").text
    'p(X) :- q(X, Y), Y > 1.\\nr(a).\\n'
    """
    find = include if callable(include) or include is None else include_from(Path(include))
    reading = read_text(text, name, convention, find)
    if reading.errors:
        return Layout(None, reading.errors)
    made = Document(reading.source, leaves_of(reading.source, reading.tokens()), reading.outline).text()
    kept = _has_same_meaning(made, reading, convention, find)
    return Layout(made if kept else None)


def _has_same_meaning(laid_out: str, reading: ParsedText, convention: str | None, include: Include | None) -> bool:
    """Whether a layout has the tokens, the comments and the meaning of the original text."""
    again = read_again(laid_out, reading, convention, include)
    if again.errors or again.meaning != reading.meaning or again.convention != reading.convention:
        return False
    conventions = [reading.convention]
    if convention is None and reading.convention == PROLOG and not settles_convention(reading, include):
        conventions.append(SOUFFLE)  # it may be intended as a part of a program that includes it
    return all(_words(reading.source, each) in (None, _words(again.source, each)) for each in conventions)


def _words(source: Source, convention: str) -> tuple[list[tuple[str, str]], str] | None:
    """The tokens and the comments of a text without white space; None if it has faults."""
    faults: list[Diagnostic] = []
    tokens = scan(source, convention, faults.append)
    if faults:
        return None
    leaves = leaves_of(source, tokens)
    comments = (text for leaf in leaves for text in (*(r.text for r in leaf.own), *leaf.inline, *leaf.behind))
    words = [(t.kind, "".join(t.text.split()) if t.kind == PREPROCESS else t.text) for t in tokens]
    return words, "".join("".join(comments).split())
