"""The functions of the language: their signatures, their meaning on Python values, and the order of values.

Law: a function is pure; its name and the types of its arguments choose one `Function`, and equal arguments always
give equal results (or the same `EvaluationError`). Types correspond to Python as follows: number and unsigned are
int, float is float, symbol is str, list is tuple; boolean, date and timestamp are the ints of `calendar`. The type
checks, the naive evaluator and the engine all read this one table; the engine's compiled arithmetic is tested against
it.
Not included are aggregates (they are not functions of their arguments) and the notation of functions (`syntax`).
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Any

from tidelog.program.functions import (
    addresses,
    arithmetic,
    calendar,
    hashes,
    json_text,
    lists,
    rdf,
    regex,
    sparql,
    text,
    windows,
)
from tidelog.program.functions.arguments import argument_error, must_be
from tidelog.program.functions.column_functions import column_of, listed_results
from tidelog.program.functions.lists import same
from tidelog.program.functions.structure_signatures import MisfitError, StructureSignature, present
from tidelog.program.messages import program_failures as failures
from tidelog.program.values import structure
from tidelog.program.values.shape import Shape, same_parts, shapes_in
from tidelog.program.values.structure import is_loose, is_structural, physical
from tidelog.program.values.term import (
    BOOLEAN,
    DATE,
    FLOAT,
    LIST,
    NUMBER,
    RECORD,
    SYMBOL,
    TIMESTAMP,
    UNSIGNED,
    Value,
    canonical_float,
)

ANY = "any"
WRAP = "wrap "  # begins the names of functions that wrap around; it cannot be written in a text
INTEGERS = (NUMBER, UNSIGNED)
NUMERIC = (NUMBER, UNSIGNED, FLOAT)
PARAMETERS = frozenset((*NUMERIC, SYMBOL, LIST, ANY))  # of user functions, with records and variants
NO_PARAMETERS = frozenset((DATE, TIMESTAMP, BOOLEAN))
_TYPE_NAME = re.compile(r"'?[^\W\d][\w.?]*|\?[\w.?]*")
ORDERED_TYPES = frozenset({NUMBER, UNSIGNED, FLOAT, SYMBOL, BOOLEAN, DATE, TIMESTAMP})


@dataclass(frozen=True, slots=True)
class Function:
    """One overload of a function.

    ``params`` and ``result`` name types; ``any`` fits every type. If ``variadic``, the last parameter matches any
    number of arguments, including none. A ``generator`` returns an iterable of values instead of one (``range``).
    ``version`` distinguishes meanings of one name over time (D13); built-in functions stay at 1. ``evaluate_all`` is
    the same for a column of each argument and a number of rows, if a user's function takes columns; it raises an error
    if a row fails. A user's function on records or variants has ``structures``; until a program determines what its
    names of types mean, they are among ``params`` (`bind_types`).
    """

    name: str
    params: tuple[str, ...]
    result: str
    evaluate: Callable[..., Any] = field(repr=False)
    variadic: bool = False
    version: str = "1"
    generator: bool = False
    python: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    evaluate_all: Callable[[Sequence[Sequence[Value]], int], list[Value]] | None = field(
        default=None, compare=False, repr=False
    )
    structures: StructureSignature | None = field(default=None, compare=False, repr=False)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """What the function returns in Python: that of a user is called as it was written."""
        return (self.python or self.evaluate)(*args, **named)

    def accepts(self, arg_types: Sequence[str]) -> bool:
        """Whether arguments of these types fit the parameters; an argument of type ``any`` fits all of them.

        >>> FUNCTIONS["cat"][0].accepts(("symbol", "symbol", "symbol"))
        True
        """
        params = self.params
        if self.variadic:
            params = params[:-1] + params[-1:] * (len(arg_types) - len(params) + 1)
        return params == arg_types or (
            len(params) == len(arg_types)
            and all(param == arg or ANY in (param, arg) for param, arg in zip(params, arg_types, strict=True))
        )


class Functions(Mapping[str, tuple[Function, ...]]):
    """An immutable set of functions: each name with its overloads, in the order in which they are tried."""

    def __init__(self, functions: Iterable[Function] = ()) -> None:
        self._overloads: dict[str, tuple[Function, ...]] = {}
        for function in functions:
            self._overloads[function.name] = (*self._overloads.get(function.name, ()), function)

    def __getitem__(self, name: str) -> tuple[Function, ...]:
        return self._overloads[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._overloads)

    def __len__(self) -> int:
        return len(self._overloads)

    def __hash__(self) -> int:
        return hash(frozenset(self._overloads.items()))

    def with_function(self, function: Function) -> Functions:
        """These functions and one more user function, which replaces one of the same name and parameters.

        >>> twice = user_function("twice", ("number",), "number")(lambda x: 2 * x)
        >>> "twice" in FUNCTIONS.with_function(twice), "twice" in FUNCTIONS
        (True, False)
        """
        if function.name in FUNCTIONS:
            raise failures.BUILT_IN.error(name=function.name)
        _check_overloads(function, self.get(function.name, ()))
        kept = (f for fs in self.values() for f in fs if (f.name, f.params) != (function.name, function.params))
        return Functions((*kept, function))

    def with_functions(self, functions: Iterable[Function]) -> Functions:
        """These functions and some more user functions."""
        return reduce(Functions.with_function, functions, self)


def user_function(
    name: str, params: Sequence[str], result: str, version: str = "1", *, columns: bool = False
) -> Callable[[Callable[..., Any]], Function]:
    """Declare a pure Python function for use in rules; use it as a decorator.

    Types are base types, list, any, or record and algebraic types of the program (`structure_signatures`).
    The result is registered with `Engine(functions=[...])` and can still be called from Python. Exceptions in the
    function, and results that do not have the declared type, are raised as `EvaluationError`. With ``columns`` it is
    called with a column of values for each parameter, and returns a column of results (`column_functions`).

    >>> @user_function("half", ("number",), "number", version="2")
    ... def half(x):
    ...     return x // 2
    >>> half(7), half.version
    (3, '2')
    >>> @user_function("twice", ("number",), "number", columns=True)
    ... def twice(x):
    ...     return 2 * x
    >>> twice.evaluate(21)
    42
    """
    _check_declaration(name, params, result, version)
    must_be(columns, bool, "columns", "True if the function takes columns")
    unknown = sorted(t for t in {*params, result} if t in NO_PARAMETERS or not _TYPE_NAME.fullmatch(t))
    if unknown or not name.isidentifier():
        what = f"unknown types {unknown}" if unknown else "its name is not an identifier"
        raise failures.NOT_REGISTERED.error(name=name, what=what)

    def declare(python: Callable[..., Any]) -> Function:
        if not callable(python):
            raise argument_error(python, "function", "a Python function")
        return _python_function(python, name, tuple(params), result, version, columns=columns)

    return declare


def _python_function(
    python: Callable[..., Any], name: str, params: tuple[str, ...], result: str, version: str, *, columns: bool
) -> Function:
    signature = StructureSignature(params, result)
    has_structures = any(isinstance(type_, Shape) for type_ in (*params, result))

    def results(given: Sequence[Sequence[Value]], rows: int) -> Sequence[object]:
        return listed_results(python(*map(column_of, given, params)), rows)

    def evaluate(*args: Value) -> Value:
        given = signature.arguments(args) if has_structures else args
        try:
            value = results([[arg] for arg in given], 1)[0] if columns else python(*given)
        except Exception as error:
            raise failures.FUNCTION_FAILED.error(
                name=name, args=args, kind=type(error).__name__, error=error
            ) from error
        return admit(value, signature.result, name)

    def evaluate_all(given: Sequence[Sequence[Value]], rows: int) -> list[Value]:
        return [admit(value, signature.result, name) for value in results(given, rows)]

    every = evaluate_all if columns else None
    structures = signature if has_structures else None
    return Function(name, params, result, evaluate, False, version, False, python, every, structures)


def bind_types(function: Function, meaning: Callable[[str], str | None]) -> Function:
    """A user's function with the types behind the names that it is declared with; `EngineError` if one is unknown."""
    names = (*function.params, function.result)
    if function.python is None or PARAMETERS.issuperset(names):
        return function
    types = {name: name if name in PARAMETERS else meaning(name) or "" for name in names}
    unknown = sorted(name for name, type_ in types.items() if not isinstance(type_, Shape) and type_ not in PARAMETERS)
    shapes = shapes_in(types.values()).values()
    fields = ((shape, part) for shape in shapes for parts in shape.constructors.values() for part in parts)
    refused = [f"`{part.name}` of {shape} is a {part.type}" for shape, part in fields if part.type in NO_PARAMETERS]
    if unknown or refused:
        what = f"unknown types {unknown}" if unknown else f"{refused[0]}, which user functions do not take or return"
        raise failures.NOT_REGISTERED.error(name=function.name, what=what)
    *params, result = (types[name] for name in names)
    columns = function.evaluate_all is not None
    return _python_function(function.python, function.name, tuple(params), result, function.version, columns=columns)


