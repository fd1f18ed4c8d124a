"""What in a program may make order matter, found without running it.

Law: these can. A choice keeps its fact as long as possible. A function of the user is called with distinct arguments,
as often and in such an order as evaluation needs: one that returns different results for equal arguments is not pure.
Everything else has one result: sums and means of floats are exact and rounded once. A function is suspected by what its
code reads; one that is written in another language is assumed to be pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from dis import get_instructions
from types import CodeType, FunctionType, ModuleType

from tidelog.errors import Span
from tidelog.program import Program
from tidelog.program.functions.table import Function
from tidelog.program.graph.choice import choices
from tidelog.program.values.scope import calls, literal_terms, rule_literals

FICKLE = ("random", "time", "datetime", "uuid", "secrets", "os", "socket", "threading", "itertools", "sys")
CHANGES = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR")


@dataclass(frozen=True, slots=True)
class Suspect:
    """A place where order may matter, and why; ``sure`` of a choice, where it does if there is something to choose."""

    what: str
    why: str
    span: Span | None = None
    sure: bool = False

    def __str__(self) -> str:
        where = "" if self.span is None else f"{self.span.source.name}:{self.span.line}: "
        return f"{where}order {'matters' if self.sure else 'may matter'} here: {self.what}: {self.why}"


def suspects(program: Program, functions: Iterable[Function] = ()) -> list[Suspect]:
    """All places of a program where order may matter."""
    found = [
        Suspect(f"`{name}` chooses", "the first fact stays as long as it is derivable", declared.span, sure=True)
        for name, declared in choices(program).items()
    ]
    used = _called(program)
    return found + [
        Suspect(
            f"`{function.name}`",
            f"the function must return equal results for equal arguments, but its code {why}",
            used[function.name],
        )
        for function in functions
        if function.name in used
        for why in _fickle(function)
    ]


def _called(program: Program) -> dict[str, Span | None]:
    """The functions that rules call, each with the first place."""
    found: dict[str, Span | None] = {}
    for rule in program.rules:
        terms = [*rule.head.args, *(term for literal in rule_literals(rule) for term in literal_terms(literal))]
        for call in (call for term in terms for call in calls(term)):
            found.setdefault(call.function, call.span)
    return found


def _fickle(function: Function) -> Iterator[str]:
    """What a function's code does that a function would not; one reason is enough."""
    python = function.python
    if not isinstance(python, FunctionType):
        return
    for name in _names(python.__code__):
        value = python.__globals__.get(name)
        if _home(value).split(".")[0] in FICKLE:
            yield f"reads `{name}`"
            return
        if isinstance(value, list | dict | set):
            yield f"reads `{name}`, which may change"
            return
    if any(instruction.opname in CHANGES for instruction in get_instructions(python.__code__)):
        yield "changes state outside the function"


def _home(value: object) -> str:
    """The module that a value is, or comes from."""
    if isinstance(value, ModuleType):
        return value.__name__
    return str(getattr(value, "__module__", None) or type(value).__module__)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names(const)
