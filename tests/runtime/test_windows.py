"""Windows of messages between partitions that work at the same time: no partition waits for ever, or holds too much.

What this notices: two senders that wait for each other, an idle receiver that is not woken, messages that are counted
twice, too early or not at all, and buffers that outlive an epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from unittest.mock import patch

import pytest

from tests.runtime.side_by_side import SideBySide
from tidelog import Engine
from tidelog.engine.open import open as opening
from tidelog.errors import LimitError
from tidelog.partition.base.limits import Limits
from tidelog.partition.memory import messages
from tidelog.program.functions.table import FUNCTIONS
from tidelog.runtime.many.coordinator import Coordinator
from tidelog.runtime.node import node_state
from tidelog.spark import resident_node

NON_LINEAR = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), reach(Y,Z)."
RNG = Random(3)
EDGES = sorted({(RNG.randrange(60), RNG.randrange(60)) for _ in range(240)})


@contextmanager
def side_by_side(partitions: int, window: int, most: int) -> Iterator[SideBySide]:
    """Engines made meanwhile have partitions in threads, with windows of this size, and hold this much that arrived."""
    with (
        patch.object(messages, "WINDOW", window),
        patch.object(node_state, "MOST_ARRIVED", most),
        patch.object(resident_node, "MOST_ARRIVED", most),
    ):
        nodes = SideBySide(partitions)
        with patch.object(opening, "make_runtime", lambda *_: Coordinator(FUNCTIONS, nodes, nodes.dictionary)):
            yield nodes


def closure(edges: list[tuple[int, int]]) -> set[tuple[int, int]]:
    found = set(edges)
    while more := {(x, z) for x, y in found for w, z in edges if w == y} - found:
        found |= more
    return found


@pytest.mark.parametrize(("window", "most"), [(1, 0), (1 << 12, 1 << 10), (1 << 14, 1 << 20)])
@pytest.mark.parametrize("partitions", [2, 3])
def test_partitions_that_fill_each_others_buffers_go_on(partitions: int, window: int, most: int) -> None:
    held: list[int] = []
    take = resident_node.FlightChannel.take

    def took(self: resident_node.FlightChannel, *args: object) -> None:
        take(self, *args)  # type: ignore[arg-type]  # as called
        held.append(self.arrived)

    with (
        side_by_side(partitions, window, most) as nodes,
        patch.object(resident_node.FlightChannel, "take", took),
        Engine(NON_LINEAR) as db,
    ):
        for change in (EDGES, EDGES[:20], EDGES[:20], EDGES[100:]):
            with db.epoch() as e:
                (e.delete if len(db["edge"]) == len(EDGES) else e.insert)("edge", change)
            assert set(db["reach"]) == closure(sorted(db["edge"])), change
        assert db.verify()
        assert not any(resident.channel.arrived for resident in nodes.residents)
        assert not any(len(node.node.partition.machine.messages.leaving) for node in nodes.services)
    batch = partitions * messages.MESSAGES * 64
    assert max(held) <= most + partitions * (window + 2 * batch)


def test_an_epoch_that_fails_while_windows_are_full_leaves_no_trace() -> None:
    with side_by_side(2, 1, 0) as nodes, Engine(NON_LINEAR) as db:
        with db.epoch() as e:
            e.insert("edge", EDGES[:30])
        before = set(db["reach"])
        for service in nodes.services:
            service.node.set_limits(Limits(facts=100))
        with pytest.raises(LimitError), db.epoch() as e:
            e.insert("edge", EDGES)
        for service in nodes.services:
            service.node.set_limits(Limits())
        assert set(db["reach"]) == before
        with db.epoch() as e:
            e.insert("edge", EDGES)
        assert set(db["reach"]) == closure(EDGES)
