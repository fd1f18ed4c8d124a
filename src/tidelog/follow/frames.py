"""What goes over a replication connection: data, signs of life, and how far the receiver has come.

Law: as `pgoutput`: any bytes give a frame or a `FollowError`. Pure.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tidelog.follow.pgoutput import Reader, malformed

TIME_OF_2000 = 946_684_800  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Data:
    """A message, to be decoded by `pgoutput.decode`."""

    start: int
    message: bytes


@dataclass(frozen=True, slots=True)
class Alive:
    """The server has sent all that it has to say of the log before ``end``; it may want an answer."""

    end: int
    wants_answer: bool


def read_frame(data: bytes) -> Data | Alive:
    """The frame in these bytes."""
    reader = Reader(data)
    kind = reader.sign()
    if kind == "w":
        start = reader.number("!Q")
        reader.bytes(16)
        return Data(start, data[25:])
    if kind == "k":
        end = reader.number("!Q")
        reader.bytes(8)
        wants = bool(reader.number("!B"))
        reader.end()
        return Alive(end, wants)
    raise malformed(f"unknown frame kind {kind!r}")


def confirmation(place: int, now: float, wants_answer: bool = False) -> bytes:
    """Confirms to the server that everything before a position is safe here; ``now`` in seconds since 1970.

    >>> len(confirmation(7, 1e9))
    34
    """
    time = int((now - TIME_OF_2000) * 1_000_000)
    return struct.pack("!cQQQqB", b"r", place, place, place, time, wants_answer)
