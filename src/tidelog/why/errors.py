"""Errors of questions about facts.

Law: `NotTrueError` is raised to the caller. `OutOfWorkError` ends a search inside this package; the answer then omits
what was not found.
"""

from __future__ import annotations

from tidelog.errors import EngineError, LimitError


class NotTrueError(EngineError):
    """A proof was requested for a fact that is not true."""


class OutOfWorkError(LimitError):
    """A question that would visit too many facts."""
