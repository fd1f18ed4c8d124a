"""A text in an editor, read segment by segment.

Law: after any edits, a document equals the result of opening its text again; an edit costs what it touches, and a pass
over the list of segments. Texts with macros and conditions are one segment, because every line depends on all lines
before it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from lsprotocol import types as lsp

from tidelog.editor.positions import Positions
from tidelog.editor.segments import Places, cut, recut
from tidelog.editor.symbols import Symbol, symbols_of
from tidelog.errors import Diagnostic, Source
from tidelog.program import Program
from tidelog.syntax.layout.read import ParsedText, read_as_program
from tidelog.syntax.sources import Include, Sources, include_from
from tidelog.syntax.tokens import PREPROCESSOR_WORDS

_INCLUDE = re.compile(r'(?:\#[ \t]*+|(?<!\S)\.)include[ \t]*+"([^"\n]*+)"')
_OPENS = re.compile(r'/\*|\*/|"')  # a comment or a text that may extend over later declarations
_DECLARING = (".decl", ".comp", ".init", ".convention", "include")
_WHOLE = re.compile(
    rf"\#[ \t]*+(?:{'|'.join(w for w in PREPROCESSOR_WORDS if w != 'include')})\b|__LINE__|__FILE__|\.prefix\b"
)
_ELSEWHERE = "TL133"  # a `.constraint` alone names none of the constraints of its segment
_ATTIC = 50_000


Mark = tuple[int, int, int, int, int]
"""A coloured name: line and column from the beginning of its segment, length, type, modifiers."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic at a position in its segment."""

    diagnostic: Diagnostic
    start: int
    end: int


