"""Folders that exist as long as the process that created them, and are removed later if it was killed.

Law: only this user can access a folder (mode 0700), and its creator holds a lock in it for its whole lifetime, paused
or not; a folder whose lock is free has no owner, and is removed when the next such folder is created. Anything that is
not exactly such a folder (a link, another owner, other permissions) is not touched.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path

BEGUN, WHOLE = "tidelog-new-", "tidelog-run-"  # a folder is renamed when its lock is held
OWNER, CONTENT = "owner", "content"


class RunFolder:
    """A folder at ``name``, until `cleanup` or the end of the process."""

    def __init__(self) -> None:
        sweep()
        begun = Path(tempfile.mkdtemp(prefix=BEGUN))
        lock = _lock(begun / OWNER, os.O_CREAT)
        assert lock is not None, "the folder is not known to another process yet"
        (begun / CONTENT).mkdir(mode=0o700)
        whole = begun.with_name(WHOLE + begun.name.removeprefix(BEGUN))
        begun.rename(whole)
        self.name = str(whole / CONTENT)
        self._finalizer = weakref.finalize(self, _remove, whole, lock, os.getpid())

    def cleanup(self) -> None:
        """Remove the folder; calling it again does nothing."""
        self._finalizer()

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()


def sweep() -> None:
    """Remove the folders of processes that no longer exist."""
    for folder in _orphans():
        lock = _lock(folder / OWNER)
        if lock is not None:
            _remove(folder, lock, os.getpid())


def _orphans() -> Iterator[Path]:
    """Folders of this user that look as if they were created here."""
    with contextlib.suppress(OSError):  # the temporary directory cannot be listed, or a folder was removed meanwhile
        for folder in Path(tempfile.gettempdir()).glob(f"{WHOLE}*"):
            status = folder.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and stat.S_IMODE(status.st_mode) == 0o700:
                yield folder


def _lock(path: Path, make: int = 0) -> int | None:
    """Acquire a lock file; returns None if another process holds it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | make, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _remove(folder: Path, lock: int, maker: int) -> None:
    """Remove a folder and release its lock; a process forked meanwhile does neither."""
    if os.getpid() == maker:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
