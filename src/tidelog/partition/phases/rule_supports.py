"""Supports of whole rules: lost with a removed rule, gained with a new one, compared again when a stratum is split.

Laws (design, section 3): a removed rule loses its supports over the old state, with the old comparison of ranks, before
any stratum is visited; facts that this suspends wait for the retract phase of their stratum. Whether a support is of
lower rank depends on the stratum of its body, so that a split recounts ``low`` for the rules that cross it.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel import support
from tidelog.partition.base.owner import Messages
from tidelog.partition.code.stratum import RuleCode
from tidelog.partition.memory.journal import NOTHING
from tidelog.partition.phases.exchange import absorb
from tidelog.partition.phases.fire import fire_whole, joined
from tidelog.partition.phases.fold_groups import gain_all_results, lose_all_results
from tidelog.partition.phases.partition import Partition


def gain_rule(partition: Partition, code: RuleCode) -> None:
    """Add the supports of a new rule."""
    if code.fold is None:
        fire_whole(partition, code, at.NEW_RULE, 1)
    else:
        gain_all_results(partition, code)


def lose_rule(partition: Partition, code: RuleCode) -> None:
    """Remove the supports of a removed rule, over the old state and with the old comparison of ranks."""
    partition.machine.queue.reset()
    if code.fold is None:
        fire_whole(partition, code, at.OLD_RULE, -1)
    else:
        lose_all_results(partition, code)
    if code.choice is not None:
        partition.epoch.touched.update((code.choice.shown, code.choice.candidates))
    _touch_head(partition, code)
    _let_queue_wait(partition)


def absorb_lost_rules(partition: Partition, messages: Messages) -> None:
    """Apply the losses of removed rules on other partitions."""
    partition.machine.queue.reset()
    absorb(partition, at.OLD_RULE, messages, -1)
    _touch_heads(partition, messages)
    _let_queue_wait(partition)


def compare_rule(partition: Partition, code: RuleCode, sign: int) -> None:
    """Count (sign 1) or discount (-1) a rule's supports of lower rank, as its code now compares ranks."""
    if code.fold is None:  # folded rows come from a lower stratum, and count the same
        partition.machine.state[at.PEEK] = 1
        fire_whole(partition, code, at.OLD_RULE, 2 * sign)
        partition.machine.state[at.PEEK] = 0
    _touch_head(partition, code)


def absorb_comparisons(partition: Partition, messages: Messages, sign: int) -> None:
    """Count (1) or discount (-1) supports that other partitions compare again."""
    absorb(partition, at.OLD_RULE, messages, 2 * sign)
    _touch_heads(partition, messages)


def settle_split(partition: Partition) -> None:
    """After the comparisons of a split, reinstate waiting facts that now have supports of lower rank."""
    waiting = partition.epoch.pending
    for number, items in list(waiting.items()):
        kept = np.empty_like(items)
        count = support.reinstate(partition.relations.directory, items, len(items), kept)
        waiting[number] = kept[:count]


def _touch_head(partition: Partition, code: RuleCode) -> None:
    partition.epoch.touched.add(partition.relations.numbers[code.rule.head.predicate])


def _touch_heads(partition: Partition, messages: Messages) -> None:
    partition.epoch.touched.update(partition.relations.numbers[name] for name in messages)


def _let_queue_wait(partition: Partition) -> None:
    """Let facts that lost their last support of lower rank wait for the retract phase of their stratum."""
    items, waiting = partition.machine.queue.items.copy(), partition.epoch.pending
    relations = items >> 32
    ordered = np.sort(relations)  # `np.unique` imports masked arrays
    for number in ordered[np.diff(ordered, prepend=-1) != 0].tolist():
        waiting[number] = joined([waiting.get(number, NOTHING), items[relations == number]])
