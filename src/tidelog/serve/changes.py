"""The changes of one epoch in one view, as sent to clients.

Law: an event has all rows of its epoch. A large event is sent in several parts, of which only the last has the number
of the epoch as its id: a client that is disconnected in the middle receives the whole epoch again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tidelog.engine.read.view import ChangeSet
from tidelog.serve.values import Types, rows_to_json, to_json

PART = 10_000  # rows of one event


@dataclass(frozen=True, slots=True)
class EpochChange:
    """The rows that an epoch inserted into a view and deleted from it, as plain values."""

    epoch: int
    plus: Sequence[Any]
    minus: Sequence[Any]
    _text: list[bytes] = field(default_factory=list)

    @classmethod
    def of(cls, epoch: int, change: ChangeSet) -> EpochChange:
        """From the change set of a view."""
        plus, minus = change.inserted, change.deleted
        return cls(epoch, rows_to_json(plus.rows(), plus.types), rows_to_json(minus.rows(), minus.types))

    @classmethod
    def of_facts(cls, epoch: int, signed: Sequence[tuple[int, tuple[Any, ...]]], types: Types) -> EpochChange:
        """From the facts in the history."""
        plus, minus = ([fact for sign, fact in signed if sign == expected] for expected in (1, -1))
        return cls(epoch, *(rows_to_json(rows, _types_for(rows, types)) for rows in (plus, minus)))

    def __len__(self) -> int:
        return len(self.plus) + len(self.minus)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"epoch": self.epoch, "plus": self.plus, "minus": self.minus}

    def event(self) -> bytes:
        """The server-sent events of the change; created once, for all feeds."""
        if not self._text:
            self._text.append(b"".join(self._events()))
        return self._text[0]

    def _events(self) -> Iterator[bytes]:
        for part in self._parts():
            id_ = b"" if "more" in part else b"id: %d\n" % self.epoch
            yield id_ + b"event: change\ndata: " + to_json(part) + b"\n\n"

    def _parts(self) -> Iterator[dict[str, Any]]:
        """The content of each event; all but the last have `more`."""
        if len(self) <= PART:
            yield self.to_json()
            return
        both = [("plus", self.plus, i) for i in range(0, len(self.plus), PART)]
        both += [("minus", self.minus, i) for i in range(0, len(self.minus), PART)]
        for number, (name, rows, first) in enumerate(both, 1):
            more = {"more": True} if number < len(both) else {}
            yield {"epoch": self.epoch, "plus": [], "minus": [], name: rows[first : first + PART], **more}


def _types_for(rows: Sequence[tuple[Any, ...]], types: Types) -> Types:
    """The types of a view's columns, or none if the facts are older than these columns."""
    return types if not rows or len(rows[0]) == len(types) else (None,) * len(rows[0])
