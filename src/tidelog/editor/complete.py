"""Completions at a position: relations with their columns, variables, functions, types and directives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from lsprotocol import types as lsp

from tidelog.editor.document import Document
from tidelog.editor.hover import tokens_before
from tidelog.editor.relations import names_of, relation_of
from tidelog.editor.symbols import CONSTRUCTOR, TYPE
from tidelog.editor.words import AGGREGATES, DIRECTIVES, TYPES, is_written, signature
from tidelog.editor.workspace import Components, Workspace
from tidelog.program import SOUFFLE
from tidelog.program.functions.table import FUNCTIONS
from tidelog.syntax.tokens import NAME

_MOST = 100
_DIRECTIVE = re.compile(r"(?:^|\s)\.(\w*)$")
_QUALIFIED = re.compile(r"([\w?]+)\.\w*$")
_TYPE = re.compile(r"\.(?:decl|type|functor)\b[^\n]*:\s*\w*$")
_NAMES = re.compile(r"\.(?:input|output|printsize|override)\s[^\n(]*$")
_CONSTRUCTOR = re.compile(r"\$\w*$")
_COLUMN = re.compile(r"\bchoice-domain\b[^\n]*$")


def complete(workspace: Workspace, document: Document, offset: int) -> lsp.CompletionList:
    """The completions at an offset, depending on the text before it."""
    before = _line_before(document, offset)
    items = list(_items(workspace, document, offset, before))
    return lsp.CompletionList(is_incomplete=len(items) >= _MOST, items=items)


def _items(workspace: Workspace, document: Document, offset: int, before: str) -> Iterator[lsp.CompletionItem]:
    if _DIRECTIVE.search(before):
        yield from _directives()
    elif _TYPE.search(before):
        yield from _types(workspace, document)
    elif _COLUMN.search(before):
        yield from _columns(document, before)
    elif _NAMES.search(before):
        yield from _relations(workspace, document, before, plain=True)
    elif _CONSTRUCTOR.search(before):
        yield from _named(workspace, document, CONSTRUCTOR, lsp.CompletionItemKind.EnumMember)
    elif qualified := _QUALIFIED.search(before):
        names = Components(workspace.family(document)).relations_of(qualified[1])
        yield from (lsp.CompletionItem(name, kind=lsp.CompletionItemKind.Class) for name in names)
    else:
        yield from _variables(document, offset)
        yield from _relations(workspace, document, before, plain=False)
        yield from _functions()


def _line_before(document: Document, offset: int) -> str:
    start = document.positions.position(offset)
    begin = document.positions.offset(lsp.Position(start.line, 0))
    first, last = document.places.at_offset(begin), document.places.at_offset(offset) + 1
    text = "".join(piece.text for piece in document.pieces[first:last])
    return text[begin - document.places.starts[first] : offset - document.places.starts[first]] if text else ""


def _directives() -> Iterator[lsp.CompletionItem]:
    for word, meaning in DIRECTIVES.items():
        yield lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Keyword, documentation=_marked(meaning))


def _types(workspace: Workspace, document: Document) -> Iterator[lsp.CompletionItem]:
    for name, meaning in TYPES.items():
        yield lsp.CompletionItem(name, kind=lsp.CompletionItemKind.TypeParameter, documentation=_marked(meaning))
    yield from _named(workspace, document, TYPE, lsp.CompletionItemKind.TypeParameter, besides=frozenset(TYPES))


def _named(
    workspace: Workspace,
    document: Document,
    kind: str,
    kind_shown: lsp.CompletionItemKind,
    besides: frozenset[str] = frozenset(),
) -> Iterator[lsp.CompletionItem]:
    """The names of one kind that related documents define."""
    names = {
        symbol.name
        for member in workspace.family(document)
        for piece in member.pieces
        if ".type" in piece.text or "_type" in piece.text
        for symbol in piece.symbols
        if symbol.kind == kind and symbol.role == "define"
    }
    for name in sorted(names - besides):
        yield lsp.CompletionItem(name, kind=kind_shown)


def _columns(document: Document, before: str) -> Iterator[lsp.CompletionItem]:
    for name in re.findall(r"(\w+)\s*:", before):
        yield lsp.CompletionItem(name, kind=lsp.CompletionItemKind.Field)


def _relations(workspace: Workspace, document: Document, before: str, *, plain: bool) -> Iterator[lsp.CompletionItem]:
    """Relations that begin with the typed prefix, with placeholders for their columns."""
    found = re.search(r"[\w?]*$", before)
    typed = found[0] if found else ""
    family = workspace.family(document)
    names = {name for member in family for name in names_of(member)}
    for name in sorted(each for each in names if each.startswith(typed))[:_MOST]:
        relation = relation_of(workspace, document, name, family)
        places = ", ".join(f"${{{number}:{column}}}" for number, column in enumerate(relation.columns, 1))
        yield lsp.CompletionItem(
            name,
            kind=lsp.CompletionItemKind.Class,
            detail=relation.signature,
            documentation=_marked(relation.origin),
            insert_text=name if plain else f"{name}({places})",
            insert_text_format=lsp.InsertTextFormat.PlainText if plain else lsp.InsertTextFormat.Snippet,
        )


def _variables(document: Document, offset: int) -> Iterator[lsp.CompletionItem]:
    """The variables of the clause being typed, recognised by their spelling: the clause may be incomplete."""
    names: set[str] = set()
    tokens = tokens_before(document, offset)
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.kind == ".":
            names.clear()
        elif token.kind == NAME and following is not None and following.kind not in ("(", ":", "@"):
            names.add(token.text)
    if document.convention != SOUFFLE:
        names = {name for name in names if name[0].isupper() or name[0] in "_?"}
    for name in sorted(names - {"_"} - set(AGGREGATES)):
        yield lsp.CompletionItem(name, kind=lsp.CompletionItemKind.Variable)


def _functions() -> Iterator[lsp.CompletionItem]:
    for name in sorted(filter(is_written, FUNCTIONS)):
        kind_shown = "\n".join(signature(each) for each in FUNCTIONS[name])
        yield lsp.CompletionItem(name, kind=lsp.CompletionItemKind.Function, detail=kind_shown.split("\n")[0])
    for name, meaning in AGGREGATES.items():
        yield lsp.CompletionItem(name, kind=lsp.CompletionItemKind.Keyword, documentation=_marked(meaning))


def _marked(text: str) -> lsp.MarkupContent:
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
