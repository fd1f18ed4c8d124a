"""A partition's endpoint: Arrow Flight around a resident.

Law: nothing of a request is read, let alone unpickled, before its token was compared with the run's, in constant time;
so every method of the endpoint is refused to whoever does not hold the token. Requests are served side by side: a long
call blocks neither a delivery nor another call. The endpoint listens on one address only.
"""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.flight as flight

from tidelog.spark.resident.client import Descriptor, Endpoint, location
from tidelog.spark.resident.wire import decode, encode, encode_error, encode_short_error

Action = Callable[..., object]


class Store(Protocol):
    """What takes and gives rows."""

    def deliver(self, descriptor: Descriptor, table: pa.Table) -> None:
        """Take rows."""

    def fetch(self, descriptor: Descriptor) -> pa.Table | pa.RecordBatchReader:
        """Give rows."""


class Server(flight.FlightServerBase):  # type: ignore[misc]  # pyarrow has no types
    """Serves ``actions`` by name and the rows of ``store``, on a free port of ``host``, from the moment it is made."""

    def __init__(self, number: int, host: str, token: str, actions: Mapping[str, Action], store: Store) -> None:
        self._actions = dict(actions)
        self._store = store
        super().__init__(location(host, 0), middleware={"token": _Gate(token)})
        self.endpoint = Endpoint(number, host, self.port, token)

    def do_action(self, context: Any, action: Any) -> list[Any]:
        """Run an action; its outcome, good or bad, is the one answer."""
        try:
            answer = encode(self._actions[action.type](*decode(action.body)))
        except BaseException as error:
            answer = encode_error(error)
        return [pa.py_buffer(answer)]

    def do_put(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        """Hand rows to the store; the outcome goes back as one message."""
        try:
            self._store.deliver(decode(descriptor.command), reader.read_all())
            answer = encode(None)
        except BaseException as error:
            answer = encode_error(error)
        writer.write(pa.py_buffer(answer))

    def do_get(self, context: Any, ticket: Any) -> Any:
        """Rows of the store; an error travels in the headers of the answer."""
        try:
            return flight.RecordBatchStream(self._store.fetch(decode(ticket.ticket)))
        except BaseException as error:
            raise flight.FlightServerError(str(error)[:500], encode_short_error(error)) from error

    def close_within(self, seconds: float) -> bool:
        """Stop listening and wait for running requests; False if some still run after that time."""
        closing = threading.Thread(target=self.shutdown, name="tidelog-close", daemon=True)
        closing.start()
        closing.join(seconds)
        return not closing.is_alive()


class _Gate(flight.ServerMiddlewareFactory):  # type: ignore[misc]  # pyarrow has no types
    """Lets requests in that carry the token."""

    def __init__(self, token: str) -> None:
        self._expected = b"Bearer " + token.encode()

    def start_call(self, info: Any, headers: Mapping[str, list[Any]]) -> None:
        given = headers.get("authorization") or [""]
        said = given[0] if isinstance(given[0], bytes) else str(given[0]).encode()
        if not hmac.compare_digest(said, self._expected):
            raise flight.FlightUnauthenticatedError("this endpoint needs the token of its run")
