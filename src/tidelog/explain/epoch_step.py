"""What one epoch did to a view, in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EpochStep:
    """One epoch: the number of rows it inserted and deleted, and the size of the view after it."""

    epoch: int
    inserted: int
    deleted: int
    size: int
