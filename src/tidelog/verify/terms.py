"""Types of variables, and terms as Python functions of registers.

Law: in a well-typed program a variable has one type wherever it occurs, so the overload of every function is known
before anything runs; if nothing else determines the type (an element of a list), the value does. The meaning of
functions is read from the table of the language, `program.functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tidelog.program import Aggregate, Call, Const, Path, Term, Value, Var
from tidelog.program.functions.arithmetic import RANGES
from tidelog.program.functions.table import Function, resolve
from tidelog.program.values.path import labels
from tidelog.program.values.term import AGGREGATE_RESULTS, FLOAT, LIST, NUMBER, SYMBOL, UNSIGNED
from tidelog.verify import verify_failures as failures
from tidelog.verify.normal import Absent, Choices, Fold, Item, RangeBinding, Scan, Test

Types = Mapping[str, str | None]
Schema = Mapping[str, Sequence[str | None]]
Overloads = Mapping[str, tuple[Function, ...]]
Registers = list[Any]
Evaluator = Callable[[Registers], Any]


def variable_types(items: Sequence[Item], outer: Types, schema: Schema, functions: Overloads) -> dict[str, str | None]:
    """The type of every variable of a conjunction: from columns, then along equations."""
    types = dict(outer)
    for item in items:
        if isinstance(item, Scan | Absent):
            for arg, type_ in zip(item.args, _column_types(item, schema), strict=False):
                if isinstance(arg, Var) and types.get(arg.name) is None:
                    types[arg.name] = type_
    while any(_spread(item, types, schema, functions) for item in items):
        pass
    return types


def _column_types(item: Scan | Absent, schema: Schema) -> Sequence[str | None]:
    return schema.get(item.source, ()) if isinstance(item.source, str) else _path_types(item.source, schema)


def _path_types(path: Path, schema: Schema) -> Sequence[str | None]:
    ends = [types for label in labels(path) if (types := schema.get(label.relation))]
    found = next((t for types in ends for t in (types[0], types[-1]) if t is not None), None)
    return (found, found)


def _spread(item: Item, types: dict[str, str | None], schema: Schema, functions: Overloads) -> bool:
    """Propagate types along one item; returns whether that determined a new one."""
    match item:
        case Test(op="=", left=left, right=right):
            sides = ((left, right), (right, left))
            return any(isinstance(a, Var) and _learn(a.name, term_type(b, types, functions), types) for a, b in sides)
        case RangeBinding(variable=name, values=values):
            return _learn(name, term_type(values, types, functions), types)
        case Fold(variable=name):
            return _learn(name, fold_type(item, types, schema, functions), types)
    return False


def _learn(name: str, type_: str | None, types: dict[str, str | None]) -> bool:
    if type_ is None or types.get(name) is not None:
        return False
    types[name] = type_
    return True


def fold_type(item: Fold, types: Types, schema: Schema, functions: Overloads) -> str | None:
    """The type of an aggregate's result."""
    return aggregate_type(item.aggregate, item.body, types, schema, functions)


def aggregate_type(
    aggregate: Aggregate, body: Choices, types: Types, schema: Schema, functions: Overloads
) -> str | None:
    """The type of the result of an aggregate over a body."""
    if aggregate.kind == "count":
        return NUMBER
    if aggregate.kind in AGGREGATE_RESULTS:
        return AGGREGATE_RESULTS[aggregate.kind]
    for items in body.alternatives:
        inner = variable_types(items, types, schema, functions)
        found = term_type(aggregate.measured[0], inner, functions) if aggregate.measured else None
        if found is not None:
            return found
    return None


def term_type(term: Term, types: Types, functions: Overloads) -> str | None:
    """The type of a scalar term, None while it is unknown."""
    match term:
        case Const(type=type_):
            return type_
        case Var(name=name):
            return types.get(name)
        case Call(function=name, args=args):
            function = resolve(name, [term_type(a, types, functions) or "any" for a in args], functions)
            return None if function is None or function.result == "any" else function.result
    return None


def compile_term(term: Term, slots: Mapping[str, int], types: Types, functions: Overloads) -> Evaluator:
    """The term as a function of registers."""
    match term:
        case Const(value=value):
            return lambda _: value
        case Var(name=name):
            slot = slots[name]
            return lambda registers: registers[slot]
        case Call(function=name, args=args):
            parts = [compile_term(arg, slots, types, functions) for arg in args]
            known = [term_type(arg, types, functions) for arg in args]
            return _application(name, parts, known, functions)
    raise failures.NOT_SCALAR.error(term=term)


def _application(name: str, parts: Sequence[Evaluator], known: Sequence[str | None], functions: Overloads) -> Evaluator:
    if None not in known:
        apply = _overload(name, [type_ or "" for type_ in known], functions).evaluate
        if len(parts) == 2:
            first, second = parts
            return lambda registers: apply(first(registers), second(registers))
        return lambda registers: apply(*(part(registers) for part in parts))

    def by_value(registers: Registers) -> Any:
        values = [part(registers) for part in parts]
        types = [type_ or type_of(value) for type_, value in zip(known, values, strict=True)]
        return _overload(name, types, functions).evaluate(*values)

    return by_value


def _overload(name: str, types: Sequence[str], functions: Overloads) -> Function:
    function = resolve(name, types, functions)
    if function is None:
        raise failures.NO_OVERLOAD.error(name=name, types=", ".join(types))
    return function


def type_of(value: Value) -> str:
    """The type determined by a value itself."""
    if isinstance(value, int):
        return NUMBER if value <= RANGES[NUMBER][1] else UNSIGNED
    return FLOAT if isinstance(value, float) else SYMBOL if isinstance(value, str) else LIST


def all_items(body: Choices) -> Iterator[Item]:
    """Every item of a body, including those of aggregated bodies."""
    for item in (item for conjunction in body.alternatives for item in conjunction):
        yield item
        if isinstance(item, Fold):
            yield from all_items(item.body)


def called(terms: Iterable[Term]) -> Iterator[str]:
    """The functions that terms apply."""
    for term in terms:
        if isinstance(term, Call):
            yield term.function
            yield from called(term.args)
