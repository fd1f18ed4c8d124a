"""A state folder that lasts as long as its engine: written like any other, but never synced.

Law: what a process has written is visible to all processes of the machine, even after the writer was killed; it may be
lost when the machine stops, and then the engine has stopped too. Nothing is kept for later.
"""

from __future__ import annotations

from pathlib import Path

from tidelog.store.base.disk import LocalDisk
from tidelog.store.base.files import FileStore


class TemporaryDisk(LocalDisk):
    """The file system of this machine, trusted to run for as long as the files are wanted."""

    def __reduce__(self) -> tuple[type[TemporaryDisk], tuple[Path]]:
        """The same folder for another process; open files stay here."""
        return TemporaryDisk, (self.root.absolute(),)

    def make_folder(self, name: str) -> None:
        """Make a folder and those above it."""
        self._make_missing(self.root / name)

    def sync(self, name: str) -> None:
        """Do nothing: other processes see content as soon as it is written."""
        self._close(name)

    def sync_folder(self, folder: str) -> None:
        """Do nothing: other processes see names as soon as they exist."""


def temporary_store(root: str) -> FileStore:
    """A store in a temporary folder.

    >>> import pickle, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     temporary_store(folder).append("log/1", [b"piece"], 0)
    ...     bytes(pickle.loads(pickle.dumps(temporary_store(folder))).read("log/1"))
    b'piece'
    """
    return FileStore(Path(root), TemporaryDisk(Path(root)))
