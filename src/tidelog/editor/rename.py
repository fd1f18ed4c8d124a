"""Rename relations, variables, types, components and constructors in all related texts.

Law: a rename changes nothing about the meaning of the program: every reference to the renamed item gets the new name,
nothing else does, and a name that is already in use or is not an identifier is refused.
"""

from __future__ import annotations

import re

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from tidelog.editor.document import Document, Place
from tidelog.editor.symbols import COLUMN, FUNCTION, INSTANCE, LABEL, RELATION, VARIABLE
from tidelog.editor.workspace import Workspace
from tidelog.program import SOUFFLE
from tidelog.program.values.program import SEPARATOR

_IDENTIFIER = re.compile(r"\??[^\W\d]\w*")
_FIXED = (FUNCTION, COLUMN, LABEL, INSTANCE)


def place_to_rename(document: Document, offset: int) -> Place:
    """The name at an offset, if it can be renamed."""
    place = document.symbol_at(offset)
    if place is None or place.symbol.kind in _FIXED:
        raise JsonRpcInvalidParams("nothing here can be renamed")
    return place


def own_range(place: Place) -> lsp.Range:
    """The part of a name that is renamed: the last part of `graph.edge`."""
    last = place.symbol.name.rpartition(SEPARATOR)[2]
    return place.document.positions.range(place.end - len(last), place.end)


def rename(workspace: Workspace, document: Document, offset: int, name: str) -> lsp.WorkspaceEdit:
    """The edits that rename an item."""
    place = place_to_rename(document, offset)
    _refuse(workspace, place, name)
    changes: dict[str, list[lsp.TextEdit]] = {}
    for each in workspace.references(place):
        changes.setdefault(each.document.uri, []).append(lsp.TextEdit(own_range(each), name))
    return lsp.WorkspaceEdit(changes=changes)


def _refuse(workspace: Workspace, place: Place, name: str) -> None:
    if not _IDENTIFIER.fullmatch(name):
        raise JsonRpcInvalidParams(f"`{name}` is not an identifier")
    if place.symbol.kind == VARIABLE:
        prolog = place.document.convention != SOUFFLE
        if prolog and not (name[0].isupper() or name[0] in "_?"):
            raise JsonRpcInvalidParams(f"variables start with a capital letter; `{name}` would be a symbol")
        own = [s for s in place.piece.symbols if s.kind == VARIABLE and s.clause == place.symbol.clause]
        if any(symbol.name == name for symbol in own):
            raise JsonRpcInvalidParams(f"the clause already has a variable `{name}`")
        return
    family = workspace.family(place.document)
    taken = [p for member in family for p in member.occurrences(name) if p.symbol.kind == place.symbol.kind]
    if taken and (place.symbol.kind != RELATION or _same_scope(workspace, taken, place)):
        raise JsonRpcInvalidParams(f"there is already a {place.symbol.kind} `{name}`")


def _same_scope(workspace: Workspace, taken: list[Place], place: Place) -> bool:
    family = workspace.family(place.document)
    scope = workspace.key_of(place, family)[1]
    return any(workspace.key_of(each, family)[1] == scope for each in taken)
