"""Limits of requests.

Law: a request that exceeds a limit is refused or aborted with an error that names the limit; the server continues.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tidelog.partition.base.limits import Limits

PAGE = 1_000  # rows of a page by default
TEXT = 1 << 16  # characters of a query or a rule


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of requests; sizes in bytes, times in seconds."""

    body: int = 64 << 20  # of one request
    rows: int = 1_000_000  # of one response, and facts that a query may derive
    seconds: float = 10.0  # of one query
    memory: int = 256 << 20  # that a query may allocate in addition to the engine's, including texts
    check_seconds: float = 10.0  # to read, check and expand a text
    check_memory: int = 512 << 20  # that these steps may allocate, in a separate process
    epoch_seconds: float = 300.0  # of one epoch that a client commits or previews
    epoch_memory: int = 4 << 30  # that it may allocate in addition to the engine's, including texts
    feeds: int = 1_000  # that are open, including long polls
    open_epochs: int = 100
    open_bytes: int = 1 << 30  # sent to open epochs
    open_seconds: float = 600.0  # after which an unused open epoch expires
    kept_pages: int = 256 << 20  # bytes of responses whose next pages may be requested
    kept_changes: int = 64 << 20  # bytes of changes that feeds need not read from the state folder
    connections: int = 2_000
    header_seconds: float = 10.0  # for the header of a request
    idle_seconds: float = 30.0  # that a connection without a request stays open
    body_seconds: float = 30.0  # between two parts of a body
    stop_seconds: float = 10.0  # for requests in progress when the server stops
    slow_seconds: float = 1.0  # from which on a request is logged

    @property
    def of_questions(self) -> Limits:
        """Limits of a query, and of a check with given facts."""
        return Limits(facts=self.rows, seconds=self.seconds, memory=self.memory)

    @property
    def of_epochs(self) -> Limits:
        """Limits of a client's epoch; epochs of sources and of the first load have no such limits."""
        return Limits(seconds=self.epoch_seconds, memory=self.epoch_memory)

    def to_json(self) -> dict[str, float]:
        """The limits by name."""
        return asdict(self)
