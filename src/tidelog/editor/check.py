"""The problems in a document: at once for the clause being typed, and for the whole text when typing pauses.

Law: when a document is not being edited, its findings are those of `tidelog check`, in the same words. During typing, a
changed clause shows the findings of parsing and checking it alone, and every other clause its last findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tidelog.editor.checker import Checker, Outcome, check_text
from tidelog.editor.document import Document, Finding, Piece
from tidelog.editor.segments import Places
from tidelog.editor.symbols import RELATION
from tidelog.errors import Diagnostic, TidelogError
from tidelog.program import SOUFFLE, Declaration, Program
from tidelog.program.check import examine_program

_ALONE = ("TL20", "TL3", "TL4", "TL702")  # codes that depend only on a clause and the declarations of its relations
_WITH_TYPES = (".type", ".number_type", ".symbol_type", ".functor", ".pragma")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A document at one moment, for a check in parallel."""

    text: str
    path: str
    version: int
    pieces: tuple[Piece, ...]
    places: Places


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings of a check of the whole text."""

    snapshot: Snapshot
    outcome: Outcome


def snapshot_of(document: Document) -> Snapshot:
    """The current document."""
    return Snapshot(document.text, document.path, document.version, tuple(document.pieces), document.places)


def check_whole(snapshot: Snapshot, checker: Checker | None = None) -> Verdict:
    """Read and check the whole text as `tidelog check` does, in this process or in that of a checker."""
    check = check_text if checker is None else checker.check
    return Verdict(snapshot, check(snapshot.text, snapshot.path))


def accept(verdict: Verdict, document: Document) -> None:
    """Assign the findings to their pieces; findings about pieces that no longer exist are never shown."""
    document.edited.difference_update(verdict.snapshot.pieces)
    shared: dict[int, list[Finding]] = {}
    for diagnostic in verdict.outcome.findings:
        at, finding = _placed(diagnostic, verdict.snapshot)
        shared.setdefault(at, []).append(finding)
    for at, piece in enumerate(verdict.snapshot.pieces):
        piece.findings = shared.get(at, [])


def _placed(diagnostic: Diagnostic, snapshot: Snapshot) -> tuple[int, Finding]:
    """The piece that a diagnostic is about, and the finding there; one in an included file is at its directive."""
    span = diagnostic.span
    if span is None:
        return 0, Finding(diagnostic, 0, 0)
    if span.source.name == snapshot.path:
        at = snapshot.places.at_offset(span.start)
        start = snapshot.places.starts[at]
        return at, Finding(diagnostic, span.start - start, span.end - start)
    at = next((at for at, piece in enumerate(snapshot.pieces) if piece.includes), 0)
    text = snapshot.pieces[at].text if snapshot.pieces else ""
    located = replace(diagnostic, message=f"{span.source.name}:{span.line}: {diagnostic.message}")
    return at, Finding(located, len(text) - len(text.lstrip()), len(text))


def current(document: Document) -> Iterator[tuple[int, Finding]]:
    """Yield all findings with the offset of their segment."""
    for at, piece in enumerate(document.pieces):
        if piece.findings is None:
            piece.findings = piece.errors()
            if piece in document.edited:
                piece.findings += check_alone(document, piece)
        for finding in piece.findings:
            yield document.places.starts[at], finding


def check_alone(document: Document, piece: Piece) -> list[Finding]:
    """The findings about the clauses of one segment, given the declarations of the relations that they use."""
    program = piece.program
    if document.whole or program.components or program.instances or not (program.rules or program.facts):
        return []
    if any("." in s.name for s in piece.symbols if s.kind == RELATION):
        return []  # a part of an instance, which only exists in the whole text
    surroundings = _surroundings(document)
    alone = replace(
        program,
        declarations=(*program.declarations, *declarations(document, piece)),
        types=surroundings.types,
        functors=surroundings.functors,
        pragmas=surroundings.pragmas,
    )
    try:
        found = examine_program(alone, known=_arities(document, piece))[1]
    except TidelogError:  # the check of the whole text reports it
        return []
    return [
        Finding(each, each.span.start, each.span.end)
        for each in found
        if each.code.startswith(_ALONE) and each.span is not None and each.span.source is piece.reading.source
    ]


def _surroundings(document: Document) -> Program:
    """The types, functors and options of the text."""
    parts = [piece.program for piece in document.pieces if any(word in piece.text for word in _WITH_TYPES)]
    return Program(
        types=tuple(item for part in parts for item in part.types),
        functors=tuple(item for part in parts for item in part.functors),
        pragmas=tuple(item for part in parts for item in part.pragmas),
    )


def declarations(document: Document, piece: Piece) -> Iterable[Declaration]:
    """The declarations of the relations that a segment mentions, from other segments."""
    names = {symbol.name for symbol in piece.symbols if symbol.kind == RELATION}
    holders = {holder for name in names for holder in document.names().get(name, ()) if holder is not piece}
    return (item for holder in holders for item in holder.program.declarations if item.relation in names)


def _arities(document: Document, piece: Piece) -> dict[str, int]:
    """The column counts of relations that other segments derive; in Soufflé's convention, declarations decide."""
    if document.convention == SOUFFLE:
        return {}
    names = {symbol.name for symbol in piece.symbols if symbol.kind == RELATION}
    holders = (next((each for each in document.names().get(name, ()) if each is not piece), None) for name in names)
    programs = [holder.program for holder in holders if holder is not None]
    heads = [rule.head for program in programs for rule in program.rules]
    heads += [fact.atom for program in programs for fact in program.facts]
    return {head.predicate: len(head.args) for head in heads if head.predicate in names}
