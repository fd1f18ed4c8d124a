"""The value of a term without variables.

Law: constants are themselves and functions are pure, so that a ground term has one value wherever it stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.program import failures
from tidelog.program.functions import Function, resolve
from tidelog.program.term import Call, Const, Term, Value


def ground_value(term: Term, functions: Mapping[str, tuple[Function, ...]]) -> tuple[Value, str]:
    """The value and the type of a term without variables."""
    if isinstance(term, Const):
        return term.value, term.type
    if not isinstance(term, Call):
        raise failures.FACT_VARIABLE.error()
    parts = [ground_value(arg, functions) for arg in term.args]
    function = resolve(term.function, [type_ for _, type_ in parts], functions)
    if function is None:
        raise failures.NO_FUNCTION.error(name=term.function, types=", ".join(t for _, t in parts))
    return function.evaluate(*(value for value, _ in parts)), function.result
