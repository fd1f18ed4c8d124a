"""Functors: functions that a program declares and that are provided from outside.

Law: ``.functor f(number): number`` declares the types, and a Python function of that name computes the result; a
function declared by `user_function` already has types, or names of types of the program. Functors are pure, as all
functions are. A program can be checked without them; to run, each one that it calls must be provided. One that a
component declares has the types of each of its instances, including later ones as far as the component determines
them.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tidelog.program.functions.table import FUNCTIONS, Function, Functions, bind_types, user_function
from tidelog.program.messages import program_failures as failures
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.program import Program
from tidelog.program.values.schema import Functor, TypeDeclaration
from tidelog.program.values.scope import calls, literal_terms, rule_literals
from tidelog.program.values.shape import make_shapes, structure_name
from tidelog.program.values.term import FLOAT, NUMBER, SYMBOL, UNSIGNED, Value

Meaning = Callable[[str], str | None]  # the type behind a name
Signature = tuple[tuple[str, ...], str]
BASES = (NUMBER, UNSIGNED, FLOAT, SYMBOL)
UserFunctions = (
    Mapping[str, Callable[..., Value] | Function] | Iterable[Callable[..., Value] | Function] | types.ModuleType
)


def function_table(functions: UserFunctions, program: Program) -> tuple[Functions, tuple[Function, ...]]:
    """All functions that a program may call, and those among them that a user provides.

    A functor that the program calls but for which no function is provided is refused.
    """
    own = user_functions_of(functions, program)
    table = FUNCTIONS.with_functions(own)
    check_functors(program, table)
    return table, own


def user_functions_of(given: UserFunctions, program: Program) -> tuple[Function, ...]:
    """The functions that a user provides: declared ones as they are, others with the types that functors declare.

    >>> from tidelog.syntax import parse_program
    >>> program = parse_program(".functor twice(number): number")
    >>> [f.evaluate(21) for f in user_functions_of({"twice": lambda x: 2 * x}, program)]
    [42]
    """
    declared, meaning = _declared(program), _meaning(program)
    is_given = program != Program(convention=program.convention)  # otherwise that of a state folder follows
    found: list[Function] = []
    for name, function in _named(given):
        if isinstance(function, Function):
            found.append(bind_types(function, meaning) if is_given else function)
        elif name in declared:
            found += (_bound(name, *types, function, meaning) for types in declared[name])
        elif not isinstance(given, types.ModuleType) and is_given:
            raise failures.NOT_REGISTERED.error(
                name=name, what="neither `.functor` nor `user_function` declares its types"
            )
    return tuple(found)


def declared_by(functions: UserFunctions, program: Program) -> Program:
    """The program with functors for the functions that declare their types and that it does not declare itself."""
    known = {functor.name for functor in program.functors}
    own = (f for _, f in _named(functions) if isinstance(f, Function) and f.name not in known)
    return replace(program, functors=(*program.functors, *(Functor(f.name, f.params, f.result) for f in own)))


def check_functors(program: Program, functions: Mapping[str, object]) -> None:
    """Refuse a program that calls a functor for which no function is provided."""
    missing = [functor.name for functor in program.functors if functor.name not in functions]
    called = _called(program) if missing else set()
    for name in missing:
        if name in called:
            raise failures.NO_FUNCTOR.error(name=name)


def with_functors(functions: Functions, program: Program) -> Functions:
    """The functions and, only for checks, those that functors declare."""
    names, meaning = TypeNames(program.types), _meaning(program)
    own = [functor for functor in program.functors if functor.name not in functions]
    return functions.with_functions(_bound(functor.name, *_types(functor, names), _missing, meaning) for functor in own)


def _missing(*_args: Value) -> Value:
    raise AssertionError("a functor without a function is checked, never run")


def _named(functions: UserFunctions) -> Iterator[tuple[str, Any]]:
    if isinstance(functions, types.ModuleType):
        yield from ((name, f) for name, f in vars(functions).items() if isinstance(f, Function) or callable(f))
    elif isinstance(functions, Mapping):
        yield from functions.items()
    else:
        listed: Any = functions
        yield from ((str(getattr(f, "__name__", "?")), f) for f in listed)


def _declared(program: Program) -> dict[str, list[Signature]]:
    """The types of all functors by name: those of the program, then those that components declare."""
    found: dict[str, list[Signature]] = {}
    names = TypeNames(program.types)
    declared = [(functor.name, _types(functor, names)) for functor in program.functors]
    declared += _in_components(program, program.types)
    for name, types_ in declared:
        if types_ not in found.setdefault(name, []):
            found[name].append(types_)
    return found


def _in_components(block: Program, around: tuple[TypeDeclaration, ...]) -> Iterator[tuple[str, Signature]]:
    """The functors of components, without those whose types are parameters or structures, which instances determine."""
    for component in block.components:
        inside = (*around, *component.content.types)
        names = TypeNames(inside)
        own = {structure_name(declared.name) for declared in component.content.types if declared.constructors}
        for functor in component.content.functors:
            params, result = _types(functor, names)
            used = {*params, result}
            if used.isdisjoint((*component.params, *own)) and used <= {*names.bases.values(), *BASES}:
                yield functor.name, (params, result)
        yield from _in_components(component.content, inside)


def _types(functor: Functor, names: TypeNames) -> Signature:
    """The types behind the names that a functor is declared with."""
    params = tuple(names.base(type_) or type_ for type_ in functor.params)
    return params, names.base(functor.result) or functor.result


def _meaning(program: Program) -> Meaning:
    """The type behind a name: a base type, or the shape of a record or algebraic type."""
    names = TypeNames(program.types)
    shapes = make_shapes(names.structures, names.bases)

    def meaning(name: str) -> str | None:
        base = names.base(name) or name
        return shapes.get(base, base)

    return meaning


def _bound(
    name: str, params: tuple[str, ...], result: str, function: Callable[..., Value], meaning: Meaning
) -> Function:
    return bind_types(user_function(name, params, result)(function), meaning)


def _called(program: Program) -> set[str]:
    terms = [term for fact in program.facts for term in fact.atom.args]
    for rule in program.rules:
        terms += rule.head.args
        terms += [term for literal in rule_literals(rule) for term in literal_terms(literal)]
    return {call.function for term in terms for call in calls(term)}