def strange_type(function: Function, shapes: Mapping[str, Shape]) -> str | None:
    """A type of a user's function that is not among the shapes of a program in the same form; None if all are."""
    types = function.structures or (function.params, function.result)
    for type_ in (*types[0], types[1]):
        shape = shapes.get(type_.name) if isinstance(type_, Shape) else None
        if type_ not in PARAMETERS and (shape is None or not isinstance(type_, Shape) or not same_parts(type_, shape)):
            return type_.name if isinstance(type_, Shape) else type_
    return None


def _check_overloads(function: Function, others: Iterable[Function]) -> None:
    """Refuse two functions that differ only in which structures they take or return: their cells have one type."""
    params = tuple(map(repr, function.params))
    if any(other.params == function.params and tuple(map(repr, other.params)) != params for other in others):
        what = "functions of one name differ only in their record types; give each of them its own name"
        raise failures.NOT_REGISTERED.error(name=function.name, what=what)


def _check_declaration(name: object, params: object, result: object, version: object) -> None:
    must_be(name, str, "name", "the name of a function")
    must_be(params, (tuple, list), "params", "the types of the arguments, such as ('number',)")
    for type_ in (*params, result):  # type: ignore[misc]  # checked above
        must_be(type_, str, "params and result", "the names of types, such as 'number'")
    must_be(version, str, "version", "a text")


