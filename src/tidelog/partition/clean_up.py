"""The clean-up of a stratum with a min or max inside recursion: values that were improved upon are retracted.

Law: afterwards every group shows again what it showed before. Where one does not, the rules are not monotone in the
value, and `gain.end_gain` says so.
"""

from __future__ import annotations

from tidelog.kernel import layout as at
from tidelog.partition.fire import fire, fire_queue
from tidelog.partition.gain import revive
from tidelog.partition.partition import Partition
from tidelog.partition.retract import fire_losses
from tidelog.partition.stratum import Stratum


def needs_clean_up(partition: Partition) -> bool:
    """Whether exposed candidates were improved upon."""
    return bool(partition.machine.state[at.STAIL])


def retract_stale(partition: Partition, stratum: Stratum) -> None:
    """Retract what was improved upon, to local quiescence."""
    own = stratum.tables(partition.relations.numbers)[2]
    stale = partition.machine.choices.take_stale()
    partition.machine.state[at.CLEANING] = 1
    partition.machine.queue.reset()
    partition.epoch.asked_seen = 0
    fire(partition, at.CLEAN_RETRACT, own, [stale], -1)
    fire_losses(partition, stratum, at.CLEAN_RETRACT)


def restore_shown(partition: Partition, stratum: Stratum) -> None:
    """After the retraction of stale values: what still has supports comes back."""
    revive(partition)
    fire_queue(partition, at.ASSERT_SAME, stratum.tables(partition.relations.numbers)[2], 1)
