"""A small epoch: few rows, no rules, one partition; most strata are visited in one call of the kernel.

Law: the result and the report are the same as those of `visit`, which visits strata with aggregates between two calls.
An epoch that turns out not to be small, or that fails, is undone and carried out the regular way, which finds and
reports errors; the next few epochs are then not tried as small ones.
"""

from __future__ import annotations

import time

from tidelog.errors import EvaluationError, LimitError
from tidelog.partition.memory.relations import BRIEF
from tidelog.partition.phases.trip import DONE, ELSEWHERE, UNCHARTED, UNKNOWN, Trip
from tidelog.plan.work import EpochWork
from tidelog.runtime.base.cost import Visits
from tidelog.runtime.base.outcome import EpochOutcome, RowChanges, StratumStatistics
from tidelog.runtime.node.node_state import NodeState
from tidelog.runtime.node.visit import changes_of, visit_here

MOST_ROWS = 32  # of base facts; -1: no epoch is small
MOST_PATIENCE = 64  # epochs that are not tried as small ones after one that was not


class SmallEpochs:
    """Carries out the small epochs of a node."""

    def __init__(self, node: NodeState) -> None:
        self._node = node
        self._trip = Trip(node.partition)
        self._patience = self._left = 0

    def fits(self, work: EpochWork) -> bool:
        """Whether to try an epoch that changes no rules as a small one."""
        if work.arities or work.staged or work.signed or not self._node.is_alone:
            return False
        rows = sum(map(len, work.inserts.values())) + sum(map(len, work.deletes.values()))
        if rows > MOST_ROWS:
            return False
        self._left -= 1
        return self._left < 0

    def run(self, work: EpochWork) -> EpochOutcome | None:
        """Carry out an epoch that has begun up to its commit; None if it is not small and must be undone."""
        began = time.perf_counter()
        self._trip.begin(work.inserts, work.deletes, BRIEF)
        outcome = None
        try:
            outcome = self._visit(work)
        except (EvaluationError, LimitError):
            pass  # found again, and reported, the regular way
        finally:
            if outcome is None:
                self._trip.give_up()
        if outcome is None:
            self._patience = min(2 * self._patience + 1, MOST_PATIENCE)
            self._left = self._patience
            return None
        self._patience = 0
        outcome.seconds = time.perf_counter() - began
        return outcome

    def _visit(self, work: EpochWork) -> EpochOutcome | None:
        node, trip = self._node, self._trip
        others: list[StratumStatistics] = []
        strata, readers = node.strata.get, node.readers.of
        while (status := trip.go_on()) != DONE:
            if status == UNCHARTED:
                trip.draw(strata, readers)
            elif status == ELSEWHERE:
                given = changes_of(node, work, trip.changes_so_far())
                trip.take(visit_here(node, trip.stratum, given))
                others += given.visits
            elif status != UNKNOWN or not trip.learn(strata, readers):
                return None
        node.partition.machine.check_limits()
        node.partition.epoch.settle_visited = trip.commit
        visits = Visits(trip.charts.members, trip.visit_log(), others)
        return EpochOutcome(RowChanges(trip.changed_rows()), visits)