def admit(value: object, type_: str, where: str) -> Value:
    """A Python value as a value of the type, in canonical form; an error names ``where`` it came from.

    >>> admit(1, "float", "p"), admit([1, [True]], "list", "p")
    (1.0, (1, (1,)))
    """
    if isinstance(value, float) and type_ in (FLOAT, ANY):
        return canonical_float(value)
    if isinstance(value, int) and type_ == FLOAT and abs(value) < 2**1023:
        return canonical_float(float(value))
    if isinstance(value, int) and type_ not in (FLOAT, SYMBOL, LIST):
        return arithmetic.in_range(
            int(value), UNSIGNED if type_ == UNSIGNED or (type_ == ANY and value > 0) else NUMBER
        )
    if isinstance(value, str) and type_ in (SYMBOL, ANY):
        return value
    if isinstance(value, tuple | list) and type_ in (LIST, ANY):
        return tuple(admit(element, ANY, where) for element in value)
    if isinstance(type_, Shape):
        try:
            found: Value = present(value, type_, lambda part, part_type: admit(part, part_type, where))
            return found
        except MisfitError as error:
            value, type_ = error.args
    raise failures.RESULT_TYPE.error(where=where, value=value, type=type_)


def resolve(
    name: str, arg_types: Sequence[str], functions: Mapping[str, tuple[Function, ...]] | None = None
) -> Function | None:
    """The first overload that accepts the types, or None: so an argument of type ``any`` counts as a number if it may.

    >>> resolve("+", ("float", "float")).result
    'float'
    >>> resolve("+", ("float", "symbol")) is None
    True
    """
    if is_structural(name):
        return _structural(name, len(arg_types))
    overloads = (FUNCTIONS if functions is None else functions).get(name, ())
    return next((function for function in overloads if function.accepts(arg_types)), None)


