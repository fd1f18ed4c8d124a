"""Errors as answers: a status of HTTP and one shape of JSON.

Law: every error of Tidelog's has its code, its words and its hint in the answer; anything else is a defect, of which
the answer says no more than that.
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
from tidelog.serve.proofs import violations_json
from tidelog.serve.serve_failures import STATUSES
from tidelog.store.base.store_failures import CHANGES_NOT_KEPT, EPOCH_NOT_KEPT
from tidelog.why.errors import NotTrueError

_BY_CODE = {
    **STATUSES,
    UNKNOWN_RELATION.code: 404,
    UNKNOWN_LABEL.code: 404,
    CLOSED.code: 503,
    CHANGES_NOT_KEPT.code: 410,
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
    known = _BY_CODE.get(error.code)
    return known or next((status for kind, status in _BY_CLASS if isinstance(error, kind)), 400)


def error_json(error: TidelogError) -> dict[str, Any]:
    """The response body of an error."""
    findings = [diagnostic_json(found) for found in error.diagnostics] if isinstance(error, ProgramError) else []
    told: dict[str, Any] = {
        "code": error.code,
        "kind": type(error).__name__,
        "message": str(error),
        "notes": [error.note] if error.note else [],
        "hint": error.hint,
        "where": findings[0]["where"] if findings else None,
    }
    if findings:
        told["diagnostics"] = findings
    if isinstance(error, ConstraintError):
        told |= {"violations": violations_json(error.violations), "causes": list(error.causes)}
    return {"error": told}


def diagnostic_json(found: Diagnostic) -> dict[str, Any]:
    """A finding about a program."""
    where = None
    if found.span is not None:
        where = {"line": found.span.line, "column": found.span.column, "text": found.span.text}
    return {
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        "notes": [found.note] if found.note else [],
        "hint": found.hint,
        "where": where,
    }
