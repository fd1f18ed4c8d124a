"""Responses whose next pages may be requested.

Law: all pages of a response belong to one epoch. The most recently used responses are kept within a number of bytes; a
page whose response is no longer kept is refused, unless the state is still at its epoch.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from typing import NamedTuple

from tidelog.engine.read.view import Rows
from tidelog.serve import serve_failures as failures

Key = tuple[object, ...]  # identifies a request
SHARE = 4  # a response larger than this fraction of the room is not kept
OVERHEAD = 512  # bytes of a response in addition to its cells
_PLACE = re.compile(r"(\d{1,18})\.(\d{1,18})")


class PagePlace(NamedTuple):
    """The start of a page: an epoch and a number of rows."""

    epoch: int
    first: int

    def __str__(self) -> str:
        return f"{self.epoch}.{self.first}"


def read_place(text: str) -> PagePlace:
    """Parse the place that a client sends back.

    >>> read_place("17.1000")
    PagePlace(epoch=17, first=1000)
    """
    match = _PLACE.fullmatch(text)
    if match is None:
        raise failures.NOT_AS_DESCRIBED.error(place="after", what="is not the `next` of a previous response")
    return PagePlace(int(match[1]), int(match[2]))


class PageCache:
    """Responses by request and epoch."""

    def __init__(self, room: int) -> None:
        self._room, self._size_in_bytes = room, 0
        self._rows_by_key: OrderedDict[tuple[Key, int], Rows] = OrderedDict()
        self._lock = threading.Lock()

    def have_room(self, size: int) -> bool:
        """Whether a response of this size in bytes would be kept."""
        return size * SHARE <= self._room

    def keep(self, key: Key, epoch: int, rows: Rows) -> None:
        """Keep a response, and evict others if there is no room."""
        size = _size(rows)
        if not self.have_room(size):
            return
        with self._lock:
            if (key, epoch) in self._rows_by_key:
                return
            self._rows_by_key[key, epoch] = rows
            self._size_in_bytes += size
            while self._size_in_bytes > self._room:
                _, evicted = self._rows_by_key.popitem(last=False)
                self._size_in_bytes -= _size(evicted)

    def find(self, key: Key, epoch: int) -> Rows | None:
        """The response, if it is kept."""
        with self._lock:
            rows = self._rows_by_key.get((key, epoch))
            if rows is not None:
                self._rows_by_key.move_to_end((key, epoch))
            return rows

    @property
    def held(self) -> int:
        """Bytes that are kept."""
        return self._size_in_bytes


def _size(rows: Rows) -> int:
    return int(rows._cells().nbytes) + rows.own_texts + OVERHEAD
