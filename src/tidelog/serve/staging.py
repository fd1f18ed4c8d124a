"""Epochs that stay open over several requests.

Law: an open epoch changes nothing and blocks no request until it is committed. It ends once: by its commit, even if
that fails, by being discarded, or by expiring. Their number, and the bytes sent to them, are limited.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tidelog.engine.write.epoch import Epoch
from tidelog.program import Rule
from tidelog.serve import serve_failures as failures
from tidelog.serve.limits import ServerLimits


@dataclass(slots=True)
class OpenEpoch:
    """An open epoch; ``labels`` are those of the rules that were added to it."""

    epoch: Epoch
    labels: list[str] = field(default_factory=list)
    size: int = 0
    touched: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenEpochs:
    """The open epochs by id."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self.clock: Callable[[], float] = time.monotonic
        self._open: dict[str, OpenEpoch] = {}
        self._lock = threading.Lock()

    def begin(self, epoch: Epoch) -> str:
        """Open an epoch; returns its id."""
        with self._lock:
            self._expire()
            if len(self._open) >= self._limits.open_epochs:
                raise failures.TOO_MANY_OPEN.error(limit=self._limits.open_epochs)
            name = secrets.token_urlsafe(16)
            self._open[name] = OpenEpoch(epoch, touched=self.clock())
            return name

    @contextmanager
    def use(self, name: str, size: int = 0) -> Iterator[OpenEpoch]:
        """Use an open epoch, in one request at a time; ``size``: bytes sent to it."""
        with self._lock:
            self._expire()
            current = self._open.get(name)
            if current is None:
                raise self._none(name)
            if size + sum(each.size for each in self._open.values()) > self._limits.open_bytes:
                raise failures.TOO_LARGE.error(limit=self._limits.open_bytes)
            current.size += size
            current.touched = self.clock()
        with current.lock:
            yield current

    def end(self, name: str) -> OpenEpoch:
        """Remove an epoch, to commit or discard it."""
        with self._lock:
            self._expire()
            current = self._open.pop(name, None)
        if current is None:
            raise self._none(name)
        with current.lock:  # wait for a request that uses it
            return current

    def rules(self, name: str) -> list[Rule]:
        """The rules that an open epoch adds so far; none if there is no such epoch."""
        current = self._open.get(name)
        return [] if current is None else list(current.epoch.collected.added)

    def __len__(self) -> int:
        self.expire()
        return len(self._open)

    def expire(self) -> None:
        """Discard epochs that have expired."""
        with self._lock:
            self._expire()

    def _none(self, name: str) -> Exception:
        return failures.NO_OPEN_EPOCH.error(id=name[:80], minutes=self._limits.open_seconds / 60)

    def _expire(self) -> None:
        oldest = self.clock() - self._limits.open_seconds
        for name in [name for name, each in self._open.items() if each.touched < oldest]:
            del self._open[name]
