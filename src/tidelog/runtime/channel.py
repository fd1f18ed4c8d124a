"""Messages between partitions, as a node sees them: what leaves is handed over, what arrived is collected.

Law: what is collected belongs to the run that the node is at; messages of any other run are void.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.partition.owner import Messages


class Channel:
    """What other partitions have sent to this one, until it is taken; the one partition of an engine gets none."""

    run = 0  # the number of the run that the node is at

    def deliver(self, leaving: Mapping[int, Messages]) -> int:
        """Send what leaves to the other partitions; returns how many supports that are."""
        assert not leaving, "a partition that is alone has nobody to write to"
        return 0

    def collect(self) -> Iterable[Messages]:
        """What has arrived."""
        return ()
