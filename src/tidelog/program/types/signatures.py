"""Overloads: the signatures of a function that still fit, and what they already agree on.

Law: the signatures of one name and number of arguments are summed up once: positions that have the same type in all
of them are known at every use, positions that have equal types within each of them share a class at every use
(`+` takes two values of one type and returns a third). What then remains open waits until more types are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tidelog.program.functions.table import ANY, Function
from tidelog.program.types.arity import takes
from tidelog.program.types.unify import OPEN
from tidelog.program.values.shape import Shape


@dataclass(frozen=True, slots=True)
class Signature:
    """The overloads of one name at one number of arguments; the result is the position after the last argument."""

    overloads: tuple[tuple[str, ...], ...]
    fixed: tuple[tuple[int, str], ...]
    linked: tuple[tuple[int, int], ...]

    @property
    def settled(self) -> bool:
        """Whether the types of every use are known without examining its arguments."""
        return len(self.overloads) == 1

    def fitting(self, types: Sequence[str | None]) -> list[tuple[str, ...]]:
        """The overloads that agree with what is known of the arguments and the result.

        >>> plus = Signature((("number",) * 3, ("float",) * 3), (), ())
        >>> plus.fitting([None, "float", None])
        [('float', 'float', 'float')]
        """
        return [o for o in self.overloads if all(fits(t, p) for t, p in zip(types, o, strict=True))]


def fits(known: str | None, param: str) -> bool:
    """Whether a place of this type (None: unknown) may meet the parameter."""
    return known is None or param in (ANY, known) or known == ANY or param in OPEN.get(known, ())


def summarize(functions: Iterable[Function], count: int) -> Signature | None:
    """The signature of functions of one name at this number of arguments; None if none of them accepts it."""
    overloads = [_positions(f, count) for f in functions if takes(f, count)]
    if not overloads:
        return None
    size = count + 1
    fixed = tuple(
        (i, overloads[0][i])
        for i in range(size)
        if overloads[0][i] != ANY and all(o[i] == overloads[0][i] for o in overloads)
    )
    known = {i for i, _ in fixed}
    linked = tuple(_link(i, overloads) for i in range(size) if i not in known)
    return Signature(tuple(overloads), fixed, tuple((i, j) for i, j in linked if i != j))


def _link(position: int, overloads: Sequence[tuple[str, ...]]) -> tuple[int, int]:
    """The position with the first one that has the same type in every overload."""
    for other in range(position):
        if all(o[other] == o[position] != ANY for o in overloads):
            return position, other
    return position, position


def _positions(function: Function, count: int) -> tuple[str, ...]:
    """The types of ``count`` arguments and of the result."""
    params = function.params
    if function.variadic:
        params = params[:-1] + params[-1:] * (count - len(params) + 1)
    return tuple(type_.name if isinstance(type_, Shape) else type_ for type_ in (*params, function.result))
