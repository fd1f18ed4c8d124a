"""What can be asked of the server, as values: one operation for each method of an address.

Law: an operation says who may call it, where its work is done, and what it takes and gives; requests are checked and
the document of the API is made by the same description.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidelog.serve.schema import Schema
from tidelog.serve.service import Service
from tidelog.serve.tokens import READ
from tidelog.serve.values import ARROW

OK, CREATED, NO_CONTENT = 200, 201, 204
JSON, EVENTS = "application/json", "text/event-stream"


class Lane(enum.Enum):
    """Where the work of an operation is done: on the loop, or on a thread for reading, asking, writing or checking."""

    loop = enum.auto()
    look = enum.auto()
    ask = enum.auto()
    write = enum.auto()
    check = enum.auto()


@dataclass(frozen=True, slots=True)
class Call:
    """A request that was checked: values of its parameters, its body, and the type that is wanted of the answer."""

    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Any = None
    size: int = 0  # bytes of the body
    accept: str = JSON
    more: Mapping[str, str] = field(default_factory=dict)  # parameters that the operation does not name
    last_event: str | None = None
    access: str = READ  # what the token may do


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: plain values for JSON, or the parts of a body of another type."""

    content: Any = None
    status: int = OK
    headers: Mapping[str, str] = field(default_factory=dict)
    parts: Iterator[bytes] | AsyncIterator[bytes] | None = None
    type: str = JSON
    at_end: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of an address."""

    method: str
    path: str  # with `{name}` for parts that vary
    act: Callable[[Service, Call], Reply | Awaitable[Reply]]
    summary: str
    access: str | None = READ  # None: no token is needed
    lane: Lane = Lane.look
    query: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()  # parameters
    body: Schema | None = None
    takes: tuple[str, ...] = (JSON,)  # content types of the body
    gives: tuple[str, ...] = (JSON,)
    answer: Schema = field(default_factory=lambda: {"type": "object"})
    more: bool = False  # whether further parameters name columns
    created: bool = False  # whether it makes something, which has an id
    detail: str = ""
    rehearsal: Callable[[Service, Call], Callable[[], None] | None] | None = None  # of a text, in another process

    @property
    def takes_arrow(self) -> bool:
        """Whether rows may come as a stream of Arrow's."""
        return ARROW in self.takes