def resolve_value_types(
    name: str, arg_types: Sequence[str], functions: Mapping[str, tuple[Function, ...]]
) -> Function | None:
    """As `resolve`, for the types of values themselves: a tuple that counts as a list may be a record, too."""
    found = resolve(name, arg_types, functions)
    if found is not None or LIST not in arg_types:
        return found
    overloads = [function for function in functions.get(name, ()) if function.structures is not None]
    return next((f for f in overloads if f.accepts(_as_records(arg_types, f.params))), None)


def _as_records(arg_types: Sequence[str], params: Sequence[str]) -> tuple[str, ...]:
    if len(arg_types) != len(params):
        return tuple(arg_types)
    return tuple(
        RECORD if param == RECORD and arg == LIST else arg for arg, param in zip(arg_types, params, strict=True)
    )


@lru_cache(maxsize=10_000)
def _structural(name: str, count: int) -> Function:
    """The function that makes, reads or tests a record or a variant; a loose constructor accepts any types."""
    if is_loose(name):
        return Function(name, (ANY,) * count, RECORD, lambda *args: structure.evaluate(name, args))
    params, result = structure.signature(name)
    types = tuple(map(physical, params))
    return Function(name, types, physical(result), lambda *args: structure.evaluate(name, args))


def compare(left: Value, right: Value, type_: str) -> int:
    """-1, 0 or 1: the order of two values of one ordered type; NaN is last, symbols go by code points (D11).

    >>> compare("Z", "a", "symbol"), compare(2.0, float("nan"), "float")
    (-1, -1)
    """
    if type_ not in ORDERED_TYPES:
        raise failures.NO_ORDER.error(type=type_)
    return order_of(left, right)


def order_of(left: Value, right: Value) -> int:
    """-1, 0 or 1 for two values of one type, lists included: the order of witnesses (`lists.list_order`)."""
    a, b = order_key(left), order_key(right)
    return int(a > b) - int(a < b)


def order_key(value: Value) -> Any:
    """A key by which values of one type sort."""
    if isinstance(value, tuple):
        return lists.list_order(value)
    return arithmetic.float_order(value) if isinstance(value, float) else value


def display_key(value: Any, type_: str | None) -> Any:
    """A key that sorts values of one column for display; structures, which have no order, sort by their text."""
    return repr(value) if isinstance(type_, Shape) else order_key(value)


def holds(op: str, left: Value, right: Value, type_: str) -> bool:
    """Whether ``left op right`` for one of the six comparisons.

    >>> holds("!=", (1,), (1.0,), "list"), holds("<=", 2, 2, "number")
    (True, True)
    """
    if op in ("=", "!="):
        return same(left, right) == (op == "=")
    return bool(_ORDERINGS[op](compare(left, right, type_), 0))


_ORDERINGS: Mapping[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _checked(type_: str, integer: Callable[..., int]) -> Callable[..., int]:
    """The operation, which raises an error if the result is outside the type."""
    return lambda *args: arithmetic.in_range(integer(*args), type_)


def _wrapped(type_: str, bits: Callable[..., int]) -> Callable[..., int]:
    """The operation on 64 bits."""
    return lambda *args: arithmetic.wrap(bits(*args), type_)


def _canonical(real: Callable[..., float]) -> Callable[..., float]:
    return lambda *args: canonical_float(real(*args))


_INTEGER_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": arithmetic.divide,
    "%": arithmetic.remainder,
    "^": arithmetic.power,
}
_FLOAT_OPERATIONS: Mapping[str, Callable[[float, float], float]] = {
    "+": _canonical(operator.add),
    "-": _canonical(operator.sub),
    "*": _canonical(operator.mul),
    "/": arithmetic.divide_floats,
    "^": arithmetic.power_floats,
}
_BIT_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "band": operator.and_,
    "bor": operator.or_,
    "bxor": operator.xor,
    "bshl": arithmetic.shift_left,
    "bshr": arithmetic.shift_right,
    "bshru": arithmetic.shift_right_filling_zeros,
    "land": lambda a, b: int(a != 0 and b != 0),
    "lor": lambda a, b: int(a != 0 or b != 0),
    "lxor": lambda a, b: int((a != 0) != (b != 0)),
}


