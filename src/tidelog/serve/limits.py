"""What requests may use.

Law: a request that would use more is refused or ended by name; the server goes on.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tidelog.partition.base.limits import Limits

PAGE = 1_000  # rows of a page by default
TEXT = 1 << 16  # characters of a question or a rule


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What requests may use; sizes in bytes, times in seconds."""

    body: int = 64 << 20  # of one request
    rows: int = 1_000_000  # of one answer, and facts that a question may make
    seconds: float = 10.0  # of one question
    memory: int = 256 << 20  # that a question may take beside what the engine holds, texts included
    check_seconds: float = 10.0  # to read, check and expand a text
    check_memory: int = 512 << 20  # that this may take, in a separate process
    epoch_seconds: float = 300.0  # of one epoch that a client commits or tries
    epoch_memory: int = 4 << 30  # that it may take beside what the engine holds, texts included
    feeds: int = 1_000  # that are open, waiting polls among them
    open_epochs: int = 100
    open_bytes: int = 1 << 30  # sent to open epochs
    open_seconds: float = 600.0  # after which an unused open epoch expires
    kept_pages: int = 256 << 20  # bytes of answers whose further pages may be asked for
    kept_changes: int = 64 << 20  # bytes of changes that feeds need not read from the state folder
    connections: int = 2_000
    header_seconds: float = 10.0  # for the header of a request
    idle_seconds: float = 30.0  # that a connection without a request stays open
    body_seconds: float = 30.0  # between two parts of a body
    stop_seconds: float = 10.0  # for requests under way when the server stops
    slow_seconds: float = 1.0  # from which on a request is logged

    @property
    def of_epochs(self) -> Limits:
        """What an epoch of a client may use; those of sources and of the first load are their owner's."""
        return Limits(seconds=self.epoch_seconds, memory=self.epoch_memory)

    def to_json(self) -> dict[str, float]:
        """By name."""
        return asdict(self)
