"""What an editor shows for a name, and while arguments are typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsprotocol import types as lsp

from tidelog.editor.document import Document, Place
from tidelog.editor.relations import Relation, relation_of
from tidelog.editor.symbols import COLUMN, COMPONENT, FUNCTION, RELATION, TYPE, VARIABLE
from tidelog.editor.words import AGGREGATES, DIRECTIVES, TYPES, signature
from tidelog.editor.workspace import Workspace
from tidelog.errors.counts import counted
from tidelog.program.functions.table import FUNCTIONS
from tidelog.syntax.tokens import DIRECTIVE, NAME, Token

Sizes = Mapping[str, int]


def hover(workspace: Workspace, document: Document, offset: int, sizes: Sizes) -> lsp.Hover | None:
    """What is known about the name at an offset."""
    place = document.symbol_at(offset)
    if place is None:
        return _word(document, offset)
    text = "\n\n".join(_about(workspace, place, sizes))
    if not text:
        return None
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), place.range)


def _about(workspace: Workspace, place: Place, sizes: Sizes) -> Iterator[str]:
    symbol = place.symbol
    if symbol.kind == RELATION:
        yield from about_relation(relation_of(workspace, place.document, symbol.name), sizes)
    elif symbol.kind == FUNCTION:
        yield _code("\n".join(signature(each) for each in FUNCTIONS.get(symbol.name, ())) or f"{symbol.name}(...)")
    elif symbol.kind == VARIABLE:
        times = len(workspace.references(place))
        yield f"variable `{symbol.name}`, {times} times in this clause" if times > 1 else f"variable `{symbol.name}`"
    elif symbol.kind in (TYPE, COMPONENT):
        found = [each for each in workspace.definitions(place) if each.symbol.role == "define"]
        lines = [_line(each) for each in found[:3]]
        yield _code("\n".join(lines)) if lines else TYPES.get(symbol.name, "")
    elif symbol.kind == COLUMN:
        yield f"column `{symbol.name}`"
    else:
        yield f"{symbol.kind} `{symbol.name}`"


def about_relation(relation: Relation, sizes: Sizes) -> Iterator[str]:
    """The paragraphs about a relation."""
    qualifiers = " ".join(relation.declaration.qualifiers) if relation.declaration else ""
    yield _code(f"{relation.signature} {qualifiers}".rstrip())
    facts = [relation.origin]
    if relation.stratum is not None:
        facts.append(f"stratum {relation.stratum}")
    if relation.location is not None and relation.location < len(relation.columns):
        facts.append(f"stored at the node in column `{relation.columns[relation.location]}`")
    if relation.name in sizes:
        facts.append(f"{counted(sizes[relation.name], 'fact')} in the open state")
    yield "; ".join(facts)
    if relation.rules:
        more = relation.rule_count - len(relation.rules)
        yield _code("\n".join(relation.rules) + (f"\n// and {more} more" if more > 0 else ""))


def _code(text: str) -> str:
    return f"```tidelog\n{text}\n```"


def _line(place: Place) -> str:
    """The line of a definition, as text."""
    return place.piece.text[place.symbol.clause :].split("\n", 1)[0].strip()


def _word(document: Document, offset: int) -> lsp.Hover | None:
    """The description of a word of the language at an offset."""
    token = token_at(document, offset)
    if token is None:
        return None
    text = DIRECTIVES.get(token.text[1:]) if token.kind == DIRECTIVE else AGGREGATES.get(token.text)
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None


def token_at(document: Document, offset: int) -> Token | None:
    """The token of a segment at an offset."""
    if not document.pieces:
        return None
    at = document.places.at_offset(max(offset - 1, 0))
    inside = offset - document.places.starts[at]
    return next((t for t in document.pieces[at].reading.tokens() if t.start <= inside <= t.end and t.text), None)


def signature_help(workspace: Workspace, document: Document, offset: int) -> lsp.SignatureHelp | None:
    """The columns or parameters of the atom or call at an offset."""
    call = _open_call(document, offset)
    if call is None:
        return None
    name, argument = call
    if name in FUNCTIONS:
        found = [lsp.SignatureInformation(signature(f), parameters=_parameters(f.params)) for f in FUNCTIONS[name]]
        return lsp.SignatureHelp(found, 0, argument)
    relation = relation_of(workspace, document, name)
    if not relation.columns:
        return None
    typed = zip(relation.columns, relation.types, strict=True)
    parts = tuple(f"{column}: {kind}" if kind else column for column, kind in typed)
    information = lsp.SignatureInformation(relation.signature, relation.origin, _parameters(parts))
    return lsp.SignatureHelp([information], 0, argument)


def _parameters(parts: tuple[str, ...]) -> list[lsp.ParameterInformation]:
    return [lsp.ParameterInformation(part) for part in parts]


def _open_call(document: Document, offset: int) -> tuple[str, int] | None:
    """The name before the innermost bracket that is open at an offset, and how many arguments precede it."""
    open_now: list[tuple[str, int]] = []
    previous: Token | None = None
    for token in tokens_before(document, offset):
        if token.kind in ("(", "[", "{"):
            name = previous.text if token.kind == "(" and previous is not None and previous.kind == NAME else ""
            open_now.append((name, 0))
        elif token.kind in (")", "]", "}") and open_now:
            open_now.pop()
        elif token.kind == "," and open_now:
            open_now[-1] = (open_now[-1][0], open_now[-1][1] + 1)
        elif token.kind == ".":
            open_now.clear()
        previous = token
    return open_now[-1] if open_now and open_now[-1][0] else None


def tokens_before(document: Document, offset: int) -> list[Token]:
    """The tokens of the clause at an offset that end before it; if there are none, those of the previous clause."""
    if not document.pieces:
        return []
    at = document.places.at_offset(max(offset - 1, 0))
    while True:
        inside = offset - document.places.starts[at]
        found = [t for t in document.pieces[at].reading.tokens() if t.text and t.end <= inside]
        if found or not at:
            return found
        at -= 1  # white space after an unfinished clause belongs to the next segment
