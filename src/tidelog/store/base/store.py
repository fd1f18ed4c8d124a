"""What a state folder needs of the place it lives in: a few operations on named files.

Law (D20): `write` puts a whole file in place or none and is durable when it returns; `append` is durable when it
returns, and an append that fails or is cut short leaves at most a torn end behind. Names are relative, with ``/``
between folders. Local files lock out a second writer; on other file systems one writer is the duty of the user.
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
        """Whether `append` can add to a file that is there; otherwise it only makes new files, each of them whole."""

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order; none if the folder is not there."""

    def size(self, name: str) -> int:
        """The length of a file, -1 if it is not there."""

    def read(self, name: str) -> Bytes:
        """The content of a file; FileNotFoundError if it is not there."""

    def write(self, name: str, parts: Sequence[Bytes]) -> None:
        """Put a file in place, whole and durable."""

    def append(self, name: str, parts: Sequence[Bytes], at: int) -> None:
        """Add to a file whose good part is ``at`` bytes long, durably; what stands after that is cut off first."""

    def cut(self, name: str, size: int) -> None:
        """Shorten a file, durably."""

    def remove(self, name: str) -> None:
        """Remove a file; it may be gone already."""

    def clean(self, folder: str = "") -> None:
        """Remove the leftovers of writes in a folder that were never completed."""

    def lock(self) -> None:
        """Become the one writer, or raise a StateError that names the holder."""

    def unlock(self) -> None:
        """Let another writer in."""


def open_store(place: str | Path | Store) -> Store:
    """The store at a path or URI; a store is itself."""
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
