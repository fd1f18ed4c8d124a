"""The documents of an editor, and the files that belong to them.

Law: the text of an open document is the editor's; any other file is read from the disk. Documents are related if one
includes the other, directly or indirectly; names are looked up in all related documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pygls import uris

from tidelog.editor.checker import Outcome
from tidelog.editor.document import Document, Place
from tidelog.editor.symbols import DEFINE, DERIVE, RELATION, VARIABLE, Scope
from tidelog.program import Component, Instance
from tidelog.program.values.program import SEPARATOR

_MOST_FILES = 2_000
_INCLUDES = re.compile(rb'(?:#[ \t]*+|\.)include[ \t]*+"')

Key = tuple[str, Scope, str]


class Workspace:
    """The open documents, other loaded files, and the findings of the last checks."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.checked: dict[str, Outcome] = {}
        self.roots: list[Path] = []
        self._loaded: dict[str, tuple[float, Document]] = {}

    def open(self, uri: str, text: str) -> Document:
        """Add a document that the editor opens."""
        path = uris.to_fs_path(uri) or uri
        document = Document(uri, path)
        document.open(text)
        self.documents[path] = document
        return document

    def close(self, uri: str) -> None:
        """Remove a document that the editor closes."""
        path = uris.to_fs_path(uri) or uri
        self.documents.pop(path, None)
        self.checked.pop(path, None)

    def get(self, uri: str) -> Document | None:
        """An open document."""
        return self.documents.get(uris.to_fs_path(uri) or uri)

    def _document(self, path: str) -> Document | None:
        """The document of a path, open or on disk."""
        if path in self.documents:
            return self.documents[path]
        try:
            changed = Path(path).stat().st_mtime
            known = self._loaded.get(path)
            if known is None or known[0] != changed:
                document = Document(uris.from_fs_path(path) or path, path)
                document.open(Path(path).read_bytes().decode("utf-8", "replace"))
                self._loaded[path] = (changed, document)
        except OSError:
            return None
        return self._loaded[path][1]

    def family(self, document: Document) -> list[Document]:
        """All documents related to one, itself first."""
        found = {document.path: document}
        others = [each for each in self._that_include() if each.path != document.path]
        left = [document]
        while left:
            here = left.pop()
            near = [self._document(path) for path in here.included()]
            near += [each for each in others if here.path in each.included()]
            for each in near:
                if each is not None and each.path not in found:
                    found[each.path] = each
                    left.append(each)
        return list(found.values())

    def _that_include(self) -> Iterator[Document]:
        """The programs that are open, or in the folders of the editor, and include other files."""
        yield from self.documents.values()
        for path in self._files():
            document = self._document(path)
            if document is not None:
                yield document

    def _files(self) -> Iterator[str]:
        for root in self.roots:
            for count, path in enumerate(sorted(root.rglob("*.dl"))):
                if count >= _MOST_FILES:
                    break
                if str(path) not in self.documents and _includes(path):
                    yield str(path)

    def key_of(self, place: Place, family: Sequence[Document]) -> Key:
        """The identity of a name: two places with the same key refer to the same item."""
        symbol = place.symbol
        if symbol.kind == VARIABLE:
            return (VARIABLE, (place.document.path, str(id(place.piece)), str(symbol.clause)), symbol.name)
        if symbol.kind != RELATION:
            return (symbol.kind, (), symbol.name)
        scope, name = Components(family).resolve(symbol.name, symbol.scope)
        return (RELATION, scope, name)

    def references(self, place: Place) -> list[Place]:
        """Every place that refers to the same item."""
        family = self.family(place.document)
        key = self.key_of(place, family)
        if key[0] == VARIABLE:
            return [each for each in place.document.occurrences(key[2]) if self.key_of(each, ()) == key]
        components = Components(family)
        return [
            each
            for document in family
            for name in _names_ending(document, key[2])
            for each in document.occurrences(name)
            if each.symbol.kind == key[0]
            and (key[0] != RELATION or components.resolve(each.symbol.name, each.symbol.scope) == key[1:])
        ]

    def definitions(self, place: Place) -> list[Place]:
        """Where the item is declared; otherwise where it is derived; otherwise the first place of a variable."""
        found = self.references(place)
        if place.symbol.kind == VARIABLE:
            return found[:1]
        for role in (DEFINE, DERIVE):
            some = [each for each in found if each.symbol.role == role]
            if some:
                return some
        return []


def _includes(path: Path) -> bool:
    """Whether a file can be read and includes other files."""
    try:
        return _INCLUDES.search(path.read_bytes()) is not None
    except OSError:
        return False


def _names_ending(document: Document, name: str) -> Iterable[str]:
    """The name, and the names that contain it as a part of an instance."""
    yield name
    if any(".init" in piece.text for piece in document.pieces):
        yield from (each for each in document.names() if each.endswith(SEPARATOR + name))


class Components:
    """The components and instances of related documents."""

    def __init__(self, family: Sequence[Document]) -> None:
        self.components: dict[str, tuple[Scope, Component]] = {}
        self.instances: dict[tuple[Scope, str], str] = {}
        for document in family:
            for piece in document.pieces:
                if ".comp" in piece.text or ".init" in piece.text:
                    self._add(piece.program.components, (), piece.program.instances)

    def _add(self, components: Sequence[Component], scope: Scope, instances: Iterable[Instance]) -> None:
        for instance in instances:
            self.instances[scope, instance.name] = instance.type.name
        for component in components:
            inner = (*scope, component.name)
            self.components.setdefault(component.name, (inner, component))
            self._add(component.content.components, inner, component.content.instances)

    def resolve(self, name: str, scope: Scope) -> tuple[Scope, str]:
        """The component that declares a relation, and its name there; an empty scope is the program itself."""
        first, separator, rest = name.partition(SEPARATOR)
        if separator:
            component_name = next(
                (self.instances[s, first] for s in _outwards(scope) if (s, first) in self.instances), None
            )
            if component_name in self.components:
                found = self._declaring(component_name, rest.partition(SEPARATOR)[0], set())
                return self.resolve(rest, found if found is not None else self.components[component_name][0])
            return (), name
        for outer in _outwards(scope):
            declaring = self._declaring(outer[-1], name, set()) if outer else None
            if declaring is not None:
                return declaring, name
        return (), name

    def _declaring(self, component: str, name: str, seen: set[str]) -> Scope | None:
        """The scope of a component, or of one of its bases, that declares a relation or an instance."""
        if component not in self.components or component in seen:
            return None
        scope, found = self.components[component]
        declared = {item.relation for item in found.content.declarations}
        if name in declared | {item.name for item in found.content.instances}:
            return scope
        below = (self._declaring(base.name, name, {*seen, component}) for base in found.bases)
        return next((each for each in below if each is not None), None)

    def relations_of(self, instance: str, scope: Scope = ()) -> list[str]:
        """The relations of an instance, including those of the base components."""
        made = next((self.instances[s, instance] for s in _outwards(scope) if (s, instance) in self.instances), "")
        names: list[str] = []
        left, seen = [made], set[str]()
        while left:
            name = left.pop()
            if name in seen or name not in self.components:
                continue
            seen.add(name)
            component = self.components[name][1]
            names += [item.relation for item in component.content.declarations]
            left += [base.name for base in component.bases]
        return sorted(set(names))


def _outwards(scope: Scope) -> Iterator[Scope]:
    """A scope and its enclosing scopes."""
    for length in range(len(scope), -1, -1):
        yield scope[:length]
