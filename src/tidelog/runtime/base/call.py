"""Calls of the methods of a service, as values that can be sent to the process where it is.

Law: a caller passes the method itself (`Call(Service.rows, "edge")`) and not a string, so that arguments and result are
checked where the call is written. Only methods marked with `call` can be called; the mark says how callers wait for
the answer, and what a missing answer means. A call that another process sends must have arguments of the classes in the
method's signature; a protocol in it allows only the classes that `admit` registered.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import Signature, signature
from types import UnionType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, Union, get_args, get_origin

from tidelog.runtime.base import runtime_failures as failures

S = TypeVar("S")
T = TypeVar("T")
P = ParamSpec("P")
Method = TypeVar("Method", bound=Callable[..., object])
Arguments = tuple[tuple[Any, ...], dict[str, Any]]  # arguments by position and by name
MARK = "mark"
LIMIT = 120.0  # seconds for a question that requires no evaluation
_ADMITTED: dict[type, tuple[type, ...]] = {}  # by protocol


@dataclass(frozen=True, slots=True)
class Mark:
    """How a method is called."""

    limit: float | None = LIMIT  # seconds that the caller waits; None: as long as the work takes
    reading: bool = False  # a late answer does not mean that the node is lost
    ending: bool = False  # must succeed: a node that fails in it counts as lost
    any_time: bool = False  # also answered while another call is in progress
    entries_first: bool = False  # the owners must receive the caller's new dictionary entries first


def call(
    *,
    limit: float | None = LIMIT,
    reading: bool = False,
    ending: bool = False,
    any_time: bool = False,
    entries_first: bool = False,
) -> Callable[[Method], Method]:
    """Mark a method of a service as one that can be called from elsewhere."""

    def mark(method: Method) -> Method:
        method.__dict__[MARK] = Mark(limit, reading, ending, any_time, entries_first)
        return method

    return mark


def mark_of(method: Callable[..., object]) -> Mark:
    """How a method is called; EngineError if it is not marked."""
    found = getattr(method, MARK, None)
    if not isinstance(found, Mark):
        raise failures.NOT_MARKED.error(method=method.__qualname__)
    return found


class Call(Generic[S, T]):
    """A call of a method of an ``S`` that returns a ``T``."""

    def __init__(self, method: Callable[Concatenate[S, P], T], *args: P.args, **named: P.kwargs) -> None:
        self.mark = mark_of(method)
        self.name = method.__name__
        self.arguments: Arguments = (args, named)

    def on(self, service: S) -> T:
        """The answer of a service; if its class overrides the method, that of the override."""
        args, named = self.arguments
        answer: T = getattr(service, self.name)(*args, **named)
        return answer


def received(kind: type[S], name: str, arguments: Arguments) -> Call[S, object]:
    """The call that another process has sent by the name of its method.

    EngineError if there is no such call, or if it does not accept these arguments.
    """
    method = getattr(kind, name, None)
    if method is None:
        raise failures.NO_METHOD.error(service=kind.__name__, name=name)
    args, named = arguments
    _check(method, args, named)
    return Call(method, *args, **named)


def admit(protocol: type, *classes: type) -> None:
    """Allow objects of some classes to be sent as arguments whose type is a protocol."""
    _ADMITTED[protocol] = classes
    _kinds.cache_clear()


def _check(method: Callable[..., object], args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Refuse arguments that are not of the classes in the method's signature; their contents are not checked."""
    mark_of(method)
    signature, kinds = _kinds(method)
    try:
        bound = signature.bind(None, *args, **named).arguments
    except TypeError as error:
        raise failures.ARGUMENTS.error(method=method.__qualname__, what=error) from error
    for name, value in bound.items():
        if name in kinds and not isinstance(value, kinds[name]):
            what = f"`{name}` is a {type(value).__name__}"
            raise failures.ARGUMENTS.error(method=method.__qualname__, what=what)


@cache
def _kinds(method: Callable[..., object]) -> tuple[Signature, dict[str, tuple[type, ...]]]:
    """The signature of a method, and the classes that its arguments may have."""
    kinds = {name: tuple(_classes(hint)) for name, hint in hints_of(method).items() if name != "return"}
    return signature(method), kinds


def hints_of(method: Callable[..., object]) -> dict[str, Any]:
    """The type hints of a method, as values; names inside aliases stay as they are."""
    known = sys.modules[method.__module__].__dict__
    return {name: eval(hint, known) for name, hint in method.__annotations__.items()}  # texts of this package


def _classes(hint: Any) -> Iterator[type]:
    """The classes of a hint, without their parameters in brackets."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        for part in get_args(hint):
            yield from _classes(part)
    elif getattr(hint, "_is_protocol", False):  # an object may match a protocol by chance
        yield from _ADMITTED.get(hint, ())
    else:
        yield origin or hint
