"""Arguments of calls: checked where they come in.

Law: an argument of another kind than a call accepts is refused by name before anything happens; a boolean is not a
number.
"""

from __future__ import annotations

import math

from tidelog.errors import EngineError
from tidelog.program.messages import program_failures as failures

SHOWN = 60


def must_be(value: object, kinds: type | tuple[type, ...], what: str, expected: str) -> None:
    """Refuse an argument that is of none of the kinds.

    >>> must_be("reach", str, "name", "the name of a relation")
    >>> must_be(True, int, "since", "the number of an epoch")
    Traceback (most recent call last):
    tidelog.errors.EngineError: `since` must be the number of an epoch, not True (bool)
    """
    plain = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, plain) or (isinstance(value, bool) and bool not in plain):
        raise argument_error(value, what, expected)


def must_be_amount(value: object, what: str, expected: str, *, whole: bool = True) -> None:
    """Refuse what is neither None nor a number that is not negative."""
    must_be(value, (int, type(None)) if whole else (int, float, type(None)), what, expected)
    if isinstance(value, int | float) and not 0 <= value <= math.inf:
        raise argument_error(value, what, expected)


def argument_error(value: object, what: str, expected: str) -> EngineError:
    """The error for an argument that a call does not take."""
    text = repr(value)
    shown = text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
    return failures.ARGUMENT.error(what=what, wanted=expected, found=f"{shown} ({type(value).__name__})")
