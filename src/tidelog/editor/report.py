"""Findings as editors show them.

Law: every part of a diagnostic is kept: code, message, note, hint, other places, and whether it is a warning.
"""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls import uris

from tidelog.editor.check import current
from tidelog.editor.document import Document, Finding
from tidelog.errors import Span

_UNUSED = "TL702"


def diagnostics_of(document: Document) -> list[lsp.Diagnostic]:
    """Every finding about the current document."""
    return [to_lsp(document, base, finding) for base, finding in current(document)]


def to_lsp(document: Document, base: int, finding: Finding) -> lsp.Diagnostic:
    """Convert a finding whose segment begins at an offset."""
    found = finding.diagnostic
    lines = [found.message, *(f"note: {found.note}" for _ in [0] if found.note)]
    lines += [f"hint: {found.hint}"] if found.hint else []
    severity = lsp.DiagnosticSeverity.Error if found.severity == "error" else lsp.DiagnosticSeverity.Warning
    return lsp.Diagnostic(
        document.positions.range(base + finding.start, base + finding.end),
        "\n".join(lines),
        severity=severity,
        code=found.code,
        source="tidelog",
        tags=[lsp.DiagnosticTag.Unnecessary] if found.code == _UNUSED else None,
        related_information=[
            lsp.DiagnosticRelatedInformation(_location(document, base, finding, span), text)
            for text, span in found.related
        ]
        or None,
    )


def _location(document: Document, base: int, finding: Finding, span: Span) -> lsp.Location:
    """Another place of a finding: in its segment, in the whole text, or in an included file."""
    own = finding.diagnostic.span
    if own is not None and span.source is own.source:
        start = base + finding.start + span.start - own.start
        return lsp.Location(document.uri, document.positions.range(start, start + span.end - span.start))
    first = lsp.Position(span.line - 1, span.column - 1)
    last = lsp.Position(span.line - 1, span.column - 1 + span.end - span.start)
    return lsp.Location(uris.from_fs_path(span.source.name) or document.uri, lsp.Range(first, last))
