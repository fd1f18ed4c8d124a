"""File systems of `pyarrow.fs` as a store: object storage, HDFS, or a local folder without a lock.

Law: such file systems cannot extend a file, so every epoch is a separate file, and a file appears whole or not at all:
object storage guarantees that, elsewhere it is moved from a temporary name. The user ensures a single writer (D20).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyarrow import fs

from tidelog.store.base import store_failures as failures
from tidelog.store.base.frame import Bytes

TEMPORARY = ".tmp"
OBJECT_STORAGE = ("s3", "gcs", "abfs")  # an object appears when its upload is complete


class ObjectStore:
    """A state on a `pyarrow.fs` file system."""

    def __init__(self, filesystem: Any, root: str) -> None:
        self.filesystem = filesystem
        self.root = root.rstrip("/")

    @classmethod
    def from_uri(cls, uri: str) -> ObjectStore:
        """The store at a URI such as ``s3://bucket/folder``."""
        try:
            filesystem, root = fs.FileSystem.from_uri(uri)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
            raise failures.UNUSABLE.error(name=uri, reason=error) from error
        return cls(filesystem, root)

    @property
    def name(self) -> str:
        """The file system and the folder."""
        return f"{self.filesystem.type_name}:{self.root}"

    @property
    def appends(self) -> bool:
        """Files cannot grow."""
        return False

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, in order."""
        chosen = fs.FileSelector(self._path(folder), allow_not_found=True)
        found = (info.base_name for info in self.filesystem.get_file_info(chosen) if info.type == fs.FileType.File)
        return sorted(name for name in found if not name.endswith(TEMPORARY))

    def size(self, name: str) -> int:
        """The length of a file, -1 if it is not there."""
        info = self.filesystem.get_file_info(self._path(name))
        return int(info.size) if info.type == fs.FileType.File else -1

    def read(self, name: str) -> Bytes:
        """The content of a file."""
        with self.filesystem.open_input_file(self._path(name)) as file:
            return bytes(file.read())

    def write(self, name: str, parts: Sequence[Bytes]) -> None:
        """Put a file in place, whole."""
        path = self._path(name)
        whole = self.filesystem.type_name in OBJECT_STORAGE
        if not whole:
            self.filesystem.create_dir(path.rpartition("/")[0], recursive=True)
        with self.filesystem.open_output_stream(path if whole else path + TEMPORARY) as file:
            for part in parts:
                file.write(part)
        if not whole:
            self.filesystem.move(path + TEMPORARY, path)

    def append(self, name: str, parts: Sequence[Bytes], at: int, *, sync: bool = True) -> None:
        """Make a new file, which is durable at once."""
        assert at == 0, "every epoch is a separate file"
        self.write(name, parts)

    def sync(self, name: str) -> None:
        """Do nothing: files are durable."""

    def cut(self, name: str, size: int) -> None:
        """Truncate a file by writing it again."""
        self.write(name, [memoryview(self.read(name))[:size]])

    def remove(self, name: str) -> None:
        """Remove a file, which may already be missing."""
        if self.filesystem.get_file_info(self._path(name)).type == fs.FileType.File:
            self.filesystem.delete_file(self._path(name))

    def clean(self, folder: str = "") -> None:
        """Remove temporary files."""
        for part in ("", "log", "snapshots"):
            inner = "/".join(filter(None, (folder, part)))
            chosen = fs.FileSelector(self._path(inner), allow_not_found=True)
            for info in self.filesystem.get_file_info(chosen):
                if info.base_name.endswith(TEMPORARY):
                    self.filesystem.delete_file(info.path)

    def lock(self) -> None:
        """Do nothing: there is no lock, and the user ensures a single writer."""

    def unlock(self) -> None:
        """Do nothing: there is no lock."""

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root
