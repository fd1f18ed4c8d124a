"""Answers whose further pages may be asked for.

Law: all pages of an answer belong to one epoch. The most recently used answers are kept within a number of bytes; a
page whose answer is gone is refused, unless the state is still at its epoch.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from typing import NamedTuple

from tidelog.engine.read.view import Rows
from tidelog.serve import serve_failures as failures

Key = tuple[object, ...]  # what was asked
SHARE = 4  # an answer larger than this part of the room is not kept
OVERHEAD = 512  # bytes of an answer beside its cells
_PLACE = re.compile(r"(\d{1,18})\.(\d{1,18})")


class Place(NamedTuple):
    """Where a page starts: after a number of rows of an answer of an epoch."""

    epoch: int
    first: int

    def __str__(self) -> str:
        return f"{self.epoch}.{self.first}"


def read_place(text: str) -> Place:
    """The place that a client sends back.

    >>> read_place("17.1000")
    Place(epoch=17, first=1000)
    """
    found = _PLACE.fullmatch(text)
    if found is None:
        raise failures.NOT_AS_DESCRIBED.error(place="after", what="is not the `next` of a previous response")
    return Place(int(found[1]), int(found[2]))


class Pages:
    """Answers by what was asked and the epoch."""

    def __init__(self, room: int) -> None:
        self._room, self._held = room, 0
        self._kept: OrderedDict[tuple[Key, int], Rows] = OrderedDict()
        self._lock = threading.Lock()

    def have_room(self, size: int) -> bool:
        """Whether an answer of this size in bytes would be kept."""
        return size * SHARE <= self._room

    def keep(self, key: Key, epoch: int, rows: Rows) -> None:
        """Keep an answer, and let go of others if there is no room."""
        size = _size(rows)
        if not self.have_room(size):
            return
        with self._lock:
            if (key, epoch) in self._kept:
                return
            self._kept[key, epoch] = rows
            self._held += size
            while self._held > self._room:
                _, gone = self._kept.popitem(last=False)
                self._held -= _size(gone)

    def find(self, key: Key, epoch: int) -> Rows | None:
        """The answer, if it is kept."""
        with self._lock:
            found = self._kept.get((key, epoch))
            if found is not None:
                self._kept.move_to_end((key, epoch))
            return found

    @property
    def held(self) -> int:
        """Bytes that are kept."""
        return self._held


def _size(rows: Rows) -> int:
    return int(rows._cells().nbytes) + rows.own_texts + OVERHEAD
