"""Mail between partitions, as a host sees it: what leaves is handed over, what arrived is collected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.partition.owner import Parcel


class Mailbox:
    """What other partitions have sent to this one, until it is taken; the one partition of an engine gets no mail."""

    def deliver(self, parcels: Mapping[int, Parcel]) -> int:
        """Send what leaves to the other partitions; returns how many supports that are."""
        assert not parcels, "a partition that is alone has nobody to write to"
        return 0

    def collect(self) -> Iterable[Parcel]:
        """What has arrived."""
        return ()
