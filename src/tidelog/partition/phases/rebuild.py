"""Rebuild a stratum in place, if that is cheaper than its retraction (`rebuild_cost`).

Law: a stratum that was emptied and rebuilt has the facts and the ``all`` that retraction and assertion would leave,
with fresh ranks. The journal has every record as it was, so that the epoch is undone and committed like any other; a
stratum passes its net change upwards.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tidelog.kernel import empty_relation
from tidelog.kernel import layout as at
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.records import STATE, asserted
from tidelog.partition.phases.demanded_folds import forget_shown
from tidelog.partition.phases.partition import Partition

PRESENCE = at.NEW | at.VISIBLE | at.BATCH
EMPTIED = 1 << 20  # rows in one call of the kernel (D19)


def empty_stratum(partition: Partition, stratum: Stratum) -> None:
    """Empty a stratum, so that nothing is left to retract; asserted facts keep their flag."""
    machine, epoch = partition.machine, partition.epoch
    machine.abandon()
    machine.choices.forget_opened()
    epoch.fold_gains = []
    epoch.fold_messages.clear()
    forget_shown(partition, stratum.demanded_folds)
    members = partition.touch(stratum)
    for number in members:
        _empty(partition, number, at.LIVE, PRESENCE, counts=True)
    for choice in stratum.choices:
        _empty(partition, choice.shown, at.LIVE, PRESENCE, counts=True)
        _empty(partition, choice.candidates, at.EXPOSED, at.EXPOSED, counts=False)  # theirs may be a lower stratum
    for code in stratum.rules.values():
        epoch.rebuilt[code.number] = (int(machine.tally[code.number]), int(machine.losses[code.number]))


def assert_again(partition: Partition, members: Iterable[int]) -> None:
    """Restore the support by assertion of the asserted facts of an emptied stratum."""
    for number in members:
        records = partition.relations.records(number)
        rows = np.ascontiguousarray(records[asserted(records), :STATE])
        if len(rows):
            partition.machine.change_facts(at.ASSERT_LOWER, number, rows, 0)


def rules_from_below(stratum: Stratum) -> list[RuleCode]:
    """The rules that find supports while nothing of the stratum is present: those that do not read it."""
    return [code for code in stratum.rules.values() if not any(map(stratum.reads, code.rule.body))]


def _empty(partition: Partition, number: int, only: int, cleared: int, *, counts: bool) -> None:
    relations, first = partition.relations, 0
    rows = int(relations.directory[number, at.ROWS])
    while first < rows:
        end = min(first + EMPTIED, rows)
        first = empty_relation.empty(relations.directory, number, first, end, only, cleared, int(counts))
        if first < end:
            relations.grow(number)
        partition.machine.look_up()
