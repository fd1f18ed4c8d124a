"""Aggregates inside a recursion that demands their groups: results are added when a group is complete, else withdrawn.

Law: the contents of a group depend on lower strata alone, and the recursion only determines which groups are demanded
(`rewrite.lift_aggregates`). So a group is complete once the stratum is quiet, and its result never changes while the
lower strata do not. *Retract*: a group that loses a row loses its result in the same phase, before anything is revived.
*Assert*: when all partitions are quiet, groups without a result get theirs, inner aggregates before those around them,
with a rank above all rows of the group. A group that gained rows from below while it has a result is *stale*: the
stratum is then built again (`rebuild`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.base.demanded_groups import DemandedGroups, Due, first_due
from tidelog.partition.code.fold import Fold, Group
from tidelog.partition.code.gather import Gather
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.journal import NOTHING
from tidelog.partition.memory.records import LONGEST_KEY, STATE, in_use, present_now, rank_base, ranks, rows_with_key
from tidelog.partition.phases.fold_groups import give_results
from tidelog.partition.phases.partition import Partition


@dataclass(slots=True)
class _Source:
    """The relation that an aggregate ranges over, accessed by groups."""

    partition: Partition
    code: RuleCode
    groups: DemandedGroups

    @property
    def number(self) -> int:
        return self.partition.relations.numbers[self.code.source]

    @property
    def fold(self) -> Fold | Gather:
        assert isinstance(self.code.fold, Fold | Gather)  # a choice is never demanded
        return self.code.fold

    def groups_of(self, rows: Cells) -> list[Group]:
        """The groups of some records, in their order."""
        records = self.partition.relations.records(self.number)
        return [tuple(row) for row in records[rows][:, list(self.fold.group)].tolist()]

    def before(self, group: Group) -> Cells:
        """The rows of a group before the epoch."""
        index = self.partition.relations.index(self.number, self.fold.group)
        key: Cells = np.array(group, np.int64)
        rows = rows_with_key(self.partition.relations, self.number, index, key)
        if len(group) <= LONGEST_KEY:
            return rows
        return rows[[other == group for other in self.groups_of(rows)]]

    def shown(self, group: Group) -> Cells | None:
        """What a group shows; None if it shows nothing."""
        if group in self.groups.shown:
            return self.groups.shown[group]
        return None if self.groups.emptied else self._result(self.before(group))

    def rows(self, group: Group) -> Cells:
        """The rows of a group before the epoch, and the new ones; some may no longer be present."""
        fresh: Cells = np.array(self.groups.fresh.get(group, []), np.int64)
        return np.concatenate([self.before(group), fresh])

    def now(self, group: Group) -> tuple[Cells | None, int]:
        """What a group should show, and the highest rank of its rows."""
        rows, relations = self.rows(group), self.partition.relations
        rows = rows[present_now(relations.records(self.number)[rows])]
        found = ranks(relations.records(self.number)[rows], rank_base(relations, self.number))
        return self._result(rows), int(found.max(initial=0))

    def _result(self, rows: Cells) -> Cells | None:
        facts = self.partition.relations.records(self.number)[rows, :STATE]
        results = self.fold.results(facts)
        return results if len(results) else None

    def look(self) -> None:
        """Note the groups of records that were touched since the last call."""
        relations, number, groups = self.partition.relations, self.number, self.groups
        if groups.emptied:
            rows = self._not_known()
        elif relations.directory.item(number, at.FRESH):
            rows = np.arange(groups.seen, relations.directory.item(number, at.ROWS))
            groups.seen += len(rows)
            used = in_use(relations.records(number)[rows])
            groups.lost.append(rows[~used])  # a team leaves holes, which other threads may fill
            rows = rows[used]
        else:
            rows = relations.journal(number)[groups.seen :, 0].copy()
            groups.seen += len(rows)
        rows = np.concatenate([rows, self._come_back()])
        old = relations.records(number)[rows, STATE] & at.OLD
        for group, row, was in zip(self.groups_of(rows), rows.tolist(), old.tolist(), strict=True):
            groups.touched.add(group)
            if not was and row not in groups.fresh.get(group, ()):
                groups.fresh.setdefault(group, []).append(row)

    def _come_back(self) -> Cells:
        """The rows that are present again, of groups that lost their results."""
        lost: Cells = np.concatenate([*self.groups.lost, NOTHING])
        there = present_now(self.partition.relations.records(self.number)[lost])
        self.groups.lost = [lost[~there]]
        return lost[there]

    def _not_known(self) -> Cells:
        present = present_now(self.partition.relations.records(self.number))
        known = np.zeros(len(present), np.bool_)
        known[: len(self.groups.known)] = self.groups.known
        self.groups.known = present | known
        found: Cells = (present & ~known).nonzero()[0]
        return found


def withdraw_results(partition: Partition, stratum: Stratum) -> bool:
    """Withdraw the results of groups that lost rows since the queue was last examined; returns whether any did."""
    if not stratum.demanded_folds:
        return False
    epoch = partition.epoch
    items = partition.machine.queue.items[epoch.losses_seen :].copy()
    epoch.losses_seen += len(items)
    found = False
    for source in _sources(partition, stratum):
        rows = items[items >> 32 == source.number] & at.LOW32
        for group in dict.fromkeys(source.groups_of(rows)):
            found = _withdraw(source, group) or found
    return found


def _withdraw(source: _Source, group: Group) -> bool:
    shown = source.shown(group)
    source.groups.touched.add(group)
    source.groups.shown[group] = None
    source.groups.lost.append(source.rows(group))
    if shown is None:
        return False
    give_results(source.partition, at.RETRACT_LOWER, source.code, shown)
    return True


def next_due(partition: Partition, stratum: Stratum) -> Due | None:
    """The next task in a quiet stratum."""
    dues: set[Due] = set()
    for source in _sources(partition, stratum):
        source.look()
        level = stratum.demand_levels[source.code.label]
        for group in list(source.groups.touched):
            shown, (result, _) = source.shown(group), source.now(group)
            if _same(shown, result):
                source.groups.touched.discard(group)
                source.groups.shown[group] = shown
            else:
                dues.add(Due(level, is_stale=shown is not None))
    return first_due(dues)


def give_demanded(partition: Partition, stratum: Stratum, level: int) -> None:
    """Derive the results of the groups of a level that show nothing yet."""
    for source in _sources(partition, stratum):
        if stratum.demand_levels[source.code.label] == level:
            for group in sorted(source.groups.touched):
                result, rank = source.now(group)
                if result is not None:
                    source.groups.shown[group] = result
                    give_results(partition, at.ASSERT_SAME, source.code, result, rank)
            source.groups.touched.clear()


def forget_shown(partition: Partition, codes: Iterable[RuleCode]) -> None:
    """Forget what these aggregates show: their stratum was emptied, or they are new."""
    for code in codes:
        if code.fold is not None:
            partition.epoch.demanded_groups[code.label] = DemandedGroups(emptied=True)


def _sources(partition: Partition, stratum: Stratum) -> Iterator[_Source]:
    for code in stratum.demanded_folds:
        groups = partition.epoch.demanded_groups.get(code.label)
        if groups is None:
            groups = partition.epoch.demanded_groups[code.label] = DemandedGroups()
        yield _Source(partition, code, groups)


def _same(one: Cells | None, other: Cells | None) -> bool:
    return one is other is None or (one is not None and other is not None and np.array_equal(one, other))
