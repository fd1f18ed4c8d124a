"""What a subscriber receives: the changes of one epoch in a view, or a gap.

Law: an epoch that changed the view is either in one change or in one gap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Row = tuple[Any, ...]
CAPACITY = 1_000  # changes that wait for a subscriber, unless it asks for another number


@dataclass(frozen=True, slots=True)
class FeedChange:
    """The rows that an epoch inserted into a view and deleted from it, with the author and the note of the epoch."""

    epoch: int
    view: str
    inserted: list[Row] = field(default_factory=list)
    deleted: list[Row] = field(default_factory=list)
    author: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Changes that a subscriber missed: those of the epochs ``first`` to ``last``.

    With a state folder, ``db.changes(view, since=gap.first - 1)`` reads them from the history while it is kept.
    """

    first: int
    last: int
