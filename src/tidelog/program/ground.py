"""The value of a term without variables.

Law: constants are themselves and functions are pure, so that a ground term has one value wherever it stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.program import failures
from tidelog.program.functions import Function, resolve
from tidelog.program.term import FLOAT, NUMBER, UNSIGNED, Call, Const, Term, Value


def ground_value(term: Term, functions: Mapping[str, tuple[Function, ...]]) -> tuple[Value, str]:
    """The value and the type of a term without variables."""
    if isinstance(term, Const):
        return term.value, term.type
    if not isinstance(term, Call):
        raise failures.FACT_VARIABLE.error()
    parts = [ground_value(arg, functions) for arg in term.args]
    for type_ in (NUMBER, FLOAT, UNSIGNED):  # an integer literal takes the type of its place
        typed = [_taking(arg, part, type_) for arg, part in zip(term.args, parts, strict=True)]
        function = resolve(term.function, [own for _, own in typed], functions)
        if function is not None:
            return function.evaluate(*(value for value, _ in typed)), function.result
    raise failures.NO_FUNCTION.error(name=term.function, types=", ".join(t for _, t in parts))


def _taking(arg: Term, part: tuple[Value, str], type_: str) -> tuple[Value, str]:
    if not isinstance(arg, Const) or arg.type != NUMBER or not isinstance(arg.value, int):
        return part
    return (float(arg.value) if type_ == FLOAT else arg.value), type_
