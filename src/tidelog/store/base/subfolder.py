"""A folder of a store as a separate store: it contains the part of one partition.

Law: names are prefixed with the folder; the lock of the whole state covers all its folders, so there is no second lock
here.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.store.base.frame import Bytes
from tidelog.store.base.store import Store


class Subfolder:
    """The files of a store below a folder."""

    def __init__(self, store: Store, folder: str) -> None:
        self._store = store
        self._folder = folder

    @property
    def name(self) -> str:
        """The place as the user knows it."""
        return f"{self._store.name}/{self._folder}"

    @property
    def appends(self) -> bool:
        """Whether files can grow."""
        return self._store.appends

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order."""
        return self._store.names(self._within(folder))

    def size(self, name: str) -> int:
        """The length of a file, -1 if it is not there."""
        return self._store.size(self._within(name))

    def read(self, name: str) -> Bytes:
        """The content of a file."""
        return self._store.read(self._within(name))

    def write(self, name: str, parts: Sequence[Bytes]) -> None:
        """Put a file in place, whole and durable."""
        self._store.write(self._within(name), parts)

    def append(self, name: str, parts: Sequence[Bytes], at: int, *, sync: bool = True) -> None:
        """Append to a file whose good part is ``at`` bytes long, durably unless it is synced later."""
        self._store.append(self._within(name), parts, at, sync=sync)

    def sync(self, name: str) -> None:
        """Make what was appended to a file durable."""
        self._store.sync(self._within(name))

    def cut(self, name: str, size: int) -> None:
        """Truncate a file durably."""
        self._store.cut(self._within(name), size)

    def remove(self, name: str) -> None:
        """Remove a file, which may already be missing."""
        self._store.remove(self._within(name))

    def clean(self, folder: str = "") -> None:
        """Remove what incomplete writes left."""
        self._store.clean(self._within(folder))

    def lock(self) -> None:
        """Do nothing: the only writer locks the whole state."""

    def unlock(self) -> None:
        """Do nothing: the only writer unlocks the whole state."""

    def _within(self, name: str) -> str:
        return f"{self._folder}/{name}" if name else self._folder
