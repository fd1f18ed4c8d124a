"""Handing facts over to other partitions: what a runtime provides, and what a new one receives.

Law: the old partitions change nothing, and continue as before if no others take over. Until the new state is recorded,
lost nodes cannot be restarted with it: if that happens, the new partitions are abandoned, and the old ones continue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tidelog.store.image.image import Image

if TYPE_CHECKING:
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.store.base.store import Store
    from tidelog.store.folder.durable import Durable, EpochRecord


class Handover(Protocol):
    """One side of the handing over of facts."""

    def images(self) -> list[Image]:
        """What each partition holds; entries only if every partition has a separate dictionary."""

    def rest(self) -> None:
        """Prepare for other partitions to take over: read changes that are still referenced, and release slots.

        Until `go_on` the old ones are not started again.
        """

    def go_on(self) -> None:
        """Let threads that wait for these partitions continue: others have taken over, or have failed to."""

    def take(self, images: Sequence[Image]) -> None:
        """Fill empty partitions with the contents of others."""

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Make all that the partitions hold durable, as an epoch; StateError if that cannot be done."""


@dataclass(slots=True)
class RestartPoint:
    """What lost nodes restart from: a state folder, its last epoch, and when all its pieces were rewritten."""

    store: Store | None = None
    epoch: int = 0
    begun: int = 0
