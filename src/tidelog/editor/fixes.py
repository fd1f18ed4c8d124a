"""Quick fixes: hints of diagnostics that can be applied as edits.

Law: a fix is offered only for a finding whose text names it, and changes the characters that the finding is about, or
adds a line before its clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lsprotocol import types as lsp

from tidelog.editor.check import current, declarations
from tidelog.editor.document import Document, Finding, Piece
from tidelog.editor.report import to_lsp
from tidelog.program import Atom, Const, Rule, Var
from tidelog.program.values.column_names import head_names
from tidelog.program.values.program import SEPARATOR
from tidelog.program.values.schema import BASE_TYPES

_MEANT = re.compile(r"[Dd]id you mean `\.?([^`]+)`\?")
_WRITE = re.compile(r"Write `([^`\w]+)`\.")  # operators; words are examples
_QUOTED = re.compile(r"`\.?([^`]+)`")
_SINGLE, _UNKNOWN, _IN_BODY = "TL702", "TL201", "TL114"


def fixes(document: Document, where: lsp.Range) -> list[lsp.CodeAction]:
    """The fixes of all findings that a range touches."""
    start, end = document.positions.offset(where.start), document.positions.offset(where.end)
    found: list[lsp.CodeAction] = []
    for base, finding in current(document):
        if base + finding.start <= end and start <= base + finding.end:
            for title, edit in _edits(document, base, finding):
                change = lsp.WorkspaceEdit(changes={document.uri: [edit]})
                kind = lsp.CodeActionKind.QuickFix
                diagnostics = [to_lsp(document, base, finding)]
                found.append(
                    lsp.CodeAction(title, kind=kind, diagnostics=diagnostics, edit=change, is_preferred=not found)
                )
    return found


def _edits(document: Document, base: int, finding: Finding) -> Iterator[tuple[str, lsp.TextEdit]]:
    diagnostic = finding.diagnostic
    text = document.text[base + finding.start : base + finding.end]
    meant = _MEANT.search(diagnostic.hint) or _MEANT.search(diagnostic.message)
    if meant is not None:
        named = _QUOTED.findall(diagnostic.message.partition(";")[0])
        wrong = named[-1] if named else ""  # "`.output` refers to the unknown relation `pth`"
        found = re.search(rf"(?<!\w){re.escape(wrong)}(?!\w)", text) if wrong else None
        if found is not None:
            start = base + finding.start + found.start()
            edit = lsp.TextEdit(document.positions.range(start, start + len(wrong)), meant[1])
            yield f"Replace `{wrong}` with `{meant[1]}`", edit
    if diagnostic.code == _SINGLE:
        yield "Replace the variable with `_`", _instead(document, base, finding, "_")
    elif diagnostic.code == _UNKNOWN:
        yield from _declare(document, base, finding)
    elif diagnostic.code == _IN_BODY:
        yield from _braces(document, base, finding, text)
    elif write := _WRITE.fullmatch(diagnostic.hint):
        yield f"Write `{write[1]}`", _instead(document, base, finding, write[1])


def _instead(document: Document, base: int, finding: Finding, text: str) -> lsp.TextEdit:
    return lsp.TextEdit(document.positions.range(base + finding.start, base + finding.end), text)


def _braces(document: Document, base: int, finding: Finding, text: str) -> Iterator[tuple[str, lsp.TextEdit]]:
    """Replace `min<Y>` in a body by `min Y : { }`, to be filled in."""
    match = re.fullmatch(r"(\w+)\s*<\s*([^>]*?)\s*>", text)
    if match is not None:
        value = "" if match[2] in ("*", "") else f" {match[2]}"
        replacement = f"{match[1]}{value} : {{ }}"
        yield f"Write `{replacement}`", _instead(document, base, finding, replacement)


def _declare(document: Document, base: int, finding: Finding) -> Iterator[tuple[str, lsp.TextEdit]]:
    """Add the missing declaration, on a line before the clause."""
    name = _QUOTED.search(finding.diagnostic.message)
    at = document.places.at_offset(base + finding.start)
    piece = document.pieces[at]
    atoms = [rule.head for rule in piece.program.rules] + [fact.atom for fact in piece.program.facts]
    atoms += [literal for rule in piece.program.rules for literal in _atoms(rule)]
    atom = next((each for each in atoms if name is not None and each.predicate == name[1]), None)
    if atom is None or SEPARATOR in atom.predicate:
        return
    types = _types_of_variables(document, piece, atoms)
    columns = ", ".join(f"{n}: {_type_of(arg, types)}" for n, arg in zip(head_names(atom), atom.args, strict=True))
    items = piece.reading.outline.items
    start = document.places.starts[at] + (items[0].start if items else 0)
    place = document.positions.position(start)
    line = lsp.Position(place.line, 0)
    replacement = f".decl {atom.predicate}({columns})\n"
    if document.text[document.positions.offset(line) : start].strip():  # another clause ends on this line
        line, replacement = place, f"\n{replacement}"
    yield f"Declare `{atom.predicate}`", lsp.TextEdit(lsp.Range(line, line), replacement)


def _types_of_variables(document: Document, piece: Piece, atoms: list[Atom]) -> dict[str, str]:
    """The types of variables according to the declarations of the other relations."""
    declared = {item.relation: item.columns for item in (*piece.program.declarations, *declarations(document, piece))}
    pairs = (pair for atom in atoms for pair in zip(atom.args, declared.get(atom.predicate, ()), strict=False))
    return {arg.name: column.type for arg, column in pairs if isinstance(arg, Var)}


def _atoms(rule: Rule) -> Iterator[Atom]:
    for literal in rule.body:
        atom = getattr(literal, "atom", literal)
        if isinstance(atom, Atom):
            yield atom


def _type_of(term: object, types: Mapping[str, str]) -> str:
    if isinstance(term, Var):
        return types.get(term.name, "symbol")
    return term.type if isinstance(term, Const) and term.type in BASE_TYPES else "symbol"
