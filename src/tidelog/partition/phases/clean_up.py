"""The clean-up of a stratum with a min or max inside recursion: values that were improved upon are retracted.

Law: afterwards every group shows again what it showed before. If one does not, the rules are not monotone in the value,
and `gain.end_gain` reports it. With witnesses (columns that decide between equal values) a group may lose what it
showed: a better value whose witness fails a test replaces a worse one whose witness passed. Such groups are reopened,
and the stratum is asserted and cleaned up until it is settled. Every value is worse than those it is derived from
(`program.order`), so that the best value overall is settled first, and every iteration settles the next best.
"""

from __future__ import annotations

from tidelog.kernel import layout as at
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.code.stratum import Stratum
from tidelog.partition.phases.fire import fire, fire_queue
from tidelog.partition.phases.gain import revive
from tidelog.partition.phases.partition import Partition
from tidelog.partition.phases.retract import fire_losses
from tidelog.rewrite.names import is_auxiliary

MOST_TIMES = 10_000


class SettleCounter:
    """Counts how often a stratum is asserted again until it is settled."""

    def __init__(self, stratum: Stratum) -> None:
        self._relations = stratum.relations
        self._times = 0

    def go_on(self) -> None:
        """Count one more iteration; a stratum that is not settled within the limit will never be."""
        self._times += 1
        if self._times > MOST_TIMES:
            names = ", ".join(f"`{name}`" for name in sorted(self._relations) if not is_auxiliary(name))
            raise failures.UNSETTLED.error(names=names, times=MOST_TIMES)


def needs_clean_up(partition: Partition) -> bool:
    """Whether exposed candidates were improved upon."""
    return bool(partition.machine.state[at.STAIL])


def retract_stale(partition: Partition, stratum: Stratum) -> None:
    """Retract what was improved upon, to local quiescence."""
    own = stratum.tables(partition.relations.numbers)[2]
    stale = partition.machine.choices.take_stale()
    partition.machine.choices.forget_opened()
    partition.machine.state[at.CLEANING] = 1
    partition.machine.queue.reset()
    partition.epoch.losses_seen = 0
    fire(partition, at.CLEAN_RETRACT, own, [stale], -1)
    fire_losses(partition, stratum, at.CLEAN_RETRACT)


def restore_shown(partition: Partition, stratum: Stratum) -> None:
    """After the retraction of stale values, revive what still has supports."""
    revive(partition)
    fire_queue(partition, at.ASSERT_SAME, stratum.tables(partition.relations.numbers)[2], 1)


def is_unsettled(partition: Partition, stratum: Stratum) -> bool:
    """Whether groups lost what they showed, in a stratum where that is possible."""
    return bool(partition.machine.state[at.HIDDEN]) and any(choice.ties for choice in stratum.choices)


def show_others(partition: Partition, stratum: Stratum) -> None:
    """Let groups that lost the shown fact show their best candidate, and assert what follows from that."""
    machine = partition.machine
    machine.look_up()
    machine.state[at.CLEANING] = machine.state[at.HIDDEN] = 0
    for choice in stratum.choices:
        machine.reopen(choice)
    fire_queue(partition, at.ASSERT_SAME, stratum.tables(partition.relations.numbers)[2], 1)
