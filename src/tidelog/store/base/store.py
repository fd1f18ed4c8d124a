"""What a state folder requires of its storage: a few operations on named files.

Law (D20): `write` puts a whole file in place or none and is durable when it returns; `append` is durable when it
returns, and an append that fails or is interrupted leaves at most a torn end. Names are relative, with ``/`` between
folders. Local files lock out a second writer; on other file systems the user ensures a single writer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tidelog.store.base.frame import Bytes

HISTORY = 1000  # epochs that stay readable


class Store(Protocol):
    """A place that holds the files of a state."""

    @property
    def name(self) -> str:
        """The place as the user knows it, for messages."""

    @property
    def appends(self) -> bool:
        """Whether `append` can extend an existing file; otherwise it only creates new files, each of them whole."""

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order; none if the folder is missing."""

    def size(self, name: str) -> int:
        """The length of a file, -1 if it is missing."""

    def read(self, name: str) -> Bytes:
        """The content of a file; FileNotFoundError if it is missing."""

    def write(self, name: str, parts: Sequence[Bytes]) -> None:
        """Put a file in place, whole and durable."""

    def append(self, name: str, parts: Sequence[Bytes], at: int, *, sync: bool = True) -> None:
        """Append durably to a file whose good part is ``at`` bytes long; anything after that is cut off first.

        Without ``sync`` it is durable after the next `sync` of the file, or `append` with it.
        """

    def sync(self, name: str) -> None:
        """Make what was appended to a file durable; another thread may append to it at the same time."""

    def cut(self, name: str, size: int) -> None:
        """Truncate a file durably."""

    def remove(self, name: str) -> None:
        """Remove a file, which may already be missing."""

    def clean(self, folder: str = "") -> None:
        """Remove what incomplete writes left in a folder."""

    def lock(self) -> None:
        """Become the only writer, or raise a StateError that names the holder."""

    def unlock(self) -> None:
        """Allow another writer."""


def open_store(place: str | Path | Store) -> Store:
    """The store at a path or URI; a store is returned unchanged."""
    from tidelog.store.base.files import FileStore
    from tidelog.store.base.objects import ObjectStore

    if isinstance(place, Path):
        return FileStore(place)
    if isinstance(place, str):
        scheme, found, rest = place.partition("://")
        if found and scheme != "file":
            return ObjectStore.from_uri(place)
        return FileStore(Path(rest if found else place))
    return place
