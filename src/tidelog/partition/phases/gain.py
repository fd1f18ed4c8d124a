"""Phase 2 of a stratum, after the barrier: suspended facts that still have supports, then everything that is gained.

Laws (design, section 3): revived and new facts get fresh ranks, above all previous ones; candidates of a min or max
inside recursion are exposed best first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel import support
from tidelog.kernel.cells import Cells
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.base.owner import Messages
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.journal import Items
from tidelog.partition.phases.demanded_folds import forget_shown, give_demanded
from tidelog.partition.phases.exchange import absorb, open_arrivals
from tidelog.partition.phases.fire import fire, fire_queue
from tidelog.partition.phases.fold_groups import give_results
from tidelog.partition.phases.partition import Partition
from tidelog.partition.phases.rebuild import assert_again, rules_from_below
from tidelog.partition.phases.rule_supports import gain_rule


def gain(
    partition: Partition,
    stratum: Stratum,
    inserts: Mapping[int, Cells],
    changes: Mapping[int, Items],
    new_rules: Sequence[RuleCode],
    *,
    rebuild: bool = False,
) -> None:
    """Gain what follows from inserted facts, new rules and the changes of lower strata (by number of relation).

    ``rebuild``: the stratum was emptied; all its rules count as new, and assertions are applied again.
    """
    for code in new_rules:
        stratum.rules[code.label] = code
        stratum.forget_tables()
    if any(code.fold is not None for code in new_rules):
        forget_shown(partition, new_rules)
    lower, negated, own = stratum.tables(partition.relations.numbers)
    members = partition.touch(stratum)
    choices = stratum.choices
    partition.machine.state[at.COARSE] = int(stratum.features.multiplies)
    if choices:
        _open_choices(partition, stratum)
    revive(partition)
    for choice in choices:
        partition.machine.reopen(choice)
    if stratum.sends:
        open_arrivals(partition, at.ASSERT_SAME, 1)
    if rebuild:
        assert_again(partition, members)
    if rebuild or new_rules:
        demanded = {code.label for code in stratum.demanded_folds}
        for code in rules_from_below(stratum) if rebuild else new_rules:
            if code.label not in demanded:
                gain_rule(partition, code)
    for code, gained in partition.epoch.fold_gains:
        give_results(partition, at.ASSERT_LOWER, code, gained)
    inserted = [changes[n].inserted for n in lower.relations if n in changes]
    fire(partition, at.ASSERT_LOWER, lower, inserted, 1)
    deleted = [changes[n].deleted for n in negated.relations if n in changes]
    fire(partition, at.ASSERT_LOWER, negated, deleted, 1)
    _insert(partition, members, inserts)
    if own.ranges:
        fire_queue(partition, at.ASSERT_SAME, own, 1)
    partition.epoch.fold_gains = []


def absorb_gains(partition: Partition, stratum: Stratum, messages: Messages) -> None:
    """Apply supports that other partitions sent, and what follows from them, to local quiescence."""
    absorb(partition, at.ASSERT_SAME, messages, 1)
    own = stratum.tables(partition.relations.numbers)[2]
    if own.ranges:
        fire_queue(partition, at.ASSERT_SAME, own, 1)


def gain_demanded(partition: Partition, stratum: Stratum, level: int) -> None:
    """Derive results of aggregates that the stratum demands, and what follows from them, to local quiescence."""
    give_demanded(partition, stratum, level)
    fire_queue(partition, at.ASSERT_SAME, stratum.tables(partition.relations.numbers)[2], 1)


def begin_again(partition: Partition) -> None:
    """After a clean-up, prepare for further gains: the values that groups show may change again."""
    machine = partition.machine
    machine.state[at.CLEANING] = 0
    if machine.state[at.HIDDEN]:
        raise failures.NOT_MONOTONE.error(groups=machine.state[at.HIDDEN])


def end_gain(partition: Partition, stratum: Stratum) -> None:
    """End the phase, which is over on all partitions: indexes that no plan has read so far catch up."""
    for number in partition.touch(stratum):
        partition.machine.catch_up(number)
    for choice in stratum.choices:
        partition.relations.directory[choice.candidates, at.CANDIDATES] = 0
    begin_again(partition)


def revive(partition: Partition) -> None:
    """Revive suspended facts that still have supports, in order of old rank."""
    suspended = partition.machine.queue.items.copy()
    partition.machine.queue.reset()
    if len(suspended):
        old_ranks = np.empty(len(suspended), np.int64)
        support.old_ranks(partition.relations.directory, suspended, len(suspended), old_ranks)
        partition.machine.revive(suspended[np.argsort(old_ranks, kind="stable")])


def _open_choices(partition: Partition, stratum: Stratum) -> None:
    """While a stratum is asserted, send its own new candidates to the heap."""
    for choice in stratum.choices:
        if partition.relations.names[choice.candidates] in stratum.relations:
            opened = ((choice.column + 1) << 4) | choice.order
            partition.relations.directory[choice.candidates, at.CANDIDATES] = opened


def _insert(partition: Partition, members: Sequence[int], inserts: Mapping[int, Cells]) -> None:
    for number in members:
        if number in inserts:
            partition.relations.reserve(number, len(inserts[number]))
            partition.machine.change_facts(at.ASSERT_LOWER, number, inserts[number], at.BASE)
