"""A process that handles texts of other people and can be ended.

Law: every call ends: with the value of its function, or with `AbortedCall` if it exceeded its time or memory or the
process died. The caller is not affected if a text breaks the process; it starts another one for the next call. The two
are parent and child on one machine, and only they communicate over their pipes. Memory is limited where the system has
`/proc` (Linux); time is limited everywhere.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

TIME, MEMORY, CRASH = "time", "memory", "crash"
START_SECONDS = 60.0  # for the imports of a process on a busy machine
RECYCLE = 256 << 20  # bytes of memory above which a process is not used again
SLACK = 2.0  # seconds after which a process exits if its parent has not ended it
READY = "ready"


class AbortedCall(Exception):
    """A call that used up its time or its memory, or whose process died: ``reason`` names the cause."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Defect(Exception):
    """A function that raised in the process; the text is its traceback."""


class Worker:
    """Calls functions of modules in a separate process, one at a time; started by `start` or the first call."""

    def __init__(self, modules: tuple[str, ...] = (), seconds: float | None = None, memory: int | None = None) -> None:
        self._modules, self._seconds, self._memory = modules, seconds, memory
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()
        self._pipes: tuple[Connection, Connection]
        self._is_ready = False

    @property
    def pid(self) -> int | None:
        """The number of the process, if there is one."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process if there is none, without waiting for it."""
        if self._process is not None and self._process.poll() is None:
            return
        self.stop()
        asked, ask = os.pipe()
        answer, answered = os.pipe()
        command = [sys.executable, "-m", "tidelog.syntax.worker", str(asked), str(answered), *self._modules]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=(asked, answered))
        except BaseException:
            os.close(ask)
            os.close(answer)
            raise
        finally:
            os.close(asked)
            os.close(answered)
        self._pipes, self._is_ready = (Connection(ask, readable=False), Connection(answer, writable=False)), False

    def call(self, function: Callable[..., Any], *args: object) -> Any:
        """The value of a function of a module for arguments that can be pickled; waits for it."""
        with self._turn:
            self.start()
            try:
                return self._ask((function, args, self._seconds, self._memory))
            except (OSError, EOFError, pickle.UnpicklingError):
                self.stop()
                raise AbortedCall(CRASH) from None
            except BaseException:
                self.stop()
                raise

    def _ask(self, request: object) -> Any:
        ask, answer = self._pipes
        if not self._is_ready:
            self._receive(answer, START_SECONDS)
            self._is_ready = True
        ask.send_bytes(pickle.dumps(request))
        what, value, held = self._receive(answer, self._seconds)
        if what == MEMORY:
            raise AbortedCall(MEMORY)
        if held > RECYCLE:
            self.stop()
        if what == CRASH:
            raise Defect(value)
        return value

    def _receive(self, answer: Connection, seconds: float | None) -> tuple[str, Any, int]:
        if not answer.poll(seconds):
            raise AbortedCall(TIME)
        found: tuple[str, Any, int] = pickle.loads(answer.recv_bytes())
        return found

    def end(self) -> None:
        """End the process from another thread than the one that waits for it, which sees its pipe break."""
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in self._pipes:
                pipe.close()


def _sizes() -> tuple[int, int]:
    """The bytes of this process: those of its addresses, and those in memory; none if the system does not report them.

    The largest size so far would be that of the parent, if this is less.
    """
    try:
        with open("/proc/self/statm", encoding="ascii") as statistics:
            size, held, *_ = (int(pages) * resource.getpagesize() for pages in statistics.read().split())
    except (OSError, ValueError):
        return 0, 0
    return size, held


def _held() -> int:
    return _sizes()[1]


@contextlib.contextmanager
def _bounded(seconds: float | None, memory: int | None) -> Any:
    """Limit a running call: additional memory, and an alarm that ends the process if its parent has exited."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    size = _sizes()[0]
    if memory is not None and size:
        resource.setrlimit(resource.RLIMIT_AS, (size + memory, hard))
    if seconds is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds + SLACK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _carried_out(request: bytes) -> tuple[str, Any, int]:
    try:
        function, args, seconds, memory = pickle.loads(request)
        with _bounded(seconds, memory):
            return READY, function(*args), _held()
    except MemoryError:
        return MEMORY, None, _held()
    except Exception:
        return CRASH, traceback.format_exc(), _held()


def serve(requests: Connection, answered: Connection) -> None:
    """Serve calls until the other end is closed."""
    answered.send_bytes(pickle.dumps((READY, None, 0)))
    while True:
        try:
            request = requests.recv_bytes()
        except EOFError:
            return
        answered.send_bytes(pickle.dumps(_carried_out(request)))


def main(requests: int, answered: int, modules: list[str]) -> None:
    """Run the process: it ignores Ctrl-C, which its parent handles, and has a low priority."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.nice(5)
    os.dup2(2, 1)  # accidental output goes to standard error
    for module in modules:
        importlib.import_module(module)
    serve(Connection(requests, writable=False), Connection(answered, readable=False))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