def _operators() -> Iterator[Function]:
    for t in INTEGERS:
        for name, integer in _INTEGER_OPERATIONS.items():
            yield Function(name, (t, t), t, _checked(t, integer))
        for name, bits in _BIT_OPERATIONS.items():
            yield Function(name, (t, t), t, _wrapped(t, bits))
        yield Function("-", (t,), t, _checked(t, operator.neg))
        yield Function("bnot", (t,), t, _wrapped(t, operator.invert))
        yield Function("lnot", (t,), t, lambda a: int(a == 0))
    for name, real in _FLOAT_OPERATIONS.items():
        yield Function(name, (FLOAT, FLOAT), FLOAT, real)
    yield Function("-", (FLOAT,), FLOAT, _canonical(operator.neg))
    yield Function("+", (SYMBOL, SYMBOL), SYMBOL, text.concatenate)


_WRAPPED = ("+", "-", "*", "/", "^", "to_number", "utoi", "to_unsigned", "itou")


def _wrapping(functions: Iterable[Function]) -> Iterator[Function]:
    """Arithmetic that wraps around outside the integers, under names that cannot be written in a text (`wrap`)."""
    integers = {**_INTEGER_OPERATIONS, "^": arithmetic.power_wrapped}
    for function in functions:
        if function.name not in _WRAPPED:
            continue
        evaluate, own = function.evaluate, function.result
        if own in INTEGERS and set(function.params) <= set(INTEGERS):
            unary = len(function.params) == 1
            operation = (operator.neg if function.name == "-" else int) if unary else integers[function.name]
            evaluate = _wrapped(own, operation)
        yield replace(function, name=f"{WRAP}{function.name}", evaluate=evaluate)


def _least_and_greatest() -> Iterator[Function]:
    for t in (*NUMERIC, SYMBOL, DATE, TIMESTAMP):
        for name in ("min", "least"):
            yield Function(name, (t, t, t), t, lambda *args: min(args, key=order_key), variadic=True)
        for name in ("max", "greatest"):
            yield Function(name, (t, t, t), t, lambda *args: max(args, key=order_key), variadic=True)


def _rounding() -> Iterator[Function]:
    yield Function("abs", (NUMBER,), NUMBER, _checked(NUMBER, abs))
    yield Function("abs", (UNSIGNED,), UNSIGNED, abs)
    yield Function("abs", (FLOAT,), FLOAT, _canonical(abs))
    yield Function("round", (FLOAT,), FLOAT, arithmetic.round_half_away)
    yield Function("round", (FLOAT, NUMBER), FLOAT, arithmetic.round_half_away)
    yield Function("floor", (FLOAT,), FLOAT, arithmetic.round_down)
    yield Function("ceil", (FLOAT,), FLOAT, arithmetic.round_up)


def _ranges() -> Iterator[Function]:
    for t in NUMERIC:
        yield Function("range", (t, t), t, _default_range, generator=True)
        yield Function("range", (t, t, t), t, arithmetic.count_up_or_down, generator=True)


def _default_range(first: int | float, end: int | float) -> Iterator[int | float]:
    return arithmetic.count_up_or_down(first, end, arithmetic.default_step(first, end))


def _conversions() -> Iterator[Function]:
    to_number, to_unsigned = _checked(NUMBER, int), _checked(UNSIGNED, int)
    float_to_number, float_to_unsigned = _checked(NUMBER, arithmetic.truncate), _checked(UNSIGNED, arithmetic.truncate)
    for name in ("to_number", "utoi"):
        yield Function(name, (UNSIGNED,), NUMBER, to_number)
    for name in ("to_number", "ftoi"):
        yield Function(name, (FLOAT,), NUMBER, float_to_number)
    for name in ("to_unsigned", "itou"):
        yield Function(name, (NUMBER,), UNSIGNED, to_unsigned)
    for name in ("to_unsigned", "ftou"):
        yield Function(name, (FLOAT,), UNSIGNED, float_to_unsigned)
    for name, integer in (("to_float", NUMBER), ("itof", NUMBER), ("to_float", UNSIGNED), ("utof", UNSIGNED)):
        yield Function(name, (integer,), FLOAT, float)
    yield Function("to_number", (BOOLEAN,), NUMBER, lambda value: value)
    for t, name in ((NUMBER, "to_number"), (UNSIGNED, "to_unsigned"), (FLOAT, "to_float")):
        yield Function(name, (t,), t, lambda value: value)
    yield from _texts_of_values()


