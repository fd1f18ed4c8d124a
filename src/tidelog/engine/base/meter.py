"""Counters of an engine for monitoring: a page that Prometheus reads, and one log line per epoch.

Law: counters only grow for as long as the engine lives; reading them neither waits for an epoch nor starts one. The
logger ``tidelog`` writes a line at INFO for every committed epoch, and at WARNING for every one that failed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.runtime.base.outcome import EpochOutcome

LOG = logging.getLogger("tidelog")
LOG.addHandler(logging.NullHandler())  # nothing is printed unless the application configures logging
COUNTERS = {
    "epochs": "Epochs committed",
    "failed": "Epochs that failed and were rolled back",
    "seconds": "Seconds of evaluation of the slowest partition",
    "rounds": "Batches fired inside recursion",
    "exchanges": "Exchanges between partitions",
    "messages": "Supports sent between partitions",
    "sent_bytes": "Bytes sent between partitions",
    "waiting_seconds": "Total seconds that partitions waited for each other",
    "supports": "Supports added or removed",
    "suspended": "Facts suspended",
    "revived": "Facts revived",
    "replans": "Rules replanned",
}


@dataclass(slots=True)
class Meter:
    """The counters of an engine, and the last epoch."""

    counts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(COUNTERS, 0))
    last_seconds: float = 0.0
    last_skew: float = 1.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def watching(self, number: int) -> Iterator[None]:
        """Count the epoch with this number as failed if it raises."""
        try:
            yield
        except BaseException as error:
            with self.lock:
                self.counts["failed"] += 1
            LOG.warning("epoch %d failed: %s", number, type(error).__name__)
            raise

    def note(self, number: int, outcome: EpochOutcome) -> None:
        """Record a committed epoch."""
        more = {
            "epochs": 1,
            "seconds": outcome.seconds,
            "rounds": outcome.rounds,
            "exchanges": outcome.exchanges,
            "messages": outcome.messages,
            "sent_bytes": outcome.sent,
            "waiting_seconds": outcome.waiting,
            "supports": sum(outcome.supports.values()),
            "suspended": outcome.suspended,
            "revived": outcome.revived,
            "replans": outcome.replans,
        }
        with self.lock:
            self.last_seconds, self.last_skew = outcome.seconds, outcome.skew
            for name, count in more.items():
                self.counts[name] += count
        LOG.info(
            "epoch %d: %.6f s, %d supports, %d relations changed, %d rounds, %d messages of %d bytes, skew %.2f",
            number,
            outcome.seconds,
            more["supports"],
            len(outcome.changes),
            outcome.rounds,
            outcome.messages,
            outcome.sent,
            outcome.skew,
        )

    def note_move(self, number: int, summary: str) -> None:
        """Record a committed epoch that changed where facts live and nothing else."""
        with self.lock:
            self.counts["epochs"] += 1
        LOG.info("epoch %d: %s", number, summary)
