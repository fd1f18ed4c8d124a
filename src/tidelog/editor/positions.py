"""Positions in a text as editors count them: lines, and units of UTF-16 in a line.

Law: an offset and its position denote the same place; a position after the end of its line is the end of the line.
"""

from __future__ import annotations

from lsprotocol import types as lsp

from tidelog.editor.segments import Places


def units(text: str) -> int:
    """The number of UTF-16 units of a text.

    >>> units("a🌊b")
    4
    """
    return len(text) + sum(char > "\uffff" for char in text) if not text.isascii() else len(text)


def offset_in(text: str, line: int, character: int) -> int:
    """The offset of a position in a piece of text whose first line is line 0."""
    start = 0
    for _ in range(line):
        found = text.find("\n", start)
        if found < 0:
            return len(text)
        start = found + 1
    end = text.find("\n", start)
    content = text[start : end if end >= 0 else len(text)]
    if content.isascii():
        return start + min(character, len(content))
    for at, char in enumerate(content):
        if character <= 0:
            return start + at
        character -= 2 if char > "\uffff" else 1
    return start + len(content)


class Positions:
    """Positions in a text that is split into segments."""

    def __init__(self, segments: list[str], places: Places) -> None:
        self.segments = segments
        self.places = places

    def offset(self, position: lsp.Position) -> int:
        """The offset of a position."""
        if not self.segments:
            return 0
        at = self.places.at_line(position.line)
        start, line = self.places.starts[at], self.places.lines[at]
        piece = self._piece(at, position.line)
        column = self._column(start) if line == position.line else 0
        return start + offset_in(" " * column + piece, position.line - line, position.character) - column

    def _piece(self, at: int, line: int) -> str:
        """The text from the start of a segment to the end of a line."""
        parts = [self.segments[at]]
        while at + 1 < len(self.segments) and self.places.lines[at + 1] <= line:
            at += 1
            parts.append(self.segments[at])
        return "".join(parts)

    def _column(self, start: int) -> int:
        """The number of units before an offset on its line."""
        at = self.places.at_offset(start - 1) if start else 0
        text = ""
        while start and at >= 0:
            piece = self.segments[at][: start - self.places.starts[at]]
            text = piece + text
            if "\n" in piece:
                break
            at -= 1
        return units(text[text.rfind("\n") + 1 :])

    def position(self, offset: int) -> lsp.Position:
        """The position of an offset."""
        if not self.segments:
            return lsp.Position(0, 0)
        at = self.places.at_offset(offset)
        before = self.segments[at][: offset - self.places.starts[at]]
        line = self.places.lines[at] + before.count("\n")
        if "\n" in before:
            return lsp.Position(line, units(before[before.rfind("\n") + 1 :]))
        return lsp.Position(line, self._column(self.places.starts[at]) + units(before))

    def range(self, start: int, end: int) -> lsp.Range:
        """The range between two offsets."""
        return lsp.Range(self.position(start), self.position(end))
