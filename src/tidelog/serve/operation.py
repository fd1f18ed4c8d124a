"""The operations of the server, as values: one for each method of a path.

Law: an operation states which scope it requires, where its work is done, and what it accepts and returns. Requests are
checked against the same description from which the API document is generated.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidelog.serve.grants import READ, READER, Grant
from tidelog.serve.schema import Schema
from tidelog.serve.service import Service
from tidelog.serve.values import ARROW

OK, CREATED, NO_CONTENT = 200, 201, 204
JSON, EVENTS = "application/json", "text/event-stream"


class Lane(enum.Enum):
    """Where the work of an operation is done: on the loop, or on a thread for look-ups, queries, writes or checks.

    Small epochs share one thread, and others are writes.
    """

    loop = enum.auto()
    look = enum.auto()
    ask = enum.auto()
    write = enum.auto()
    commit = enum.auto()
    check = enum.auto()


@dataclass(frozen=True, slots=True)
class RequestCall:
    """A checked request: the values of its parameters, its body, and the content type of the response."""

    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Any = None
    size: int = 0  # bytes of the body
    accept: str = JSON
    more: Mapping[str, str] = field(default_factory=dict)  # parameters that the operation does not name
    last_event: str | None = None
    grant: Grant = READER  # what the token allows


@dataclass(frozen=True, slots=True)
class Reply:
    """A response: plain values for JSON, or the parts of a body of another type."""

    content: Any = None
    status: int = OK
    headers: Mapping[str, str] = field(default_factory=dict)
    parts: Iterator[bytes] | AsyncIterator[bytes] | None = None
    type: str = JSON
    at_end: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of a path."""

    method: str
    path: str  # with `{name}` for variable parts
    act: Callable[[Service, RequestCall], Reply | Awaitable[Reply]]
    summary: str
    access: str = READ  # the required scope; `WRITE` means any change
    reads: Callable[[Service, RequestCall], Iterable[str] | None] = lambda *_: (
        None
    )  # relations that it shows; None: perhaps all
    lane: Lane = Lane.look
    query: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()  # parameters
    body: Schema | None = None
    takes: tuple[str, ...] = (JSON,)  # content types of the body
    gives: tuple[str, ...] = (JSON,)
    answer: Schema = field(default_factory=lambda: {"type": "object"})
    more: bool = False  # whether further parameters name columns
    created: bool = False  # whether it creates something, which has an id
    detail: str = ""
    brief: Callable[[Service, RequestCall], Hashable | None] = lambda *_: None  # the kind of a look-up (`brief`)
    rehearsal: Callable[[Service, RequestCall], Callable[[], None] | None] | None = (
        None  # checks a text in another process first
    )

    @property
    def takes_arrow(self) -> bool:
        """Whether rows may be sent as an Arrow stream."""
        return ARROW in self.takes
