"""A partition's endpoint: Arrow Flight around a resident.

Law: nothing in a request is read before its token has been compared with the run's, in constant time, so no method of
the endpoint can be called without the token; over TLS, connections without a certificate of the run are closed before
that. Messages larger than the run's limit are refused. Requests are served concurrently: a long call blocks neither a
delivery nor another call. The endpoint listens on one address only: a port, or a socket in a folder of the user.
"""

from __future__ import annotations

import hmac
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.flight as flight

from tidelog.spark.resident.client import Descriptor, Endpoint, location
from tidelog.spark.resident.credentials import MESSAGE_LIMIT, Certificates, Credentials
from tidelog.spark.resident.pieces import batches, check_size, cut, join
from tidelog.spark.resident.resident_failures import NOT_READABLE
from tidelog.spark.resident.wire import decode, encode, encode_error, encode_short_error

Action = Callable[..., object]


class Store(Protocol):
    """An object that accepts and returns rows."""

    def deliver(self, descriptor: Descriptor, table: pa.Table) -> None:
        """Accept rows."""

    def fetch(self, descriptor: Descriptor) -> pa.Table | pa.RecordBatchReader:
        """Return rows."""


class Server(flight.FlightServerBase):  # type: ignore[misc]  # pyarrow has no types
    """Serves ``actions`` by name and the rows of ``store`` on a port of ``host``, as soon as it is created.

    A host that begins with a slash is the path of a socket; port 0 is any free port.
    """

    def __init__(
        self,
        number: int,
        host: str,
        credentials: Credentials,
        actions: Mapping[str, Action],
        store: Store,
        port: int = 0,
    ) -> None:
        self._actions = dict(actions)
        self._store = store
        self._limit = credentials.limit
        options = {"middleware": {"token": _Gate(credentials.token)}, **_encryption(credentials.certificates)}
        super().__init__(location(host, port, tls=credentials.certificates is not None), **options)
        _SERVERS.add(self)
        self.endpoint = Endpoint(number, host, max(0, self.port), credentials)

    def do_action(self, context: Any, action: Any) -> list[Any]:
        """Run an action; its outcome, a value or an error, is the answer, in one piece or several."""
        return self._answer(lambda: self._run(action.type, join([action.body], self._limit)))

    def do_put(self, context: Any, descriptor: Any, reader: Any, writer: Any) -> None:
        """Deliver rows to the store, or run an action whose arguments arrive in pieces; the outcome is sent back."""

        def put() -> object:
            header = decode(descriptor.command)
            if isinstance(header, str):
                return self._run(header, join((chunk.app_metadata for chunk in reader), self._limit))
            if not isinstance(header, dict):  # refused before waiting for rows: the sender may be waiting, too
                raise NOT_READABLE.error(what="the rows have no description")
            self._store.deliver(header, _rows(reader, self._limit))
            return None

        for piece in self._answer(put):
            writer.write(piece)

    def do_get(self, context: Any, ticket: Any) -> Any:
        """Send rows of the store; an error is sent in the headers of the answer."""
        try:
            found = self._store.fetch(decode(ticket.ticket))
            if isinstance(found, pa.Table):
                found = pa.RecordBatchReader.from_batches(found.schema, batches(found, self._limit))
            return flight.RecordBatchStream(found)
        except BaseException as error:
            raise flight.FlightServerError(str(error)[:500], encode_short_error(error)) from error

    def _run(self, kind: str, body: bytes | memoryview) -> object:
        return self._actions[kind](*decode(body))

    def _answer(self, act: Callable[[], object]) -> list[Any]:
        """The outcome of an action as buffers; an outcome that is too large is an error, too."""
        try:
            pieces = cut(encode(act()), self._limit)
        except BaseException as error:
            pieces = cut(encode_error(error), MESSAGE_LIMIT)
        return [pa.py_buffer(piece) for piece in pieces]

    def close_within(self, seconds: float) -> bool:
        """Stop listening and wait for running requests; returns False if some still run after that time."""
        closing = threading.Thread(target=self.shutdown, name="tidelog-close", daemon=True)
        closing.start()
        closing.join(seconds)
        return not closing.is_alive()


_SERVERS: weakref.WeakSet[Server] = weakref.WeakSet()


def _leave_all() -> None:
    """Detach Flight's finalizer in a forked process: it would end the servers, and wait for threads that do not exist
    here. Flight does not expose this finalizer; it is found in the registry.
    """
    servers = set(map(id, _SERVERS))
    for finalizer, about in tuple(getattr(weakref.finalize, "_registry", {}).items()):
        if id(about.weakref()) in servers:
            finalizer.detach()


os.register_at_fork(after_in_child=_leave_all)


def _encryption(certificates: Certificates | None) -> dict[str, Any]:
    """The arguments with which Flight presents a certificate and requires one."""
    if certificates is None:
        return {}
    return {
        "tls_certificates": [(certificates.own, certificates.key)],
        "verify_client": True,
        "root_certificates": certificates.authority,
    }


def _rows(reader: Any, limit: int) -> pa.Table:
    """The rows that arrive, validated: no offset in them points outside of them."""
    found = []
    for chunk in reader:
        check_size(chunk.data.nbytes, limit)
        found.append(chunk.data)
    table = pa.Table.from_batches(found, reader.schema)
    table.validate(full=True)
    return table


class _Gate(flight.ServerMiddlewareFactory):  # type: ignore[misc]  # pyarrow has no types
    """Admits requests that have the token."""

    def __init__(self, token: str) -> None:
        self._expected = b"Bearer " + token.encode()

    def start_call(self, info: Any, headers: Mapping[str, list[Any]]) -> None:
        header = headers.get("authorization") or [""]
        credential = header[0] if isinstance(header[0], bytes) else str(header[0]).encode()
        if not hmac.compare_digest(credential, self._expected):
            raise flight.FlightUnauthenticatedError("this endpoint requires the token of its run")