def _texts_of_values() -> Iterator[Function]:
    yield Function("to_number", (SYMBOL,), NUMBER, lambda s: text.to_integer(s, NUMBER))
    yield Function("to_unsigned", (SYMBOL,), UNSIGNED, lambda s: text.to_integer(s, UNSIGNED))
    yield Function("to_float", (SYMBOL,), FLOAT, text.to_float)
    yield Function("to_string", (NUMBER,), SYMBOL, str)
    yield Function("to_string", (UNSIGNED,), SYMBOL, str)
    yield Function("to_string", (FLOAT,), SYMBOL, text.show_float)
    yield Function("to_string", (SYMBOL,), SYMBOL, str)
    yield Function("to_string", (BOOLEAN,), SYMBOL, calendar.TRUTH.__getitem__)
    yield Function("to_string", (DATE,), SYMBOL, calendar.date_text)
    yield Function("to_string", (TIMESTAMP,), SYMBOL, calendar.timestamp_text)


_TEXT = (
    Function("cat", (SYMBOL, SYMBOL), SYMBOL, text.concatenate, variadic=True),
    Function("strlen", (SYMBOL,), NUMBER, len),
    Function("substr", (SYMBOL, NUMBER, NUMBER), SYMBOL, text.cut),
    Function("contains", (SYMBOL, SYMBOL), NUMBER, text.contains),
    Function("starts_with", (SYMBOL, SYMBOL), NUMBER, text.starts_with),
    Function("ends_with", (SYMBOL, SYMBOL), NUMBER, text.ends_with),
    Function("lower", (SYMBOL,), SYMBOL, str.lower),
    Function("upper", (SYMBOL,), SYMBOL, str.upper),
    Function("trim", (SYMBOL,), SYMBOL, text.trim),
    Function("replace", (SYMBOL, SYMBOL, SYMBOL), SYMBOL, text.replace),
    Function("pad_left", (SYMBOL, NUMBER, SYMBOL), SYMBOL, text.pad_left),
    Function("pad_right", (SYMBOL, NUMBER, SYMBOL), SYMBOL, text.pad_right),
    Function("split", (SYMBOL, SYMBOL), LIST, text.split),
    Function("join", (LIST, SYMBOL), SYMBOL, text.join),
    Function("edit_distance", (SYMBOL, SYMBOL), NUMBER, text.edit_distance),
    Function("match", (SYMBOL, SYMBOL), NUMBER, text.match),
    Function("regex_find", (SYMBOL, SYMBOL), NUMBER, regex.find),
    Function("regex_group", (SYMBOL, SYMBOL, NUMBER), SYMBOL, regex.group),
    Function("regex_all", (SYMBOL, SYMBOL, NUMBER), LIST, regex.all_groups),
    Function("regex_replace", (SYMBOL, SYMBOL, SYMBOL), SYMBOL, regex.replace),
    Function("ord", (SYMBOL,), NUMBER, hashes.ordinal),
    Function("md5", (SYMBOL,), SYMBOL, hashes.md5),
    Function("sha1", (SYMBOL,), SYMBOL, hashes.sha1),
    Function("f_sha1", (SYMBOL,), SYMBOL, hashes.sha1),
    Function("sha256", (SYMBOL,), SYMBOL, hashes.sha256),
    Function("crc32", (SYMBOL,), NUMBER, hashes.crc32),
)
_JSON = (
    Function("is_json", (SYMBOL,), NUMBER, json_text.is_json),
    Function("json_has", (SYMBOL, SYMBOL), NUMBER, json_text.has),
    Function("json_get", (SYMBOL, SYMBOL), SYMBOL, json_text.get),
    Function("json_all", (SYMBOL, SYMBOL), LIST, json_text.all_values),
    Function("json_names", (SYMBOL, SYMBOL), LIST, json_text.names),
    Function("json_type", (SYMBOL, SYMBOL), SYMBOL, json_text.kind),
    Function("json", (ANY,), SYMBOL, json_text.make),
    Function("json_array", (ANY,), SYMBOL, json_text.make_array, variadic=True),
    Function("json_object", (ANY,), SYMBOL, json_text.make_object, variadic=True),
    Function("json_put", (SYMBOL, SYMBOL, SYMBOL), SYMBOL, json_text.put),
)
_ADDRESSES = (
    Function("is_ip", (SYMBOL,), NUMBER, addresses.is_address),
    Function("is_cidr", (SYMBOL,), NUMBER, addresses.is_block),
    Function("ip", (SYMBOL,), SYMBOL, addresses.address),
    Function("ip_version", (SYMBOL,), NUMBER, addresses.version),
    Function("ip_number", (SYMBOL,), NUMBER, addresses.number),
    Function("cidr", (SYMBOL,), SYMBOL, addresses.block),
    Function("cidr_contains", (SYMBOL, SYMBOL), NUMBER, addresses.contains),
    Function("cidr_overlaps", (SYMBOL, SYMBOL), NUMBER, addresses.overlaps),
    Function("cidr_first", (SYMBOL,), SYMBOL, addresses.first),
    Function("cidr_last", (SYMBOL,), SYMBOL, addresses.last),
)
_RDF = (
    Function("rdf_is_iri", (SYMBOL,), NUMBER, rdf.is_iri),
    Function("rdf_is_blank", (SYMBOL,), NUMBER, rdf.is_blank),
    Function("rdf_is_literal", (SYMBOL,), NUMBER, rdf.is_literal),
    Function("rdf_is_number", (SYMBOL,), NUMBER, rdf.is_number),
    Function("rdf_is_date", (SYMBOL,), NUMBER, rdf.is_date),
    Function("rdf_is_timestamp", (SYMBOL,), NUMBER, rdf.is_timestamp),
    Function("rdf_text", (SYMBOL,), SYMBOL, rdf.to_text),
    Function("rdf_lang", (SYMBOL,), SYMBOL, rdf.language),
    Function("rdf_type", (SYMBOL,), SYMBOL, rdf.datatype),
    Function("rdf_number", (SYMBOL,), NUMBER, rdf.to_number),
    Function("rdf_float", (SYMBOL,), FLOAT, rdf.to_float),
    Function("rdf_boolean", (SYMBOL,), BOOLEAN, rdf.to_boolean),
    Function("rdf_date", (SYMBOL,), DATE, rdf.to_date),
    Function("rdf_timestamp", (SYMBOL,), TIMESTAMP, rdf.to_timestamp),
    Function("rdf_compare", (SYMBOL, SYMBOL), NUMBER, rdf.compare),
    Function("rdf_equals", (SYMBOL, SYMBOL), NUMBER, rdf.equals),
    Function("sparql", (SYMBOL, SYMBOL), SYMBOL, sparql.apply, variadic=True),
    Function("sparql_fold", (SYMBOL, LIST), SYMBOL, sparql.fold),
    Function("sparql_join", (LIST, SYMBOL), SYMBOL, sparql.join),
    Function("rdf_term", (SYMBOL,), SYMBOL, rdf.canonical),
    Function("rdf_iri", (SYMBOL,), SYMBOL, rdf.make_iri),
    Function("rdf_literal", (SYMBOL, SYMBOL), SYMBOL, rdf.make_literal),
    Function("rdf_literal", (SYMBOL,), SYMBOL, rdf.make_text),
    Function("rdf_literal", (NUMBER,), SYMBOL, rdf.from_integer),
    Function("rdf_literal", (UNSIGNED,), SYMBOL, rdf.from_integer),
    Function("rdf_literal", (FLOAT,), SYMBOL, rdf.from_float),
    Function("rdf_literal", (BOOLEAN,), SYMBOL, rdf.from_boolean),
    Function("rdf_literal", (DATE,), SYMBOL, rdf.from_date),
    Function("rdf_literal", (TIMESTAMP,), SYMBOL, rdf.from_timestamp),
)
_LISTS = (
    Function("list", (ANY,), LIST, lists.make, variadic=True),
    Function("f_init", (ANY, ANY), LIST, lists.make),
    Function("f_concat", (ANY, LIST), LIST, lists.concatenate),
    Function("f_append", (LIST, ANY), LIST, lists.append),
    Function("f_append", (ANY,), LIST, lists.make),
    Function("f_removeLast", (LIST,), LIST, lists.without_last),
    Function("f_removeFirst", (LIST,), LIST, lists.without_first),
    Function("f_member", (LIST, ANY), NUMBER, lists.member),
    Function("f_inPath", (LIST, ANY), NUMBER, lists.member),
    Function("f_size", (LIST,), NUMBER, lists.size),
    Function("f_first", (LIST,), ANY, lists.first),
    Function("f_last", (LIST,), ANY, lists.last),
    Function("element", (LIST, NUMBER), ANY, lists.element),
    Function("elements", (LIST,), ANY, iter, generator=True),
)

