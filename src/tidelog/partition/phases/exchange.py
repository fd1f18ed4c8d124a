"""Messages from a partition to the others, and from them to it.

Law: a support is found where its rule fires and counted where its head is owned. In each phase changes only grow, so
that any order of arrival leads to the same facts and the same ``all``.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import Messages
from tidelog.partition.phases.partition import Partition


def take_leaving(partition: Partition) -> dict[int, dict[str, Cells]]:
    """The outgoing messages for each other partition: rows of (body rank, count, columns) by relation."""
    found: dict[int, dict[str, list[Cells]]] = {}
    relations, messages = partition.relations, partition.machine.messages
    for to, number, rows in (*messages.take_leaving(relations), *partition.epoch.fold_messages):
        found.setdefault(to, {}).setdefault(relations.names[number], []).append(rows)
    partition.epoch.fold_messages.clear()
    return {to: {name: np.concatenate(rows) for name, rows in parts.items()} for to, parts in found.items()}


def absorb(partition: Partition, phase: int, messages: Messages, sign: int) -> None:
    """Count (sign 1) or discount (-1) the supports that another partition sent."""
    for name, rows in messages.items():
        partition.machine.apply(phase, partition.relations.numbers[name], rows, sign)
