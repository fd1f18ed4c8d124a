"""Messages from a partition to the others, and from them to it.

Law: a support is found where its rule fires and counted where its head is owned. In each phase changes only grow, so
that any order of arrival leads to the same facts and the same ``all``. For the same reason messages may be counted as
soon as a phase has `opened`, even in the middle of a batch; what follows from them is fired later, like what follows
from the partition's own messages.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import Messages
from tidelog.partition.phases.partition import Partition


def take_leaving(partition: Partition) -> dict[int, dict[str, Cells]]:
    """The outgoing messages for each other partition: rows of (body rank, supports, columns) by relation."""
    found: dict[int, dict[str, list[Cells]]] = {}
    relations, messages = partition.relations, partition.machine.messages
    for to, number, rows in (*messages.take_leaving(relations), *partition.epoch.fold_messages):
        found.setdefault(to, {}).setdefault(relations.names[number], []).append(rows)
    partition.epoch.fold_messages.clear()
    return {to: {name: np.concatenate(rows) for name, rows in parts.items()} for to, parts in found.items()}


VOID = (0, 0)  # what arrives is dropped


def open_arrivals(partition: Partition, phase: int, sign: int) -> None:
    """From now on, until the next exchange ends, messages that arrive may be counted at any time."""
    partition.epoch.arriving = (phase, sign)


def count_early(partition: Partition, messages: Messages) -> None:
    """Count messages of a phase that has opened; what follows from them is fired later."""
    arriving = partition.epoch.arriving
    assert arriving is not None, "messages are counted before their phase has opened"
    if arriving != VOID:
        absorb(partition, arriving[0], messages, arriving[1])


def absorb(partition: Partition, phase: int, messages: Messages, sign: int) -> None:
    """Count (sign 1) or discount (-1) the supports that another partition sent."""
    for name, rows in messages.items():
        partition.machine.apply(phase, partition.relations.numbers[name], rows, sign)