_REAL = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "log", "exp")
_MATHEMATICS = tuple(
    Function(name, (FLOAT,), FLOAT, arithmetic.real_function(getattr(math, name))) for name in (*_REAL, "sqrt")
)


def _calendar() -> Iterator[Function]:
    parts: tuple[tuple[str, Callable[[int], int]], ...] = (
        ("year", lambda days: calendar.civil(days)[0]),
        ("month", lambda days: calendar.civil(days)[1]),
        ("day", lambda days: calendar.civil(days)[2]),
        ("weekday", calendar.weekday),
    )
    for name, part in parts:
        yield Function(name, (DATE,), NUMBER, part)
        yield Function(name, (TIMESTAMP,), NUMBER, lambda moment, part=part: part(moment // calendar.DAY))
    for name, unit, most in (
        ("hour", calendar.HOUR, 24),
        ("minute", calendar.MINUTE, 60),
        ("second", calendar.SECOND, 60),
    ):
        yield Function(name, (TIMESTAMP,), NUMBER, lambda moment, unit=unit, most=most: moment // unit % most)
    yield Function("date", (TIMESTAMP,), DATE, lambda moment: moment // calendar.DAY)
    yield Function("to_date", (SYMBOL,), DATE, calendar.date_of_text)
    yield Function("to_timestamp", (SYMBOL,), TIMESTAMP, calendar.timestamp_of_text)
    yield Function("to_timestamp", (DATE,), TIMESTAMP, calendar.midnight)
    yield Function("date_add", (DATE, NUMBER), DATE, calendar.add_days)
    yield Function("date_diff", (DATE, DATE), NUMBER, _checked(NUMBER, operator.sub))
    yield Function("timestamp_add", (TIMESTAMP, NUMBER, NUMBER), TIMESTAMP, calendar.add_time)
    yield Function("timestamp_diff", (TIMESTAMP, TIMESTAMP, NUMBER), NUMBER, _checked(NUMBER, calendar.time_between))


_WINDOWS = (  # `hop first` and `hop end` cannot be written in a text (`hops`)
    Function("window", (TIMESTAMP, NUMBER), TIMESTAMP, windows.window_start),
    Function("window", (NUMBER, NUMBER), NUMBER, windows.window_start),
    Function("hop", (TIMESTAMP, NUMBER, NUMBER), TIMESTAMP, windows.hop_starts, generator=True),
    Function("hop first", (TIMESTAMP, NUMBER, NUMBER), NUMBER, windows.hop_first),
    Function("hop end", (TIMESTAMP,), NUMBER, lambda moment: moment + 1),
    Function("moment", (NUMBER,), TIMESTAMP, lambda microseconds: microseconds),
)

_PLAIN = (
    *_operators(),
    *_least_and_greatest(),
    *_rounding(),
    *_ranges(),
    *_conversions(),
    *_TEXT,
    *_JSON,
    *_ADDRESSES,
    *_RDF,
    *_LISTS,
    *_MATHEMATICS,
    *_WINDOWS,
    *_calendar(),
)

FUNCTIONS: Functions = Functions((*_PLAIN, *_wrapping(_PLAIN)))
