"""Messages between partitions: merged by fact and rank where they leave, counted without being expanded."""

from __future__ import annotations

import numpy as np
import pytest

from tidelog.errors import EvaluationError
from tidelog.kernel import layout as at
from tidelog.kernel.support import MOST_SUPPORTS
from tidelog.partition.memory.records import at_depth
from tidelog.partition.phases.exchange import take_leaving
from tidelog.partition.phases.partition import Partition
from tidelog.program.functions.table import FUNCTIONS


def opened(*arrived: tuple[int, int, int], number: int = 0, partitions: int = 1) -> Partition:
    """A partition in the middle of an epoch in which these messages (rank, supports, column) of `p` arrived."""
    partition = Partition(FUNCTIONS, number, partitions)
    partition.add_relation("p", 1)
    partition.begin()
    partition.epoch.touched.add(0)
    apply(partition, 1, *arrived)
    return partition


def apply(partition: Partition, sign: int, *arrived: tuple[int, int, int]) -> None:
    phase = at.ASSERT_SAME if sign == 1 else at.RETRACT_SAME
    partition.machine.apply(phase, 0, np.array(arrived, np.int64).reshape(-1, 3), sign)


def counts(partition: Partition) -> dict[int, tuple[int, int]]:
    partition.commit()
    columns, _, all_, low, _ = partition.counts("p")
    return {int(c): (int(a), int(b)) for c, a, b in zip(columns[:, 0], all_, low, strict=True)}


def test_supports_of_one_message_are_counted_together() -> None:
    deep = at_depth(5)
    assert counts(opened((deep, 7, 1), (deep, 4, 1), (at_depth(7), 3, 1), (0, 2, 2))) == {1: (14, 11), 2: (2, 2)}


def test_lost_supports_are_discounted_together_and_the_last_of_lower_rank_suspends() -> None:
    deep = at_depth(5)
    partition = opened((deep, 7, 1), (at_depth(7), 3, 1))
    partition.commit()
    partition.begin()
    partition.epoch.touched.add(0)
    partition.machine.queue.reset()
    apply(partition, -1, (deep, 6, 1))
    assert partition.machine.work_done[1] == 0
    apply(partition, -1, (deep, 1, 1))
    assert partition.machine.work_done[1] == 1
    with pytest.raises(AssertionError, match="do not balance"):
        apply(partition, -1, (at_depth(7), 4, 1))
    partition.undo()
    assert counts(partition) == {1: (10, 7)}


def test_supports_beyond_their_field_are_refused() -> None:
    partition = opened((0, MOST_SUPPORTS, 1))
    with pytest.raises(EvaluationError, match=r"more than 2,147,483,647 derivations") as raised:
        apply(partition, 1, (0, 1, 1))
    assert raised.value.code == "TL2215"
    assert counts(partition) == {1: (MOST_SUPPORTS, MOST_SUPPORTS)}


def test_a_queue_that_is_full_grows_while_messages_are_counted() -> None:
    rows = [(at_depth(i % 3), 1 + i % 5, i // 2) for i in range(50_000)]
    assert sum(all_ for all_, _ in counts(opened(*rows)).values()) == sum(n for _, n, _ in rows)


def test_what_waits_to_leave_is_dropped_when_work_is_abandoned() -> None:
    partition = opened(number=0, partitions=2)
    state = partition.machine.state
    partition.machine.messages.grow_leaving(partition.relations)
    assert not take_leaving(partition)
    state[at.OUTN] = 3
    partition.machine.messages.grow_leaving(partition.relations)
    state[at.AWAYN] = 1
    partition.machine.abandon()
    assert not take_leaving(partition)
    assert not len(partition.machine.messages.leaving)
