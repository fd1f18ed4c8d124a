"""Checks of the arguments of calls.

Law: an argument of a kind that a call does not accept is refused by name before anything happens; a boolean is not a
number.
"""

from __future__ import annotations

import math

from tidelog.errors import EngineError
from tidelog.program.messages import program_failures as failures

SHOWN = 60


def must_be(value: object, kinds: type | tuple[type, ...], what: str, expected: str) -> None:
    """Refuse an argument that is not of one of these kinds.

    >>> must_be("reach", str, "name", "the name of a relation")
    >>> must_be(True, int, "since", "the number of an epoch")
    Traceback (most recent call last):
    tidelog.errors.EngineError: `since` must be the number of an epoch, not True (bool)
    """
    plain = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, plain) or (isinstance(value, bool) and bool not in plain):
        raise argument_error(value, what, expected)


def must_be_amount(value: object, what: str, expected: str, *, whole: bool = True) -> None:
    """Refuse everything except None and non-negative numbers."""
    must_be(value, (int, type(None)) if whole else (int, float, type(None)), what, expected)
    if isinstance(value, int | float) and not 0 <= value <= math.inf:
        raise argument_error(value, what, expected)


def argument_error(value: object, what: str, expected: str) -> EngineError:
    """The error for an argument that a call does not accept."""
    text = repr(value)
    shown = text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
    return failures.ARGUMENT.error(what=what, wanted=expected, found=f"{shown} ({type(value).__name__})")
