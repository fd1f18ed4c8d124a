"""Connections: how long a client may be silent, and which connection is closed when there are too many.

Law: a connection that waits for its client (for a header, another request, a part of a body, or for the client to read)
is closed after a time. When all connections are in use, the one that has waited longest for a request is closed in
favour of the new one, so that idle clients cannot block others. A connection whose request is being answered, such as a
feed, is never closed for this reason. The bytes of a header, and of anything else that is not a body, are limited.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tidelog.serve.limits import ServerLimits

HEADER = 1 << 16  # bytes of a header, and of the trailers of a body


def connection_class(limits: ServerLimits) -> type[HttpToolsProtocol]:
    """The protocol of a server's connections."""
    waiting: dict[ClientConnection, None] = {}  # for a request, the one that has waited longest first

    class LimitedConnection(ClientConnection):
        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            self.limits, self.waiting = limits, waiting

    return LimitedConnection


class ClientConnection(HttpToolsProtocol):
    """A uvicorn connection with time limits."""

    limits: ServerLimits
    waiting: dict[ClientConnection, None]
    _timer: asyncio.TimerHandle | None = None
    _unread_timer: asyncio.TimerHandle | None = None
    _waits_for_header = False
    _in_header = False  # whether a part of a header has arrived, but not its end
    _unparsed = 0  # bytes since the last end of a header, part of a body, or end of a request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # the base class accepts any transport
        """Called when a client has connected."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections and self.waiting:
            next(iter(self.waiting)).drop()
        self._wait_for_request()
        self._wait(self.limits.header_seconds)
        self._waits_for_header = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Called when the connection has ended."""
        self._wait(None)
        if self._unread_timer is not None:
            self._unread_timer.cancel()
        self.waiting.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Called with bytes of a request."""
        self._unparsed += len(data)
        super().data_received(data)
        if self._unparsed > HEADER and not self.transport.is_closing():
            self._refuse()
        self._look()

    def on_message_begin(self) -> None:
        """Called with the first byte of a request."""
        self._in_header = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Called with a header; those after a body are not kept."""
        if self._in_header:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Called at the end of a header."""
        self._in_header, self._unparsed = False, 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Called with a part of a body."""
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Called at the end of a request."""
        self._unparsed = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Called when a response was sent."""
        self._wait(None)
        self._waits_for_header = False
        self._wait_for_request()
        super().on_response_complete()  # it waits for the next request, or handles one that has already arrived
        self._look(arrived=self._in_header)
        if self._unread_timer is None and self.transport.get_write_buffer_size():
            # a graceful close would wait for the client to read
            self._unread_timer = self.loop.call_later(self.limits.idle_seconds, self._drop_unread)

    def pause_writing(self) -> None:
        """Called when the client does not read."""
        super().pause_writing()
        self._wait(self.limits.idle_seconds)

    def resume_writing(self) -> None:
        """Called when the client reads again."""
        super().resume_writing()
        self._wait(None)

    def drop(self) -> None:
        """Close the connection at once."""
        self.waiting.pop(self, None)
        self.connections.discard(self)
        self.transport.abort()

    def _refuse(self) -> None:
        """End a connection whose client sends more than a header may hold."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.drop()
        else:
            self.send_400_response("The header of the request is too long.")

    def _wait_for_request(self) -> None:
        self.waiting.pop(self, None)
        self.waiting[self] = None

    def _look(self, *, arrived: bool = True) -> None:
        """Set the timer after data arrived: one limit for a whole header, one for each part of a body."""
        if self.transport.is_closing() or self.flow.write_paused:
            return
        if self.cycle is not None and not self.cycle.response_complete:
            self.waiting.pop(self, None)
            self._waits_for_header = False
            self._wait(self.limits.body_seconds if self.cycle.more_body else None)
        elif arrived and not self._waits_for_header:
            self._waits_for_header = True
            self._wait(self.limits.header_seconds)

    def _wait(self, seconds: float | None) -> None:
        """Drop the connection after ``seconds``, unless the timer is set again before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._give_up)

    def _drop_unread(self) -> None:
        """Drop the connection if the client has not read the end of a response."""
        self._unread_timer = None
        if self.transport.get_write_buffer_size() and (self.cycle is None or self.cycle.response_complete):
            self.drop()

    def _give_up(self) -> None:
        is_reading = self.cycle is not None and not self.cycle.response_complete and self.flow.read_paused
        if is_reading and not self.flow.write_paused:  # the server has not read the body yet
            self._wait(self.limits.body_seconds)
        else:
            self.drop()
