"""One writer: a lock on a file that also names its holder.

Law: the operating system releases the lock when its holder ends, however it ends, so that a file left by a dead process
locks no one out. The name inside the file is only used in the message to a second writer. A forked process has no part
in the locks of its parent (D38): it can neither prolong nor release them.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import json
import os
import socket
import stat
import sys
import time
import weakref
from pathlib import Path

from tidelog.store.base import store_failures as failures


class Lock:
    """The lock of a folder, held by an open file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.holder: int | None = None  # the parent of this process, if the parent holds the lock
        self._release: weakref.finalize[[int], Lock] | None = None
        self._file = -1

    def take(self) -> None:
        """Take the lock, or raise an error that names its holder."""
        rights = stat.S_IMODE(os.stat(self.path.parent).st_mode) & 0o666
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, rights)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            held = _holder(os.pread(file, 4096, 0))
            os.close(file)
            raise failures.LOCKED.error(folder=self.path.parent, held=held) from error
        with contextlib.suppress(PermissionError):  # created by another user of a shared folder
            os.fchmod(file, rights)
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps(_identity()).encode(), 0)
        self._release, self._file = weakref.finalize(self, os.close, file), file
        self.holder = None
        _HELD.add(self)

    def leave(self, holder: int) -> None:
        """In a forked process, leave the lock to the parent, which holds it for as long as the parent lives."""
        if self._release is not None and self._release.detach() is not None:
            os.close(self._file)
            self._release, self.holder = None, holder

    @property
    def is_lost(self) -> bool:
        """Whether the lock is held but its file is missing or was replaced: the folder was removed."""
        if self._release is None:
            return False
        try:
            return not os.path.samestat(os.stat(self.path), os.fstat(self._file))
        except FileNotFoundError:
            return True

    def drop(self) -> None:
        """Release the lock."""
        if self._release is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)  # a child that was just forked may have the file open for a moment
            self._release()
            self._release = None


def _identity() -> dict[str, object]:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no such user in this container
        user = str(os.getuid())
    command = " ".join(sys.argv)[:200]
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime())
    return {"process": os.getpid(), "host": socket.gethostname(), "user": user, "since": since, "command": command}


def _holder(text: bytes) -> str:
    """Who has the state open, and what to do about it."""
    try:
        found = json.loads(text)
        if (found["process"], found["host"]) == (os.getpid(), socket.gethostname()):
            return (
                f"this process opened the state at {found['since']} and still has it open; close that engine "
                "with `db.close()`"
            )
        who = f"process {found['process']} of {found['user']} on {found['host']}"
        who = f"{who} since {found['since']} ({found['command']})"
    except (ValueError, KeyError, TypeError):  # the holder is about to write its name
        who = "a process that is just starting"
    return f"another writer has this state open: {who}; wait until it has finished"


_HELD: weakref.WeakSet[Lock] = weakref.WeakSet()
_process = os.getpid()


def _leave_all() -> None:
    """In a process that was just forked, leave all locks to the parent."""
    global _process
    parent, _process = _process, os.getpid()
    for lock in tuple(_HELD):
        lock.leave(parent)
    _HELD.clear()


os.register_at_fork(after_in_child=_leave_all)
