"""The messages of `pgoutput`, PostgreSQL's own format of logical replication, version 1: from bytes to values.

Law: any bytes decode to a message or raise a `FollowError` (TL7110); nothing is guessed, no bytes are left over. Pure:
no
connection, no clock.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tidelog.follow import follow_failures as failures
from tidelog.follow.types import NotUtf8


class UnchangedValue:
    """A large value that did not change and that the database does not send again."""

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED = UnchangedValue()
Value: TypeAlias = "str | UnchangedValue | None"
Values: TypeAlias = "tuple[Value, ...]"


@dataclass(frozen=True, slots=True)
class Begin:
    """A transaction begins; it ends at ``commit``."""

    commit: int
    transaction: int


@dataclass(frozen=True, slots=True)
class Commit:
    """The transaction is complete; the log continues at ``end``."""

    commit: int
    end: int
    time: int  # microseconds since 2000


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column as the stream sends it; ``in_key``: part of the replica identity."""

    name: str
    type: int
    modifier: int
    in_key: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """The columns of a table in the following messages."""

    table: int
    schema: str
    name: str
    identity: str  # d: primary key, n: nothing, f: the full row, i: an index
    columns: tuple[RelationColumn, ...]


@dataclass(frozen=True, slots=True)
class Insert:
    """A row was inserted."""

    table: int
    new: Values


@dataclass(frozen=True, slots=True)
class Update:
    """A row was changed; ``old`` is its old key (``old_is_key``) or the whole old row, if the database sends it."""

    table: int
    new: Values
    old: Values | None = None
    old_is_key: bool = False


@dataclass(frozen=True, slots=True)
class Delete:
    """A row was deleted; ``old`` is its key or the whole row."""

    table: int
    old: Values
    old_is_key: bool


@dataclass(frozen=True, slots=True)
class Truncate:
    """Tables were truncated."""

    tables: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OtherMessage:
    """A message that changes no row: the origin of a transaction, the name of a type, a message of an application."""

    kind: str


Message: TypeAlias = "Begin | Commit | Relation | Insert | Update | Delete | Truncate | OtherMessage"


class Reader:
    """Reads numbers and strings from bytes, in the order of the wire."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, form: str) -> int:
        """One integer; ``form`` as in `struct`."""
        size = struct.calcsize(form)
        return int(struct.unpack(form, self.bytes(size))[0])

    def bytes(self, size: int) -> bytes:
        """The next ``size`` bytes."""
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise malformed(f"{size} bytes are expected at {self._at}, but the message has {len(self._data)}")
        chunk, self._at = self._data[self._at : end], end
        return chunk

    def text(self) -> str:
        """A string terminated by a zero byte."""
        end = self._data.find(b"\0", self._at)
        if end < 0:
            raise malformed(f"the string at {self._at} is not terminated")
        chunk, self._at = self._data[self._at : end], end + 1
        return decode_text(chunk)

    def sign(self) -> str:
        """One character."""
        return self.bytes(1).decode("latin-1")

    def end(self) -> None:
        """Raise if bytes are left over."""
        if self._at != len(self._data):
            raise malformed(f"{len(self._data) - self._at} bytes are left over")


def malformed(what: str) -> Exception:
    """The error for bytes that are not a message."""
    return failures.MALFORMED.error(what=what)


def decode_text(data: bytes) -> str:
    """Bytes of the wire as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise malformed(f"a string is not UTF-8 ({error.reason})") from None


def value_text(data: bytes) -> str:
    """The text of a value; one that is not UTF-8 is a `NotUtf8`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return NotUtf8(data.decode("utf-8", "surrogateescape"))


def decode(data: bytes) -> Message:
    """The message in these bytes.

    >>> decode(b"B" + bytes(7) + bytes([9]) + bytes(8) + bytes(3) + bytes([5]))
    Begin(commit=9, transaction=5)
    """
    if not data:
        raise malformed("it is empty")
    reader = Reader(data)
    kind = reader.sign()
    if kind in _OTHER_MESSAGES:
        return OtherMessage(_OTHER_MESSAGES[kind])
    if kind not in _READERS:
        raise malformed(f"unknown message type {kind!r}")
    message = _READERS[kind](reader)
    reader.end()
    return message


def _begin(reader: Reader) -> Begin:
    commit = reader.number("!Q")
    reader.number("!q")
    return Begin(commit, reader.number("!I"))


def _commit(reader: Reader) -> Commit:
    reader.number("!B")
    return Commit(reader.number("!Q"), reader.number("!Q"), reader.number("!q"))


def _relation(reader: Reader) -> Relation:
    table, schema, name = reader.number("!I"), reader.text(), reader.text()
    identity = reader.sign()
    columns = tuple(_relation_column(reader) for _ in range(reader.number("!H")))
    return Relation(table, schema or "pg_catalog", name, identity, columns)


def _relation_column(reader: Reader) -> RelationColumn:
    flags, name = reader.number("!B"), reader.text()
    return RelationColumn(name, reader.number("!I"), reader.number("!i"), bool(flags & 1))


def _values(reader: Reader) -> Values:
    return tuple(_value(reader) for _ in range(reader.number("!H")))


def _value(reader: Reader) -> Value:
    kind = reader.sign()
    if kind == "t":
        return value_text(reader.bytes(reader.number("!i")))
    if kind == "n":
        return None
    if kind == "u":
        return UNCHANGED
    raise malformed(f"unknown value type {kind!r}")


def _insert(reader: Reader) -> Insert:
    table = reader.number("!I")
    _expect(reader.sign(), "N")
    return Insert(table, _values(reader))


def _update(reader: Reader) -> Update:
    table, kind = reader.number("!I"), reader.sign()
    old: Values | None = None
    if kind in ("K", "O"):
        old = _values(reader)
        _expect(reader.sign(), "N")
    else:
        _expect(kind, "N")
    return Update(table, _values(reader), old, kind == "K")


def _delete(reader: Reader) -> Delete:
    table, kind = reader.number("!I"), reader.sign()
    if kind not in ("K", "O"):
        raise malformed(f"unknown type {kind!r} of a deleted row")
    return Delete(table, _values(reader), kind == "K")


def _truncate(reader: Reader) -> Truncate:
    count = reader.number("!I")
    reader.number("!B")
    return Truncate(tuple(reader.number("!I") for _ in range(count)))


def _expect(kind: str, expected: str) -> None:
    if kind != expected:
        raise malformed(f"{kind!r} instead of {expected!r}")


_OTHER_MESSAGES = {"O": "origin", "Y": "type", "M": "message"}
_READERS: dict[str, Callable[[Reader], Message]] = {
    "B": _begin,
    "C": _commit,
    "R": _relation,
    "I": _insert,
    "U": _update,
    "D": _delete,
    "T": _truncate,
}
