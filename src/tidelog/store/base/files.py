"""Local files as a store: atomic writes by rename, appends with a sync, a lock.

Law: `write` is temp file, sync, rename, sync of the folder, in this order. `append` writes beyond the good part and
syncs; the frame's own checksum is the commit mark. After a call that fails, the next call, or the next opening,
truncates the file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from tidelog.store.base import store_failures as failures
from tidelog.store.base.disk import Disk, LocalDisk
from tidelog.store.base.frame import Bytes
from tidelog.store.base.lock import Lock

LOCK = "lock"
TEMPORARY = ".tmp"
FOLDERS = ("", "log", "snapshots")


class FileStore:
    """A state in a folder of this machine."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        self.root = root
        self.disk = disk or LocalDisk(root)
        self._lock = Lock(root / LOCK)
        self._made: set[str] = set()

    def __reduce__(self) -> tuple[type[FileStore], tuple[Path, Disk]]:
        """The same folder for another process: found from any working directory, and not locked by that process."""
        return FileStore, (self.root.absolute(), self.disk)

    @property
    def name(self) -> str:
        """The folder."""
        return str(self.root)

    @property
    def appends(self) -> bool:
        """Files can grow."""
        return True

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order, without temporary files."""
        return [n for n in self.disk.names(folder) if not n.endswith(TEMPORARY) and n != LOCK]

    def size(self, name: str) -> int:
        """The length of a file, -1 if it is not there."""
        found = self.disk.size(name)
        if found < 0:
            self._must_be_there()
        return found

    def read(self, name: str) -> Bytes:
        """The content of a file."""
        return self.disk.read(name)

    def write(self, name: str, parts: Sequence[Bytes]) -> None:
        """Put a file in place, whole and durable."""
        self._must_be_there()
        folder = self._folder_of(name)
        self.disk.write(name + TEMPORARY, parts, 0)
        self.disk.sync(name + TEMPORARY)
        self.disk.rename(name + TEMPORARY, name)
        self.disk.sync_folder(folder)

    def append(self, name: str, parts: Sequence[Bytes], at: int, *, sync: bool = True) -> None:
        """Append to a file whose good part is ``at`` bytes long; anything after that is cut off first."""
        self._must_be_there()
        folder = self._folder_of(name)
        try:
            if at and self.disk.size(name) > at:
                self.disk.truncate(name, at)
            self.disk.write(name, parts, at)
            if sync or at == 0:
                self.disk.sync(name)
            if at == 0:
                self.disk.sync_folder(folder)
        except OSError:
            with contextlib.suppress(OSError):  # if this fails too, the next append or opening truncates it
                self.disk.truncate(name, at)
                self.disk.sync(name)
            raise

    def sync(self, name: str) -> None:
        """Make what was appended to a file durable; another thread may append to it at the same time."""
        self.disk.sync(name)

    def cut(self, name: str, size: int) -> None:
        """Truncate a file durably."""
        self._must_be_there()
        self.disk.truncate(name, size)
        self.disk.sync(name)

    def remove(self, name: str) -> None:
        """Remove a file, which may already be missing."""
        with contextlib.suppress(FileNotFoundError):
            self.disk.remove(name)

    def clean(self, folder: str = "") -> None:
        """Remove temporary files."""
        for part in FOLDERS:
            inner = "/".join(filter(None, (folder, part)))
            for name in self.disk.names(inner):
                if name.endswith(TEMPORARY):
                    self.remove(f"{inner}/{name}" if inner else name)

    def lock(self) -> None:
        """Become the only writer."""
        try:
            self.disk.make_folder("")
            self._lock.take()
        except OSError as error:
            raise failures.UNUSABLE.error(name=self.root, reason=error.strerror) from error

    def unlock(self) -> None:
        """Allow another writer."""
        self._lock.drop()

    def _must_be_there(self) -> None:
        """Refuse to create a removed folder again: it would contain half a state, or another writer's."""
        if self._lock.holder is not None:
            raise failures.FORKED.error(name=self.root, process=self._lock.holder)
        if self._lock.is_lost:
            raise failures.GONE.error(name=self.root)

    def _folder_of(self, name: str) -> str:
        folder = name.rpartition("/")[0]
        if folder not in self._made:
            self.disk.make_folder(folder)
            self._made.add(folder)
        return folder
