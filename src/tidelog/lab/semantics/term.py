"""The value of a term under a binding of variables, and the comparisons of a rule's body.

Law: functions mean what `program.functions` says; the type of an argument is read off its value (an int is a number,
unless it is tagged as a date, a timestamp or a boolean). An equation with one unbound side binds it; `solve` runs every
guard as soon as its variables have values, so the order in which a body is written does not matter.
Atoms are matched in `delta`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from tidelog.lab.semantics.semantics_failures import NO_FUNCTION
from tidelog.program import Boolean, Call, Comparison, Const, Term, Value, Var, variables
from tidelog.program.functions.calendar import tag_of, tagged
from tidelog.program.functions.table import Function, holds, resolve

Binding: TypeAlias = Mapping[str, Value]
Guard: TypeAlias = Comparison | Boolean


def type_of(value: Value) -> str:
    """The name of a value's type.

    >>> type_of(1), type_of(1.5), type_of("a"), type_of(())
    ('number', 'float', 'symbol', 'list')
    """
    if isinstance(value, tuple):
        return "list"
    if isinstance(value, str | float):
        return "symbol" if isinstance(value, str) else "float"
    return tag_of(value) or "number"


def evaluate(term: Term, binding: Binding) -> Value:
    """The value of a term all of whose variables are bound.

    >>> evaluate(Call("+", (Var("X"), Const(1, "number"))), {"X": 2})
    3
    """
    if isinstance(term, Const):
        return tagged(term.value, term.type)
    if isinstance(term, Var):
        return binding[term.name]
    assert isinstance(term, Call), "wildcards and aggregates have no value of their own"
    function, args = _function(term, binding)
    return tagged(function.evaluate(*args), function.result)


def _function(call: Call, binding: Binding) -> tuple[Function, list[Value]]:
    args = [evaluate(arg, binding) for arg in call.args]
    types = [type_of(arg) for arg in args]
    function = resolve(call.function, types)
    if function is None:
        raise NO_FUNCTION.error(function=call.function, types=", ".join(types))
    return function, args


def solve(guards: Iterable[Guard], binding: Binding) -> Iterator[tuple[tuple[Guard, ...], Binding]]:
    """Run every guard that can be run; yields the guards still waiting with each binding that passes."""
    waiting = tuple(guards)
    for index, guard in enumerate(waiting):
        bindings = _run(guard, binding)
        if bindings is not None:
            rest = waiting[:index] + waiting[index + 1 :]
            for extended in bindings:
                yield from solve(rest, extended)
            return
    yield waiting, binding


def _run(guard: Guard, binding: Binding) -> Iterable[Binding] | None:
    """The bindings that pass the guard, or None when it has to wait."""
    if isinstance(guard, Boolean):
        return [binding] if guard.value else []
    left, right = _ready(guard.left, binding), _ready(guard.right, binding)
    if left and right:
        return _compare(guard, binding)
    if guard.op == "=" and right and isinstance(guard.left, Var):
        return [{**binding, guard.left.name: value} for value in _values(guard.right, binding)]
    if guard.op == "=" and left and isinstance(guard.right, Var):
        return [{**binding, guard.right.name: value} for value in _values(guard.left, binding)]
    return None


def _ready(term: Term, binding: Binding) -> bool:
    return all(var.name in binding for var in variables(term))


def _compare(guard: Comparison, binding: Binding) -> list[Binding]:
    lefts, rights = _values(guard.left, binding), _values(guard.right, binding)
    return [binding for a in lefts for b in rights if holds(guard.op, a, b, type_of(a))]


def _values(term: Term, binding: Binding) -> list[Value]:
    """The value of the term; the several values of a generator such as ``range``."""
    if not isinstance(term, Call):
        return [evaluate(term, binding)]
    function, args = _function(term, binding)
    found = list(function.evaluate(*args)) if function.generator else [function.evaluate(*args)]
    return [tagged(value, function.result) for value in found]
