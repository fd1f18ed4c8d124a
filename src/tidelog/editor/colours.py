"""Semantic tokens: the kind of every name, for colouring.

Law: the numbers of a document are those of its segments in order, each relative to the token before it; an edit changes
only the numbers between the first and the last changed segment, and those of the first token after them.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from tidelog.editor.document import Document, Mark, Piece
from tidelog.editor.positions import units
from tidelog.editor.symbols import (
    COLUMN,
    COMPONENT,
    CONSTRUCTOR,
    DEFINE,
    DERIVE,
    FUNCTION,
    INSTANCE,
    LABEL,
    RELATION,
    TYPE,
    VARIABLE,
)
from tidelog.syntax.tokens import DIRECTIVE

_TYPES = {
    RELATION: "class", VARIABLE: "variable", FUNCTION: "function", TYPE: "type", COLUMN: "property", LABEL: "decorator",
    COMPONENT: "namespace", INSTANCE: "namespace", CONSTRUCTOR: "enumMember",
}  # fmt: skip
_NAMES = ["class", "variable", "function", "type", "property", "decorator", "namespace", "enumMember", "keyword"]
_MODIFIERS = ["declaration", "definition"]
_ROLES = {DEFINE: 1, DERIVE: 2}
LEGEND = lsp.SemanticTokensLegend(_NAMES, _MODIFIERS)


def marks_of(piece: Piece) -> list[Mark]:
    """The tokens of a segment; in its first line, columns are counted from the beginning of the segment."""
    if piece.marks is None:
        piece.marks = _marks(piece)
    return piece.marks


def _marks(piece: Piece) -> list[Mark]:
    words = [(t.start, t.text, _NAMES.index("keyword"), 0) for t in piece.reading.tokens() if t.kind == DIRECTIVE]
    words += [(s.start, s.name, _NAMES.index(_TYPES[s.kind]), _ROLES.get(s.role, 0)) for s in piece.symbols]
    marks = []
    for start, text, kind, modifiers in sorted(words):
        before = piece.text[:start]
        line = before.count("\n")
        marks.append((line, units(before[before.rfind("\n") + 1 :]), units(text), kind, modifiers))
    return marks


def semantic_tokens(document: Document, where: lsp.Range | None = None) -> list[int]:
    """The numbers of a document, or of the segments that a range touches."""
    first, last = 0, len(document.pieces)
    if where is not None and document.pieces:
        first = document.places.at_offset(document.positions.offset(where.start))
        last = document.places.at_offset(document.positions.offset(where.end)) + 1
    numbers: list[int] = []
    line = column = 0
    for at in range(first, last):
        marks = marks_of(document.pieces[at])
        if not marks:
            continue
        start = document.positions.position(document.places.starts[at])
        for below, right, length, kind, modifiers in marks:
            new_line, new_column = start.line + below, right + (start.character if not below else 0)
            same = new_line == line
            numbers += (new_line - line, new_column - column if same else new_column, length, kind, modifiers)
            line, column = new_line, new_column
    return numbers


def difference(before: Sequence[int], after: Sequence[int]) -> list[lsp.SemanticTokensEdit]:
    """The edits that turn one list of numbers into another: at most one."""
    shortest = min(len(before), len(after))
    start = next((at for at in range(shortest) if before[at] != after[at]), shortest)
    if start == len(before) == len(after):
        return []
    rest = shortest - start
    end = next((at for at in range(rest) if before[len(before) - 1 - at] != after[len(after) - 1 - at]), rest)
    return [lsp.SemanticTokensEdit(start, len(before) - end - start, list(after[start : len(after) - end]))]
