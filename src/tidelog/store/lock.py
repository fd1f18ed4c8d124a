"""One writer: a lock on a file that also says who holds it.

Law: the operating system drops the lock when its holder ends, however it ends, so that a file left by a dead process
locks nobody out. The name inside the file is for the message to the second writer; it decides nothing.
"""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import socket
import sys
import time
import weakref
from pathlib import Path

from tidelog.store import failures


class Lock:
    """The lock of a folder, held by an open file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._release: weakref.finalize[[int], Lock] | None = None
        self._file = -1

    def take(self) -> None:
        """Take the lock or name its holder."""
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            held = _holder(os.pread(file, 4096, 0))
            os.close(file)
            raise failures.LOCKED.error(folder=self.path.parent, held=held) from error
        os.ftruncate(file, 0)
        os.pwrite(file, json.dumps(_identity()).encode(), 0)
        self._release, self._file = weakref.finalize(self, os.close, file), file

    @property
    def is_lost(self) -> bool:
        """Whether the lock is held and its file is no longer there, or another one is: the folder was taken away."""
        if self._release is None:
            return False
        try:
            return not os.path.samestat(os.stat(self.path), os.fstat(self._file))
        except FileNotFoundError:
            return True

    def drop(self) -> None:
        """Let others in."""
        if self._release is not None:
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
    try:
        found = json.loads(text)
        who = f"process {found['process']} of {found['user']} on {found['host']}"
        return f"{who} since {found['since']} ({found['command']})"
    except (ValueError, KeyError, TypeError):  # the holder is about to write its name
        return "a process that has not written its name yet"
