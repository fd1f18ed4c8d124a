"""Messages of the stream: what PostgreSQL writes is read, and any other bytes end in a clear error."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.follow.errors import FollowError
from tidelog.follow.frames import Keepalive, StreamData, confirmation, read_frame
from tidelog.follow.lsn import lsn_text, read_lsn
from tidelog.follow.pgoutput import (
    UNCHANGED,
    Begin,
    Commit,
    Delete,
    Insert,
    OtherMessage,
    Relation,
    RelationColumn,
    Truncate,
    Update,
    decode,
)


def row(*values: str | None) -> bytes:
    """A row as the wire has it; `...` stands for a value that is not sent."""
    parts = [struct.pack("!H", len(values))]
    for value in values:
        if value is None:
            parts.append(b"n")
        elif value == "...":
            parts.append(b"u")
        else:
            text = value.encode()
            parts.append(b"t" + struct.pack("!i", len(text)) + text)
    return b"".join(parts)


TABLE = struct.pack("!I", 7)
RELATION = b"R" + TABLE + b"public\0link\0d" + struct.pack("!H", 2)
RELATION += b"\x01source\0" + struct.pack("!Ii", 25, -1) + b"\0target\0" + struct.pack("!Ii", 1043, 14)
MESSAGES = [
    (b"B" + struct.pack("!QqI", 9, 0, 5), Begin(9, 5)),
    (b"C\0" + struct.pack("!QQq", 9, 12, 44), Commit(9, 12, 44)),
    (
        RELATION,
        Relation(
            7,
            "public",
            "link",
            "d",
            (RelationColumn("source", 25, -1, True), RelationColumn("target", 1043, 14, False)),
        ),
    ),
    (b"I" + TABLE + b"N" + row("a", None), Insert(7, ("a", None))),
    (b"U" + TABLE + b"N" + row("a", "..."), Update(7, ("a", UNCHANGED))),
    (b"U" + TABLE + b"K" + row("b", None) + b"N" + row("a", "é"), Update(7, ("a", "é"), ("b", None), True)),
    (b"U" + TABLE + b"O" + row("b", "c") + b"N" + row("a", ""), Update(7, ("a", ""), ("b", "c"), False)),
    (b"D" + TABLE + b"K" + row("b", None), Delete(7, ("b", None), True)),
    (b"D" + TABLE + b"O" + row("b", "c"), Delete(7, ("b", "c"), False)),
    (b"T" + struct.pack("!IBII", 2, 0, 7, 8), Truncate((7, 8))),
    (b"O" + bytes(8) + b"elsewhere\0", OtherMessage("origin")),
    (b"Y" + TABLE + b"public\0colour\0", OtherMessage("type")),
]


@pytest.mark.parametrize(("data", "message"), MESSAGES, ids=lambda found: type(found).__name__)
def test_message_is_read(data: bytes, message: object) -> None:
    assert decode(data) == message


@pytest.mark.parametrize("data", [data for data, message in MESSAGES if not isinstance(message, OtherMessage)])
def test_a_message_that_is_cut_or_goes_on_is_refused(data: bytes) -> None:
    for wrong in [data[:end] for end in range(len(data))] + [data + b"\0"]:
        with pytest.raises(FollowError) as raised:
            decode(wrong)
        assert raised.value.code == "TL7110"


@given(st.binary(max_size=60), st.sampled_from([data[:9] for data, _ in MESSAGES] + [b""]))
def test_any_bytes_are_a_message_or_a_clear_error(data: bytes, begin: bytes) -> None:
    codes = set()
    for read in (decode, read_frame):
        try:
            read(begin + data)
        except FollowError as error:
            codes.add(error.code)
    assert codes <= {"TL7110"}


def test_frames_are_read() -> None:
    assert read_frame(b"w" + struct.pack("!QQq", 5, 6, 7) + b"B...") == StreamData(5, b"B...")
    assert read_frame(b"k" + struct.pack("!QqB", 5, 6, 1)) == Keepalive(5, True)


def test_a_confirmation_names_the_place_three_times() -> None:
    kind, *places, time, reply = struct.unpack("!cQQQqB", confirmation(77, 946_684_801.5))
    assert (kind, places, time, reply) == (b"r", [77, 77, 77], 1_500_000, 0)


@given(st.integers(0, 2**64 - 1))
def test_places_are_read_as_they_are_written(place: int) -> None:
    assert read_lsn(lsn_text(place)) == place


@pytest.mark.parametrize("text", ["", "1", "x/y", "1/2/3"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(FollowError, match="not a log position"):
        read_lsn(text)
