"""The structure of a document: its symbols as a list, foldable ranges, and a line above every relation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types as lsp

from tidelog.editor.document import Document, Piece
from tidelog.editor.relations import first_places, relation_of
from tidelog.editor.symbols import DEFINE, DERIVE, LABEL
from tidelog.editor.workspace import Workspace
from tidelog.syntax.layout.outline import Item

_KINDS = {
    "relation": lsp.SymbolKind.Class,
    "type": lsp.SymbolKind.Struct,
    "component": lsp.SymbolKind.Module,
    "instance": lsp.SymbolKind.Object,
    "function": lsp.SymbolKind.Function,
}
_LONGEST = 60
_REMARKS = re.compile(r"(?:^[ \t]*(?://|%|#(?!\w))[^\n]*\n){2,}|^[ \t]*/\*.*?\*/", re.MULTILINE | re.DOTALL)


def document_symbols(document: Document) -> list[lsp.DocumentSymbol]:
    """The declarations and derived relations of the text, and components with their contents."""
    return [
        symbol
        for at, piece in enumerate(document.pieces)
        for symbol in _items(document, piece, document.places.starts[at], piece.reading.outline.items)
    ]


def _items(document: Document, piece: Piece, base: int, items: list[Item]) -> Iterator[lsp.DocumentSymbol]:
    for item in items:
        named = [s for s in piece.symbols if s.clause == item.start and s.role in (DEFINE, DERIVE)]
        first = next((s for s in named if s.kind in _KINDS), None)
        if first is None:
            continue
        whole = document.positions.range(base + item.start, base + item.end)
        own = document.positions.range(base + first.start, base + first.end)
        label = next((s.name for s in named if s.kind == LABEL), None)
        text = " ".join(piece.text[item.start : item.end].split())
        kind = lsp.SymbolKind.Method if first.role == DERIVE else _KINDS[first.kind]
        abbreviated = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
        yield lsp.DocumentSymbol(
            label or first.name,
            kind,
            whole,
            own,
            detail=abbreviated,
            children=list(_items(document, piece, base, item.items)),
        )


def folding_ranges(document: Document) -> list[lsp.FoldingRange]:
    """The ranges of clauses of several lines, components, and comments of several lines."""
    found = []
    for at, piece in enumerate(document.pieces):
        if "\n" not in piece.text.strip():
            continue
        base = document.places.starts[at]
        for item in _nested(piece.reading.outline.items):
            found += _fold(document, base + item.start, base + item.end, None)
        for match in _REMARKS.finditer(piece.text):
            end = match.start() + len(match[0].rstrip())
            found += _fold(document, base + match.start(), base + end, lsp.FoldingRangeKind.Comment)
    return found


def _nested(items: list[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from _nested(item.items)


def _fold(document: Document, start: int, end: int, kind: lsp.FoldingRangeKind | None) -> list[lsp.FoldingRange]:
    first, last = document.positions.position(start), document.positions.position(end)
    return [lsp.FoldingRange(first.line, last.line, kind=kind)] if last.line > first.line else []


def code_lenses(workspace: Workspace, document: Document) -> list[lsp.CodeLens]:
    """How each relation is defined, above its declaration or its first rule."""
    lenses, family = [], workspace.family(document)
    for name, (offset, _) in sorted(first_places(document).items(), key=lambda each: each[1]):
        title = relation_of(workspace, document, name, family).origin
        place = document.positions.range(offset, offset + len(name))
        lenses.append(lsp.CodeLens(place, lsp.Command(title, "")))
    return lenses
