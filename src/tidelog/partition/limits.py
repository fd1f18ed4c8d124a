"""What an epoch may use (D6).

Law: hitting a limit aborts the epoch with an error, and nothing has changed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What an epoch may use (D6); None: no limit. Memory is in bytes, of all relations together."""

    facts: int | None = None
    rounds: int | None = None  # batches fired inside recursion
    seconds: float | None = None
    memory: int | None = None
