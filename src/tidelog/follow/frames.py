"""The frames of a replication connection: data, keepalives, and the confirmed position of the receiver.

Law: as in `pgoutput`, any bytes decode to a frame or raise a `FollowError`. Pure.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tidelog.follow.pgoutput import Reader, malformed

TIME_OF_2000 = 946_684_800  # seconds since 1970


@dataclass(frozen=True, slots=True)
class StreamData:
    """A message, to be decoded by `pgoutput.decode`."""

    start: int
    message: bytes


@dataclass(frozen=True, slots=True)
class Keepalive:
    """A keepalive: the server has sent everything before ``end`` in its log; it may request a reply."""

    end: int
    wants_reply: bool


def read_frame(data: bytes) -> StreamData | Keepalive:
    """The frame in these bytes."""
    reader = Reader(data)
    kind = reader.sign()
    if kind == "w":
        start = reader.number("!Q")
        reader.bytes(16)
        return StreamData(start, data[25:])
    if kind == "k":
        end = reader.number("!Q")
        reader.bytes(8)
        wants_reply = bool(reader.number("!B"))
        reader.end()
        return Keepalive(end, wants_reply)
    raise malformed(f"unknown frame kind {kind!r}")


def confirmation(place: int, now: float, wants_reply: bool = False) -> bytes:
    """A message that confirms everything before a position; ``now`` in seconds since 1970.

    >>> len(confirmation(7, 1e9))
    34
    """
    time = int((now - TIME_OF_2000) * 1_000_000)
    return struct.pack("!cQQQqB", b"r", place, place, place, time, wants_reply)
