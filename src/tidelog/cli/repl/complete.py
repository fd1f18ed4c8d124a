"""Completions at the cursor: a command, a label, a relation, a variable named after a column, a value.

Law: every completion is valid at the cursor; values are some of those in the column, written as in programs. Finding
them reads a bounded number of rows, however large the relation is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tidelog.cli.repl.commands import COMMANDS
from tidelog.cli.repl.session import ReplState
from tidelog.engine.read.view import View
from tidelog.highlight.words import DIRECTIVES
from tidelog.program import SOUFFLE, Const
from tidelog.syntax import print_term

_WORD = re.compile(r"[\w/.-]*\Z")
_VALUE = re.compile(r"(?:\"[^\"\n]*|-?[\w.]*)\Z")
_VARIABLE = re.compile(r"\b[A-Z]\w*\b")
_CALL = re.compile(r"([^\W\d][\w.]*)\s*\Z")
_SKIPPED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"?")
ROWS, VALUES = 2000, 12  # read at most, offered at most
ABOUT_FILES = ("apply", "graph", "load", "open", "save")


class _Place(NamedTuple):
    """A column of a relation in whose parentheses the cursor is, and where the typed part of the argument begins."""

    view: View
    column: int
    start: int


class Offer(NamedTuple):
    """A completion, and the note shown beside it."""

    text: str
    beside: str = ""


def completions(session: ReplState, before: str) -> tuple[str, list[Offer]]:
    """The word being typed, and its completions.

    A command after ``:`` at the start, a label after ``-`` at the start, a directive after ``.``; between the
    parentheses of an atom, a variable or a value of the column; a relation everywhere else.
    """
    place = _argument(session, before)
    if place is not None:
        word = _matched(_VALUE, before[place.start :].lstrip())
        return word, _fitting(word, _of_column(session, place, before, word))
    word = _matched(_WORD, before).lstrip("-")
    start = before[: len(before) - len(word)].strip()
    if start == ":":
        offers: Iterable[Offer] = (Offer(name, f"{c.argument}  {c.text}".strip()) for name, c in COMMANDS.items())
    elif not start and word.startswith("."):
        offers = (Offer(f".{name}") for name in DIRECTIVES)
    elif start == "-":
        offers = (*(Offer(label, text) for label, text in session.db.rules.items()), *_relations(session))
    else:
        offers = _relations(session)
    return word, _fitting(word, offers)


def wants_file(before: str) -> str | None:
    """The part of a file name typed after a command that expects one.

    >>> wants_file(":load pa"), wants_file(":why pa")
    ('pa', None)
    """
    found = re.match(rf"\s*:({'|'.join(ABOUT_FILES)})\s+(\S*)\Z", before)
    return found[2] if found else None


def _matched(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return "" if found is None else found[0]


def _fitting(word: str, offers: Iterable[Offer]) -> list[Offer]:
    found = {offer.text: offer for offer in offers if offer.text.startswith(word) and offer.text != word}
    return [found[text] for text in sorted(found)]


def _relations(session: ReplState) -> Iterator[Offer]:
    for name in session.db.relations:
        yield Offer(name, f"({', '.join(session.db[name].columns)})")


def _argument(session: ReplState, before: str) -> _Place | None:
    """The relation in whose parentheses the cursor is."""
    text = _SKIPPED.sub(lambda m: "_" * len(m[0]), before)
    depth = column = 0
    start = None
    for at in range(len(text) - 1, -1, -1):
        sign = text[at]
        if sign in ")]}":
            depth += 1
        elif sign in "([{" and depth:
            depth -= 1
        elif sign == "(":
            name = _CALL.search(text[:at])
            known = name is not None and name[1] in session.db
            return _Place(session.db[name[1]], column, start or at + 1) if name is not None and known else None
        elif sign in "[{":
            return None
        elif sign == "," and not depth:
            column += 1
            start = start or at + 1
    return None


def _of_column(session: ReplState, place: _Place, before: str, word: str) -> Iterator[Offer]:
    """Variables and values for a column; a few of its values, or those that begin with the word."""
    view, column, _ = place
    if column >= len(view.columns):
        return
    souffle = session.convention == SOUFFLE
    named = view.columns[column]
    beside = f"{named}: {view.types[column] or '?'}"
    yield Offer(named if souffle else named[:1].upper() + named[1:], f"variable, {beside}")
    if not souffle:
        for variable in _VARIABLE.findall(_SKIPPED.sub("", before)):
            yield Offer(variable, "variable of this clause")
    values = dict.fromkeys(row[column] for row in view.head(ROWS))
    for value in values if word else list(values)[:VALUES]:
        text = print_term(Const(value, view.types[column] or "number"), session.convention)
        yield Offer(text, f"value, {beside}")
