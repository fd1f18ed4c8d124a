"""The outline of a text: where its clauses and directives begin and end, and the roles of their words.

Law: the outline is recorded by the reader of programs, so there is only one definition of where a clause ends, which
words are a label and which signs belong to a path. Places are offsets into the text itself; the content of included
files is not recorded, and the expansion of a macro has the place where the macro is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.errors import Source
from tidelog.program import PathAtom
from tidelog.syntax.changes import ChangeReader
from tidelog.syntax.prefixes import Prefixes
from tidelog.syntax.reader import Findings, ProgramReader
from tidelog.syntax.tokens import STRING, Token

Range = tuple[int, int]
_QUOTES = ("'", '"')


@dataclass(slots=True)
class Item:
    """A clause, a directive or a component with its items, as a range of offsets.

    ``mixed``: a macro produced several items, or parts of different items.
    """

    start: int
    end: int
    items: list[Item] = field(default_factory=list)
    mixed: bool = False


@dataclass(slots=True)
class Outline:
    """The items of a text, and the ranges that are labels, paths, and names with a prefix."""

    items: list[Item] = field(default_factory=list)
    labels: list[Range] = field(default_factory=list)
    paths: list[Range] = field(default_factory=list)
    names: list[Range] = field(default_factory=list)


class _Notes:
    """The notes of a reader: the innermost list of items, labels and paths."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.outline = Outline()
        self.items = self.outline.items

    def add_item(self, tokens: list[Token], inner: list[Item]) -> None:
        """Add an item made of these tokens, if some are in the text itself."""
        own = [token for token in tokens if token.source is self.source]
        if not own:
            return
        item = Item(min(t.start for t in own), max(t.end for t in own), inner)
        if self.items and item.start < self.items[-1].end:
            last = self.items[-1]
            last.end, last.mixed = max(last.end, item.end), True
        else:
            self.items.append(item)

    def finished(self) -> Outline:
        """The outline, its ranges in order."""
        self.outline.labels.sort()
        self.outline.paths.sort()
        self.outline.names.sort()
        return self.outline

    def add_range(self, ranges: list[Range], first: Token, last: int) -> None:
        """Add a range from a token up to an offset."""
        if first.source is self.source and first.start < last:
            ranges.append((first.start, last))


class OutlineReader(ProgramReader):
    """Reads a program and records its outline."""

    def __init__(self, tokens: list[Token], convention: str, findings: Findings, prefixes: Prefixes = ()) -> None:
        super().__init__(tokens, convention, findings, prefixes)
        self.notes = _Notes(tokens[-1].source)
        for token in self.tokens if len(self.tokens) < len(tokens) else ():
            if token.kind == STRING and token.source.text[token.start : token.start + 1] not in _QUOTES:
                self.notes.add_range(self.notes.outline.names, token, token.end)

    def _item(self) -> None:
        start, outer = self.at, self.notes.items
        self.notes.items = []
        try:
            super()._item()
        finally:
            inner, self.notes.items = self.notes.items, outer
        self.notes.add_item(self.tokens[start : self.at], inner)

    def label(self) -> str | None:
        """Also written down."""
        first = self.token
        label = super().label()
        if label is not None:
            self.notes.add_range(self.notes.outline.labels, first, self.previous.end)
        return label

    def _path_atom(self) -> PathAtom:
        first = self.token
        atom = super()._path_atom()
        self.notes.add_range(self.notes.outline.paths, first, _opening(self.tokens, self.at - 1).start)
        return atom


class ChangesOutlineReader(ChangeReader, OutlineReader):
    """Reads a script of changes and records its outline."""

    def change(self) -> bool:
        """Also written down."""
        start = self.at
        ends_epoch = super().change()
        self.notes.add_item(self.tokens[start : self.at], [])
        return ends_epoch

    def _removed_label(self) -> str | None:
        first = self.token
        label = super()._removed_label()
        if label is not None:
            self.notes.add_range(self.notes.outline.labels, first, self.previous.end)
        return label


def _opening(tokens: list[Token], at: int) -> Token:
    """The bracket that the one at a position closes."""
    depth = 0
    while True:
        depth += (tokens[at].kind == ")") - (tokens[at].kind == "(")
        if not depth:
            return tokens[at]
        at -= 1
