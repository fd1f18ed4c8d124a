"""The stream of changes: frames from a replication connection, and confirmations to it.

Law: frames arrive in the order in which they were sent, each once per connection. After a restart, the database sends
again what was not confirmed, and nothing else.
"""

from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING, Any

from tidelog.follow import follow_failures as failures
from tidelog.follow.connect import database_errors, place_of, without_secrets
from tidelog.follow.frames import Keepalive, StreamData, confirmation, read_frame
from tidelog.follow.lsn import lsn_text
from tidelog.follow.options import FollowOptions

if TYPE_CHECKING:
    from psycopg import Connection


COPY_BOTH = 8  # the libpq status of a connection to which both sides write


class ReplicationStream:
    """The messages of a database from a position in its log."""

    def __init__(self, connection: Connection[tuple[Any, ...]], options: FollowOptions, place: int) -> None:
        self._wire = connection.pgconn
        self._options = options
        self._poll = select.poll()
        self._poll.register(self._wire.socket, select.POLLIN)
        name = options.publication.replace('"', '""').replace("'", "''")
        command = (
            f'START_REPLICATION SLOT "{options.slot}" LOGICAL {lsn_text(place)}'
            f" (proto_version '1', publication_names '\"{name}\"')"
        )
        with database_errors(options.dsn, f"to stream from the slot `{options.slot}`"):
            result = self._wire.exec_(command.encode())
        if result.status != COPY_BOTH:
            self._fail(result.error_message.decode("utf-8", "replace"))

    def read(self, seconds: float) -> StreamData | Keepalive | None:
        """The next frame; None if none arrives within ``seconds``."""
        with database_errors(self._options.dsn, "to continue streaming"):
            size, data = self._wire.get_copy_data(1)
            if size == 0:
                if not self._poll.poll(seconds * 1000):
                    return None
                self._wire.consume_input()
                size, data = self._wire.get_copy_data(1)
        if size > 0:
            return read_frame(bytes(data))
        if size < 0:
            result = self._wire.get_result()
            self._fail("" if result is None else result.error_message.decode("utf-8", "replace"))
        return None

    def confirm(self, place: int, *, wants_reply: bool = False) -> None:
        """Confirm to the database that everything before a position is safe here; it may be asked to reply."""
        with database_errors(self._options.dsn, "to confirm a position"):
            self._wire.put_copy_data(confirmation(place, time.time(), wants_reply))
            self._wire.flush()

    def _fail(self, error: str) -> None:
        """Raise for a stream that the server has ended."""
        message = without_secrets(error, self._options.dsn) or "the stream has ended"
        raise failures.UNREACHABLE.error(where=place_of(self._options.dsn), error=message)
