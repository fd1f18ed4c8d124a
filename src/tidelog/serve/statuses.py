"""Errors as responses: an HTTP status and one shape of JSON.

Law: the response for a Tidelog error has its code, message and hint; any other exception is a defect, of which
the response reveals nothing.
"""

from __future__ import annotations

from typing import Any

from tidelog.engine.base.engine_failures import CLOSED, UNKNOWN_RELATION
from tidelog.errors import (
    ConstraintError,
    DataError,
    Diagnostic,
    EvaluationError,
    LimitError,
    ProgramError,
    StateError,
    TidelogError,
)
from tidelog.plan.plan_failures import UNKNOWN_LABEL
from tidelog.serve.proofs import violations_json, without_rows
from tidelog.serve.serve_failures import STATUSES
from tidelog.store.base.store_failures import CHANGES_NOT_KEPT, COLUMNS_CHANGED, EPOCH_NOT_KEPT
from tidelog.why.errors import NotTrueError

_BY_CODE = {
    **STATUSES,
    UNKNOWN_RELATION.code: 404,
    UNKNOWN_LABEL.code: 404,
    CLOSED.code: 503,
    CHANGES_NOT_KEPT.code: 410,
    COLUMNS_CHANGED.code: 410,
    EPOCH_NOT_KEPT.code: 410,
}
_BY_CLASS: tuple[tuple[type[TidelogError], int], ...] = (
    (NotTrueError, 404),
    (ConstraintError, 409),
    (ProgramError, 400),
    (DataError, 400),
    (EvaluationError, 422),
    (LimitError, 422),
    (StateError, 503),
)


def status_of(error: TidelogError) -> int:
    """The HTTP status of an error."""
    by_code = _BY_CODE.get(error.code)
    return by_code or next((status for kind, status in _BY_CLASS if isinstance(error, kind)), 400)


def error_json(error: TidelogError, *, hide_rows: bool = False) -> dict[str, Any]:
    """The response body of an error; ``hide_rows``: without the rows and proofs of violations."""
    findings = [diagnostic_json(finding) for finding in error.diagnostics] if isinstance(error, ProgramError) else []
    content: dict[str, Any] = {
        "code": error.code,
        "kind": type(error).__name__,
        "message": str(error),
        "notes": [error.note] if error.note else [],
        "hint": error.hint,
        "where": findings[0]["where"] if findings else None,
    }
    if findings:
        content["diagnostics"] = findings
    if isinstance(error, ConstraintError):
        content |= {"violations": violations_json(error.violations), "causes": list(error.causes)}
        if hide_rows:
            hidden = without_rows(error.violations)
            message = "\n".join(map(str, hidden))
            content |= {"message": message, "violations": violations_json(hidden), "causes": []}
    return {"error": content}


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A finding about a program as JSON."""
    where = None
    if diagnostic.span is not None:
        where = {"line": diagnostic.span.line, "column": diagnostic.span.column, "text": diagnostic.span.text}
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "notes": [diagnostic.note] if diagnostic.note else [],
        "hint": diagnostic.hint,
        "where": where,
    }
