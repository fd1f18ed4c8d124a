"""The client side of a partition's endpoint: an address with its token, and a persistent connection to it.

Law: every failure of the connection is a `PartitionLost` that names the partition at the other end, and an error of the
resident itself is raised here unchanged. A `Peer` does not wait for a partition that does not exist yet.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.flight as flight

from tidelog.spark.errors import NoAnswer, PartitionLost
from tidelog.spark.resident.credentials import DRIVER_SIDE, PARTITION_SIDE, Credentials
from tidelog.spark.resident.pieces import PIECE, batches, cut, join
from tidelog.spark.resident.resident_failures import ANSWER, LATE, LOST, TOKEN
from tidelog.spark.resident.wire import CALL, decode, encode

Descriptor = dict[str, Any]
Address = tuple[int, str, int]  # an endpoint without its secret
DRIVER = -1  # the number of the driver's endpoint


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a partition listens. Contains the run's secrets, which its `repr` omits.

    >>> Endpoint(0, "127.0.0.1", 4711, Credentials("secret"))
    Endpoint(number=0, host='127.0.0.1', port=4711)
    """

    number: int
    host: str
    port: int
    credentials: Credentials = field(repr=False)

    @property
    def location(self) -> str:
        """The address as Flight writes it."""
        return location(self.host, self.port, tls=self.credentials.certificates is not None)

    @property
    def address(self) -> Address:
        """The address for other members of the run, which already have its secret."""
        return self.number, self.host, self.port

    def open(self) -> Peer:
        """A connection, made at the first call."""
        return Peer(self)


def location(host: str, port: int, *, tls: bool = False) -> str:
    """The address as Flight writes it.

    >>> location("::1", 0), location("/tmp/x/socket", 0)
    ('grpc+tcp://[::1]:0', 'grpc+unix:///tmp/x/socket')
    """
    if host.startswith("/"):
        return f"grpc+unix://{host}"
    return f"grpc+{'tls' if tls else 'tcp'}://{f'[{host}]' if ':' in host else host}:{port}"


class Peer:
    """A persistent connection to a partition; several threads may use it at once. It is pickled as its address."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._headers = [(b"authorization", b"Bearer " + endpoint.credentials.token.encode())]
        self._options = flight.FlightCallOptions(headers=self._headers)
        self._client: Any = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Peer], tuple[Endpoint]]:
        return Peer, (self.endpoint,)

    @property
    def number(self) -> int:
        """The partition at the other end."""
        return self.endpoint.number

    def call(self, method: str, args: tuple[Any, ...] = (), *, limit: float | None = None) -> Any:
        """Call the resident; returns the result of its ``call``."""
        return self.act(CALL, (method, args), limit=limit)

    def act(self, kind: str, args: tuple[Any, ...] = (), *, limit: float | None = None) -> Any:
        """Call an action of the endpoint: `CALL`, or one of those that the stage itself uses."""
        with self._failures(kind, limit):
            client, body, largest = self._connection(), encode(args), self.endpoint.credentials.limit
            if len(body) > PIECE:
                answer = _in_pieces(client, kind, cut(body, largest), self._calling(limit), largest)
            else:
                answers = client.do_action(flight.Action(kind, body), self._calling(limit))
                answer = join((part.body for part in answers), largest)
        return decode(answer)

    def deliver(self, descriptor: Descriptor, table: pa.Table, *, limit: float | None = None) -> None:
        """Deliver rows to the resident; returns when its ``deliver`` has returned."""
        with self._failures("deliver", limit):
            address = flight.FlightDescriptor.for_command(encode(descriptor))
            client = self._connection()
            writer, answers = client.do_put(address, table.schema, self._calling(limit))
            with writer:
                for batch in batches(table, self.endpoint.credentials.limit):
                    writer.write_batch(batch)
                writer.done_writing()
                answer = answers.read()
        if answer is None:  # gRPC drops the answer of a partition that does not read all rows
            raise ANSWER.error(number=self.number, error="the delivery was rejected")
        decode(answer)

    def fetch(self, descriptor: Descriptor, *, limit: float | None = None) -> pa.Table:
        """The rows that the resident's ``fetch`` returns."""
        with self._failures("fetch", limit):
            client = self._connection()
            return _reader(client, descriptor, self._calling(limit)).read_all()

    def batches(self, descriptor: Descriptor, *, limit: float | None = None) -> Iterator[pa.RecordBatch]:
        """The same rows, batch by batch."""
        with self._failures("fetch", limit):
            client = self._connection()
            for chunk in _reader(client, descriptor, self._calling(limit)):
                yield chunk.data

    def close(self) -> None:
        """Drop the connection; a later call opens it again.

        Flight's own `close` crashes the process if another thread is just starting a call, so the client is
        only released: it is closed with the last call that uses it.
        """
        with self._lock:
            self._client = None

    def _connection(self) -> Any:
        """The client; the caller keeps a reference to it until the answer has arrived."""
        client = self._client
        if client is None:
            with self._lock:
                client = self._client = self._client or _client(self.endpoint)
        return client

    def _calling(self, limit: float | None) -> Any:
        return self._options if limit is None else flight.FlightCallOptions(timeout=limit, headers=self._headers)

    @contextmanager
    def _failures(self, what: str, limit: float | None) -> Iterator[None]:
        try:
            yield
        except flight.FlightUnauthenticatedError as error:
            raise TOKEN.error(number=self.number) from error
        except flight.FlightTimedOutError as error:
            raise LATE.mark(NoAnswer(self.number, what, limit or 0.0)) from error
        except (flight.FlightUnavailableError, flight.FlightCancelledError, flight.FlightInternalError) as error:
            raise LOST.mark(PartitionLost(self.number, _first_line(error))) from error
        except flight.FlightServerError as error:
            if error.extra_info:
                decode(error.extra_info)
            raise ANSWER.error(number=self.number, error=_first_line(error)) from error
        except pa.ArrowException as error:
            raise ANSWER.error(number=self.number, error=_first_line(error)) from error


def _client(endpoint: Endpoint) -> Any:
    """A connection that presents the certificate of this side, and requires that of the other."""
    credentials = endpoint.credentials
    options: dict[str, Any] = {"generic_options": [("grpc.max_receive_message_length", credentials.limit)]}
    if credentials.certificates is not None:
        options |= {
            "tls_root_certs": credentials.certificates.authority,
            "cert_chain": credentials.certificates.own,
            "private_key": credentials.certificates.key,
            "override_hostname": DRIVER_SIDE if endpoint.number == DRIVER else PARTITION_SIDE,
        }
    return flight.FlightClient(endpoint.location, **options)


def _in_pieces(client: Any, kind: str, pieces: Sequence[memoryview], options: Any, limit: int) -> bytes | memoryview:
    """Send a call with large arguments in pieces; the token is compared before the first of them is sent."""
    writer, answers = client.do_put(flight.FlightDescriptor.for_command(encode(kind)), pa.schema([]), options)
    with writer:
        for piece in pieces:
            writer.write_metadata(pa.py_buffer(piece))
        writer.done_writing()
        return join(_all(answers), limit)


def _all(answers: Any) -> Iterator[Any]:
    while (answer := answers.read()) is not None:
        yield answer


def _reader(client: Any, descriptor: Descriptor, options: Any) -> Any:
    return client.do_get(flight.Ticket(encode(descriptor)), options)


def _first_line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0][:300]
