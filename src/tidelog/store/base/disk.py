"""The system calls that durability depends on, as a protocol, so that tests can make each of them fail.

Law: only `sync` makes the content of a file durable, only `sync_folder` makes names durable (new files, renames,
removals); everything else may be lost or half done when the machine stops.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np

from tidelog.store.base.frame import Bytes

PRIVATE = 0o700


class Disk(Protocol):
    """Files of one folder and its subfolders, by relative name."""

    def make_folder(self, name: str) -> None:
        """Make a folder and those above it."""

    def names(self, folder: str) -> list[str]:
        """The files in a folder."""

    def read(self, name: str) -> Bytes:
        """The content of a file."""

    def size(self, name: str) -> int:
        """The length of a file, -1 if it is not there."""

    def write(self, name: str, parts: Sequence[Bytes], at: int) -> None:
        """Write from a position; at 0 the file is created again."""

    def truncate(self, name: str, size: int) -> None:
        """Shorten a file."""

    def sync(self, name: str) -> None:
        """Make the content durable."""

    def sync_folder(self, folder: str) -> None:
        """Make the names in a folder durable."""

    def rename(self, old: str, new: str) -> None:
        """Give a file another name; one that bears it is replaced."""

    def remove(self, name: str) -> None:
        """Remove a file."""


class LocalDisk:
    """The file system of this machine.

    A file stays open from its first write to its sync, so that the sync reports a write that failed in between. A
    folder created here is private to its user (0700), whatever the umask, and so are its files (0600). In an existing
    folder, new files and folders get the permissions of that folder, since some users share theirs with a group.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._written: dict[str, int] = {}  # `pop` passes a file from one thread to another

    def __reduce__(self) -> tuple[type[LocalDisk], tuple[Path]]:
        """The same folder for another process; open files stay here."""
        return LocalDisk, (self.root.absolute(),)

    def make_folder(self, name: str) -> None:
        """Create a folder and its missing parents; the new names are durable."""
        for path in self._make_missing(self.root / name):
            _sync_path(path.parent)

    def _make_missing(self, folder: Path) -> list[Path]:
        """Create a folder and its missing parents; returns those that were missing, innermost first."""
        missing = [p for p in (folder, *folder.parents) if not p.exists()]
        for path in reversed(missing):
            path.mkdir(exist_ok=True, mode=PRIVATE if path == self.root else 0o777)
            if path == self.root:
                path.chmod(PRIVATE)
            elif self.root in path.parents:
                path.chmod(self._rights)
        return missing

    @cached_property
    def _rights(self) -> int:
        """The permissions of the folder, which everything created in it gets, too."""
        return stat.S_IMODE(os.stat(self.root).st_mode) & 0o777

    def names(self, folder: str) -> list[str]:
        """The files in a folder."""
        path = self.root / folder
        return sorted(entry.name for entry in os.scandir(path) if entry.is_file()) if path.is_dir() else []

    def read(self, name: str) -> Bytes:
        """The content of a file, in memory allocated by numpy, which requests large pages."""
        with open(self.root / name, "rb", buffering=0) as file:
            content = np.empty(os.fstat(file.fileno()).st_size, np.uint8)
            rest = content.data
            while len(rest) and (count := file.readinto(rest)):
                rest = rest[count:]
        return content.data[: len(content) - len(rest)]

    def size(self, name: str) -> int:
        """The length of a file, -1 if it is not there."""
        try:
            return os.stat(f"{self.root}/{name}").st_size
        except FileNotFoundError:
            return -1

    def write(self, name: str, parts: Sequence[Bytes], at: int) -> None:
        """Write from a position; at 0 the file is created again."""
        begins = at == 0
        if begins:
            self._close(name)
        file = self._written.pop(name, None)
        if file is None:
            flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if begins else 0)
            file = os.open(self.root / name, flags, 0o600)
        try:
            if begins:
                with contextlib.suppress(PermissionError):  # another user's file, in a shared folder
                    os.fchmod(file, self._rights & 0o666)
            for part in parts:
                rest = memoryview(part).cast("B")
                while len(rest):
                    count = os.pwrite(file, rest, at)
                    rest, at = rest[count:], at + count
        except BaseException:
            os.close(file)
            raise
        self._written[name] = file

    def truncate(self, name: str, size: int) -> None:
        """Shorten a file."""
        os.truncate(self.root / name, size)

    def sync(self, name: str) -> None:
        """Make the content durable."""
        file = self._written.pop(name, None)
        if file is None:
            file = os.open(self.root / name, os.O_RDONLY)
        try:
            getattr(os, "fdatasync", os.fsync)(file)  # macOS has fsync only
        finally:
            os.close(file)

    def sync_folder(self, folder: str) -> None:
        """Make the names in a folder durable."""
        _sync_path(self.root / folder)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name; one that bears it is replaced."""
        os.rename(self.root / old, self.root / new)

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self.root / name)

    def _close(self, name: str) -> None:
        file = self._written.pop(name, None)
        if file is not None:
            os.close(file)


def _sync_path(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
