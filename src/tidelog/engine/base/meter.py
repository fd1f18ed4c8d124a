"""Counters of an engine for monitoring: a page that Prometheus reads, and one log line per epoch.

Law: counters only grow for as long as the engine lives; reading them neither waits for an epoch nor starts one. The
logger ``tidelog`` writes a line at INFO for every committed epoch, and at WARNING for every one that failed.
"""

from __future__ import annotations

import logging
import threading
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
    "messages": "Messages sent between partitions, each with the supports of one fact and rank",
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

    def note_failure(self, number: int, error: BaseException) -> None:
        """Record a failed epoch that would have had this number."""
        with self.lock:
            self.counts["failed"] += 1
        LOG.warning("epoch %d failed: %s", number, type(error).__name__)

    def note(self, number: int, outcome: EpochOutcome) -> None:
        """Record a committed epoch."""
        counts, supports = self.counts, sum(outcome.supports.values())
        with self.lock:
            self.last_seconds, self.last_skew = outcome.seconds, outcome.skew
            counts["epochs"] += 1
            counts["seconds"] += outcome.seconds
            counts["rounds"] += outcome.rounds
            counts["supports"] += supports
            counts["suspended"] += outcome.suspended
            counts["revived"] += outcome.revived
            counts["replans"] += outcome.replans
            if outcome.exchanges:  # with one partition there are none, and no messages
                counts["exchanges"] += outcome.exchanges
                counts["messages"] += outcome.messages
                counts["sent_bytes"] += outcome.sent
                counts["waiting_seconds"] += outcome.waiting
        if LOG.isEnabledFor(logging.INFO):
            LOG.info(
                "epoch %d: %.6f s, %d supports, %d relations changed, %d rounds, %d messages of %d bytes, skew %.2f",
                number,
                outcome.seconds,
                supports,
                len(outcome.changes),
                outcome.rounds,
                outcome.messages,
                outcome.sent,
                outcome.skew,
            )

    def note_move(self, number: int, summary: str) -> None:
        """Record a committed epoch that only changed where facts live."""
        with self.lock:
            self.counts["epochs"] += 1
        LOG.info("epoch %d: %s", number, summary)
