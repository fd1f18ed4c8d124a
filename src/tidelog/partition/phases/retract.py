"""Phase 1 of a stratum: remove all supports that a change removes, to local quiescence.

Laws (design, section 3): everything is retracted before anything is asserted; a fact that loses its last support of
lower rank is suspended, and stays visible until its losses are fired.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.base.limits import may_rebuild
from tidelog.partition.base.owner import Messages
from tidelog.partition.code.stratum import Stratum
from tidelog.partition.memory.journal import NOTHING, Items
from tidelog.partition.phases.demanded_folds import withdraw_results
from tidelog.partition.phases.exchange import absorb, open_arrivals
from tidelog.partition.phases.fire import fire, fire_queue, joined
from tidelog.partition.phases.fold_groups import retract_results
from tidelog.partition.phases.partition import Partition
from tidelog.partition.phases.rebuild_cost import RebuildCost


def retract(
    partition: Partition,
    stratum: Stratum,
    deletes: Mapping[int, Cells],
    changes: Mapping[int, Items],
    *,
    exchanges: bool = False,
) -> bool:
    """Retract what follows from deleted facts and the changes of lower strata (by number of relation).

    ``exchanges``: losses are exchanged with other partitions afterwards, before the assert phase.
    False if that was abandoned: building the stratum again is cheaper, and `rebuild.empty_stratum` comes next.
    """
    machine, epoch = partition.machine, partition.epoch
    lower, negated, _ = stratum.tables(partition.relations.numbers)
    members, features = partition.touch(stratum), stratum.features
    epoch.losses_seen = 0
    suspended = joined([epoch.pending.pop(number, NOTHING) for number in members]) if epoch.pending else NOTHING
    machine.queue.reset(suspended)
    if features.choices:
        machine.choices.forget_opened()
    deleted = [changes[n].deleted for n in lower.relations if n in changes]
    inserted = [changes[n].inserted for n in negated.relations if n in changes]
    is_hit = len(suspended) or any(map(len, deleted)) or any(map(len, inserted)) or any(n in deletes for n in members)
    if not is_hit and not features.folds and not features.sends:
        return True  # nothing is lost here
    if exchanges:
        open_arrivals(partition, at.RETRACT_SAME, -1)
    for number in members:
        if number in deletes:
            machine.change_facts(at.RETRACT_LOWER, number, deletes[number], at.BASE)
    epoch.fold_gains = [(code, retract_results(partition, code, changes)) for code in features.folds]
    scale: RebuildCost | None = None
    if stratum.rules and may_rebuild(machine.limits):
        machine.scale = scale = RebuildCost(partition, stratum)
        if scale.tips_at_once(deleted, changes):
            return False
    if not fire(partition, at.RETRACT_LOWER, lower, deleted, -1):
        return False
    if not fire(partition, at.RETRACT_LOWER, negated, inserted, -1):
        return False
    if scale is not None:
        scale.begin_queue()
    return fire_losses(partition, stratum, at.RETRACT_SAME)


def absorb_losses(partition: Partition, stratum: Stratum, messages: Messages, *, cleaning: bool = False) -> bool:
    """Apply losses sent by others, and their consequences, to local quiescence; False if that was abandoned."""
    phase = at.CLEAN_RETRACT if cleaning else at.RETRACT_SAME
    absorb(partition, phase, messages, -1)
    return fire_losses(partition, stratum, phase)


def end_retract(partition: Partition) -> None:
    """End the phase, which is over on all partitions: later work is not weighed."""
    partition.machine.scale = None


def fire_losses(partition: Partition, stratum: Stratum, phase: int) -> bool:
    """Fire suspended facts, and withdraw results of groups that lost rows, until nothing is left to do."""
    own = stratum.tables(partition.relations.numbers)[2]
    while True:
        if not own.ranges:
            partition.machine.hide_queue()  # nothing reads them now, but a rule that is about to be added would
        elif not fire_queue(partition, phase, own, -1):
            return False
        if not withdraw_results(partition, stratum):
            return True
