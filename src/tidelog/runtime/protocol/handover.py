"""Handing facts over to other partitions: what a runtime gives, and what a new one takes.

Law: whoever gives changes nothing, and goes on as before if nobody takes over. Until what was taken is recorded, nodes
that are lost cannot be started again with it: then the new partitions are given up, and the old ones go on.
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
        """What each partition holds; entries only where every partition has a dictionary of its own."""

    def rest(self) -> None:
        """Other partitions are about to take over: changes that somebody holds are read, and slots are given back.

        Until `go_on` nobody starts the old ones again.
        """

    def go_on(self) -> None:
        """Others have taken over, or nobody did: whoever waits for these goes on."""

    def take(self, images: Sequence[Image]) -> None:
        """Give empty partitions what others held."""

    def record(self, durable: Durable, epoch: int, rules: Ruleset, schema: Schema, note: EpochRecord) -> None:
        """Make all that the partitions hold durable, as an epoch; StateError if that cannot be done."""


@dataclass(slots=True)
class Beginning:
    """What nodes that are lost begin from: a state folder, its last epoch, and when its pieces were written anew."""

    store: Store | None = None
    epoch: int = 0
    begun: int = 0
