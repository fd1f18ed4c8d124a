"""LAM 2010, after Theorem 4: path vector is recursive, and yet the pipelined algorithm ends on it.

No path visits a node twice, so insertions and deletions of one link that are under way together breed finitely many
updates, whatever the order.
"""

from collections import Counter

import pytest

from tidelog.lab.semantics import (
    Fact,
    PipelinedExecution,
    Semantics,
    deletion,
    explore_schedules,
    flatten,
    insertion,
    multiset_state,
    prepare,
    run,
    schedule_by_name,
)

from ..examples import PATH_VECTOR, ring, settled

BURSTS = {
    "comes and goes": [insertion("link", 0, 1, 7), deletion("link", 0, 1, 7)],
    "goes and comes": [deletion("link", 0, 1, 1), insertion("link", 0, 1, 1)],
    "goes, comes and goes": [deletion("link", 0, 1, 1), insertion("link", 0, 1, 1), deletion("link", 0, 1, 1)],
    "changes its cost": [deletion("link", 0, 1, 1), insertion("link", 0, 1, 3), deletion("link", 1, 0, 1)],
}


@pytest.mark.parametrize("schedule", ["fifo", "newest", "deletions", "insertions", "random", "reorder:20"])
@pytest.mark.parametrize("burst", BURSTS.values(), ids=BURSTS)
def test_a_link_that_comes_and_goes_while_both_are_under_way(burst, schedule):
    links = ring(3, 1)
    algorithm = PipelinedExecution()
    algorithm.load(PATH_VECTOR, links)
    run(algorithm, schedule_by_name("fifo"))
    algorithm.apply(burst)
    run(algorithm, schedule_by_name(schedule, 5), 5_000)
    left = Counter(links)
    for update in burst:
        left[update.fact] += update.sign
    assert flatten(algorithm.tables()) == multiset_state(prepare(PATH_VECTOR), +left)


def test_every_schedule_of_a_link_between_two_nodes_that_comes_and_goes():
    semantics = Semantics(prepare(PATH_VECTOR))
    there = settled(semantics, Fact("link", (0, 1, 1)), Fact("link", (1, 0, 1)))
    burst = [insertion("link", 0, 1, 2), deletion("link", 0, 1, 2)]
    found = explore_schedules(semantics, there.sent(semantics.network, burst))
    assert found.agrees, str(found)
    assert found.longest is not None
