"""A disk in memory that can fail or stop at any operation, and that forgets what was not synced.

Law: it promises no more than `tidelog.store.base.disk`: content is durable after `sync`, names after `sync_folder`.
"""

from __future__ import annotations

import copy
import errno
from collections.abc import Sequence
from pathlib import Path

from tidelog.store.base.files import FileStore
from tidelog.store.base.frame import Bytes

FAIL, STOP = "fail", "stop"


class Stopped(BaseException):
    """The machine stopped; nothing it runs notices anything any more."""


class File:
    """Content as processes see it, and as it is on the medium."""

    def __init__(self, content: bytes = b"") -> None:
        self.content = bytearray(content)
        self.synced = content


class MemoryDisk:
    """Counts operations; operation ``nth`` (from 1) fails half done, or the machine stops there."""

    def __init__(self, nth: int = 0, mode: str = FAIL, code: int = errno.EIO, lasting: bool = False) -> None:
        self.nth, self.mode, self.code, self.lasting = nth, mode, code, lasting
        self.operations = 0
        self.stopped = False
        self.files: dict[str, File] = {}
        self.durable: dict[str, File] = {}

    def _operation(self) -> bool:
        """Whether this is the operation at which it happens."""
        if self.stopped:
            raise Stopped
        self.operations += 1
        return self.operations == self.nth or (self.lasting and 0 < self.nth <= self.operations)

    def _happens(self) -> None:
        if self.mode == STOP:
            self.stopped = True
            raise Stopped
        raise OSError(self.code, "injected")

    def make_folder(self, name: str) -> None:
        """Folders are there."""

    def names(self, folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        found = (n.removeprefix(prefix) for n in self.files if n.startswith(prefix))
        return sorted(n for n in found if "/" not in n)

    def read(self, name: str) -> Bytes:
        if name not in self.files:
            raise FileNotFoundError(name)
        return bytes(self.files[name].content)

    def size(self, name: str) -> int:
        return len(self.files[name].content) if name in self.files else -1

    def write(self, name: str, parts: Sequence[Bytes], at: int) -> None:
        now = self._operation()
        data = b"".join(bytes(part) for part in parts)
        file = self.files.setdefault(name, File())
        data = data[: len(data) // 2] if now else data
        if at == 0:
            file.content.clear()
        file.content[at : at + len(data)] = data
        if now:
            self._happens()

    def truncate(self, name: str, size: int) -> None:
        if self._operation():
            self._happens()
        del self.files[name].content[size:]

    def sync(self, name: str) -> None:
        if self._operation():
            self._happens()
        self.files[name].synced = bytes(self.files[name].content)

    def sync_folder(self, folder: str) -> None:
        if self._operation():
            self._happens()
        for name in {*self.files, *self.durable}:
            if name.rpartition("/")[0] == folder:
                self.durable.pop(name, None)
                if name in self.files:
                    self.durable[name] = self.files[name]

    def rename(self, old: str, new: str) -> None:
        if self._operation():
            self._happens()
        self.files[new] = self.files.pop(old)

    def remove(self, name: str) -> None:
        if self._operation():
            self._happens()
        if name not in self.files:
            raise FileNotFoundError(name)
        del self.files[name]

    def after_kill(self) -> MemoryDisk:
        """What the next process finds when this one was killed."""
        disk = MemoryDisk()
        disk.files, disk.durable = copy.deepcopy((self.files, self.durable))
        return disk

    def after_power_loss(self, written: float = 0.0, zeros: bool = False, removed: bool = False) -> MemoryDisk:
        """What is left when the power fails: synced content, and of what was appended since a part, or zeros for it.

        With ``removed`` files are gone that were removed and whose folder was not synced.
        """
        disk = MemoryDisk()
        for name, file in self.durable.items():
            if removed and name not in self.files:
                continue
            more = bytes(file.content[len(file.synced) :]) if file.content.startswith(file.synced) else b""
            kept = more[: int(len(more) * written)]
            disk.files[name] = File(file.synced + kept + bytes(len(more) - len(kept) if zeros else 0))
        disk.durable = dict(disk.files)
        return disk


class MemoryStore(FileStore):
    """A state on a disk in memory; there is no other process to lock out."""

    def __init__(self, disk: MemoryDisk) -> None:
        super().__init__(Path("state"), disk)

    def lock(self) -> None:
        """There is no other writer."""

    def unlock(self) -> None:
        """There is no other writer."""
