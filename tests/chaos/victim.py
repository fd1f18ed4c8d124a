"""A writer as its tormentor sees it: what it has said, and what can be done to it and to its partitions."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from tests.spark.processes import command_of, descendants, runs

ROOT = Path(__file__).parents[2]
LIMIT = 240.0  # seconds to wait for a process to be gone
PATIENCE = 480.0  # seconds without a word after which a writer hangs, also on a busy machine


class Victim:
    """A process that writes epochs; on leaving, it and all that it started are gone."""

    def __init__(self, folder: Path, seed: int, *options: str) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
        command = [sys.executable, "-m", "tests.chaos.writer", str(folder), str(seed), *options]
        self.log = (folder.parent / f"{folder.name}.log").open("a")
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self.said: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.committed = self.failed = self.lines = 0
        self.ended = False
        self._known: set[int] = set()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.put(line.strip())
        self.said.put(None)

    def hear(self, seconds: float) -> bool:
        """Listen for so long; False once it has ended."""
        until = time.monotonic() + seconds
        while not self.ended and (left := until - time.monotonic()) > 0:
            try:
                line = self.said.get(timeout=left)
            except queue.Empty:
                return True
            self._note(line)
        return not self.ended

    def opened(self) -> bool:
        """Wait until it has opened its state; False if it ended instead."""
        return self._wait("open its state")

    def goes_on(self) -> bool:
        """Wait until it has committed an epoch more, or failed to; False if it ended instead."""
        self.hear(0.5)  # what it had said before
        return self._wait("commit or fail another epoch")

    def ends(self) -> None:
        """Wait until it has executed all its orders."""
        while self._wait("come to its end"):
            pass

    def _wait(self, what: str) -> bool:
        """Wait for the next line; False if it ended instead. A writer that hangs is a finding: its log says where."""
        before, until = self.lines, time.monotonic() + PATIENCE
        while self.lines == before and self.hear(0.1):
            if time.monotonic() > until:
                self.signal(signal.SIGUSR1)
                self.hear(1.0)
                raise AssertionError(f"the writer did not {what} within {PATIENCE:g} s")
        self._known |= set(descendants(self.process.pid))
        return not self.ended

    def _note(self, line: str | None) -> None:
        if line is None:
            self.ended = True
            return
        word, number, *_ = line.split()
        self.lines += 1
        if word == "failed":
            self.failed += 1
        else:
            self.committed = max(self.committed, int(number))

    def below(self, part: str) -> list[int]:
        """Its processes whose command line holds a text."""
        found = descendants(self.process.pid)
        self._known |= set(found)
        return [number for number in found if part in command_of(number)]

    def signal(self, what: signal.Signals, number: int | None = None) -> None:
        """Send a signal to the writer, or to one of its processes."""
        if number is None:
            self.process.send_signal(what)
        elif runs(number):
            os.kill(number, what)

    def say(self, word: str) -> None:
        """Give it an order."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return

    def __enter__(self) -> Victim:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._known |= set(descendants(self.process.pid))
        self.process.kill()
        self.process.wait(LIMIT)
        for number in self._known:
            if runs(number):
                os.kill(number, signal.SIGKILL)
        while self.hear(1.0):  # what it had said before it died
            pass
        self._reader.join(LIMIT)
        for file in (self.process.stdin, self.process.stdout, self.log):
            with suppress(BrokenPipeError):  # an order that was not received
                file.close()  # type: ignore[union-attr]  # both are pipes