class Piece:
    """A segment and its contents. ``findings`` is None until it has been checked."""

    def __init__(self, text: str, name: str, convention: str, include: Include | None) -> None:
        self.text = text
        self.findings: list[Finding] | None = None
        self.marks: list[Mark] | None = None  # for colours, once requested
        self._name = name
        self._convention = convention
        self._include = include

    @cached_property
    def reading(self) -> ParsedText:
        """The segment, parsed as a separate program."""
        return read_as_program(self.text, self._name, self._convention, self._include)

    @property
    def program(self) -> Program:
        """The program of the segment, with components not expanded."""
        assert isinstance(self.reading.meaning, Program)
        return self.reading.meaning

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The names in the segment."""
        return symbols_of(self.reading)

    @cached_property
    def includes(self) -> tuple[str, ...]:
        """The files that it includes, as written."""
        return tuple(_INCLUDE.findall(self.text)) if "include" in self.text else ()

    def errors(self) -> list[Finding]:
        """The findings of parsing the segment; a missing file is reported by the check of the whole text."""
        if self.includes:
            return []
        return [_finding(error) for error in self.reading.errors if error.code != _ELSEWHERE]


def _finding(diagnostic: Diagnostic) -> Finding:
    span = diagnostic.span
    return Finding(diagnostic, span.start, span.end) if span is not None else Finding(diagnostic, 0, 0)


@dataclass(slots=True)
class Place:
    """A symbol in a document: the piece that contains it and its offset in the text."""

    document: Document
    piece: Piece
    symbol: Symbol
    start: int

    @property
    def end(self) -> int:
        """Its end offset in the text."""
        return self.start + len(self.symbol.name)

    @property
    def range(self) -> lsp.Range:
        """Its range, as editors count."""
        return self.document.positions.range(self.start, self.end)

    @property
    def location(self) -> lsp.Location:
        """Its range and its file."""
        return lsp.Location(self.document.uri, self.range)


@dataclass(slots=True)
class Document:
    """A text with its address; ``version`` counts its edits."""

    uri: str
    path: str
    pieces: list[Piece] = field(default_factory=list)
    convention: str = ""
    version: int = 0
    places: Places = field(default_factory=lambda: Places([]))
    positions: Positions = field(default_factory=lambda: Positions([], Places([])))
    whole: bool = False
    edited: set[Piece] = field(default_factory=set)  # since the text was opened or last checked as a whole
    _names: dict[str, set[Piece]] = field(default_factory=dict)
    _attic: dict[str, Piece] = field(default_factory=dict)
    _numbers: dict[Piece, int] | None = None

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def include(self) -> Include:
        """The function that finds the files that the text includes."""
        return include_from(Path(self.path).parent)

    def open(self, text: str) -> None:
        """Read a whole text."""
        self.version += 1
        self.convention = self._convention_of(text)
        self.whole = _WHOLE.search(text) is not None or self._includes_macros(text)
        self._names, self.edited = {}, set()
        segments = [text] if self.whole else cut(text, self.convention)
        self.pieces = [self._piece(segment) for segment in segments]
        self._settle()
        for piece in self.pieces:
            self._remember(piece)

    def edit(self, where: lsp.Range, text: str) -> None:
        """Replace a range by a text."""
        start, end = self.positions.offset(where.start), self.positions.offset(where.end)
        first, last = self.places.at_offset(start), self.places.at_offset(end) + 1
        base = self.places.starts[first] if self.pieces else 0
        joined = "".join(piece.text for piece in self.pieces[first:last])
        middle = joined[: start - base] + text + joined[end - base :]
        if self._needs_opening(joined, middle, start, end, text):
            self.open("".join((self.text[:start], text, self.text[end:])))
            return
        self.version += 1
        begin, until, segments = recut([piece.text for piece in self.pieces], first, last, middle, self.convention)
        self._replace(begin, until, segments)

    def _needs_opening(self, before: str, after: str, start: int, end: int, text: str) -> bool:
        """Whether an edit may change how all other segments are read: macros, included files, the convention."""
        if self.whole or not self.pieces or "#" in after or "include" in before or "include" in after:
            return True
        if _WHOLE.search(after):  # __LINE__, __FILE__, .prefix
            return True
        beside = (self.text[max(0, start - 1) : start], self.text[end : end + 1])
        edited = (self.text[start:end].join(beside), text.join(beside))
        if not any(map(_declares, (before, after))) and not any(map(_OPENS.search, edited)):
            return False
        return self._convention_of("".join((self.text[:start], text, self.text[end:]))) != self.convention

    def _replace(self, begin: int, until: int, segments: list[str]) -> None:
        for piece in self.pieces[begin:until]:
            self._forget(piece)
        fresh = [self._piece(segment) for segment in segments]
        self.pieces[begin:until] = fresh
        self.edited.update(fresh)
        self._settle()
        for piece in fresh:
            self._remember(piece)

    def _settle(self) -> None:
        self._numbers = None
        segments = [piece.text for piece in self.pieces]
        self.places = Places(segments)
        self.positions = Positions(segments, self.places)

    def _piece(self, segment: str) -> Piece:
        piece_kept = self._attic.pop(segment, None) if not self.whole else None
        if piece_kept is not None and piece_kept.reading.convention == self.convention:
            return piece_kept
        return Piece(segment, self.path, self.convention, self.include if self.whole else None)

    def _remember(self, piece: Piece) -> None:
        for name in {symbol.name for symbol in piece.symbols}:
            self._names.setdefault(name, set()).add(piece)

    def _forget(self, piece: Piece) -> None:
        for name in {symbol.name for symbol in piece.symbols}:
            holders = self._names[name]
            holders.discard(piece)
            if not holders:
                del self._names[name]
        if len(self._attic) > _ATTIC:
            self._attic.clear()
        self._attic[piece.text] = piece

    def _convention_of(self, text: str) -> str:
        return Sources(self.include, _ignore).convention_of(Source(self.path, text))

    def _includes_macros(self, text: str) -> bool:
        """Whether a file that the text includes, directly or indirectly, has macros or conditions."""
        if "include" not in text:
            return False
        seen: set[str] = set()
        left = [(include_name, self.path) for include_name in _INCLUDE.findall(text)]
        while left:
            include_name, including = left.pop()
            try:
                name, data = self.include(include_name, including)
            except OSError:
                continue
            if name in seen:
                continue
            seen.add(name)
            inner = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
            if _WHOLE.search(inner):
                return True
            left += [(other, name) for other in _INCLUDE.findall(inner)]
        return False

    def names(self) -> dict[str, set[Piece]]:
        """Every name of the text with the pieces that contain it."""
        return self._names

    def in_order(self, pieces: Iterable[Piece]) -> list[Piece]:
        """Some pieces in the order of the text."""
        numbers = self._numbered()
        return sorted(pieces, key=lambda piece: numbers[piece])

    def _numbered(self) -> dict[Piece, int]:
        """The index of every piece in the list, computed once after an edit."""
        if self._numbers is None:
            self._numbers = {piece: at for at, piece in enumerate(self.pieces)}
        return self._numbers

    def occurrences(self, name: str) -> list[Place]:
        """All places of a name, in the order of the text."""
        found = []
        for piece in self.in_order(self._names.get(name, ())):
            start = self.places.starts[self._numbered()[piece]]
            found += [Place(self, piece, s, start + s.start) for s in piece.symbols if s.name == name]
        return found

    def symbol_at(self, offset: int) -> Place | None:
        """The name at an offset, or directly before it."""
        for at in {self.places.at_offset(offset), self.places.at_offset(max(offset - 1, 0))} if self.pieces else ():
            start = self.places.starts[at]
            for symbol in self.pieces[at].symbols:
                if start + symbol.start <= offset <= start + symbol.end:
                    return Place(self, self.pieces[at], symbol, start + symbol.start)
        return None

    def all_places(self) -> Iterator[Place]:
        """Every name of the text, in order."""
        for at, piece in enumerate(self.pieces):
            start = self.places.starts[at]
            for symbol in piece.symbols:
                yield Place(self, piece, symbol, start + symbol.start)

    def included(self) -> list[str]:
        """The paths of the files that the text includes directly."""
        paths = []
        for piece in self.pieces:
            for include_name in piece.includes:
                try:
                    paths.append(os.path.normpath(self.include(include_name, self.path)[0]))
                except OSError:
                    continue
        return paths


def _declares(text: str) -> bool:
    return any(word in text for word in _DECLARING)


def _ignore(diagnostic: Diagnostic) -> None:
    """Reported by the check of the text."""
