"""The asserted facts of relations that get other columns, mapped where they are and sent to their new owners.

Law: each asserted fact is mapped once, by the partition that holds it, with a rule that reads no other fact. Facts
that become equal are one fact; inserted and deleted rows of the epoch, which have the new columns, are summed with them
(D3).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.base.net_changes import net_rows
from tidelog.partition.base.owner import Messages, share_rows
from tidelog.partition.code.stratum import Stratum
from tidelog.partition.memory.keys import replaced_rows
from tidelog.partition.phases.partition import Partition
from tidelog.plan.work import FORMER, MAPPED, ColumnMapping, EpochWork, StrataChange
from tidelog.runtime.base.channel import Channel
from tidelog.runtime.base.outcome import EpochOutcome
from tidelog.runtime.base.request import Steps
from tidelog.runtime.node.node_state import NodeState
from tidelog.runtime.node.rule_change import change_rules, remember_rules
from tidelog.runtime.node.visit import visit_strata

T = TypeVar("T")


def map_facts(node: NodeState, work: EpochWork) -> Steps[EpochWork]:
    """The work with the mapped facts that this partition will own among its inserted rows."""
    partition = node.partition
    owned: dict[str, list[Cells]] = {}
    leaving: dict[int, dict[str, Cells]] = {}
    for name, mapping in work.renewed.items():
        rows = _mapped(node, name, mapping, work.arities[name])
        for to, share in enumerate(share_rows(rows, work.places.get(name, 0), partition.partitions)):
            if to == partition.number or node.is_alone:
                owned[name] = [share]
            elif len(share):
                one_support = np.tile(np.array([0, 1], np.int64), (len(share), 1))
                leaving.setdefault(to, {})[name] = np.hstack([one_support, share])

    def take(messages: Messages) -> None:
        for name, rows in messages.items():
            owned[name].append(rows[:, 2:])

    if leaving:
        node.channel.send(leaving)
    yield from node.flow(take)
    inserts, deletes = dict(work.inserts), dict(work.deletes)
    for name, mapping in work.renewed.items():
        rows = _distinct(name, np.concatenate(owned[name]))
        added, removed = inserts.get(name, rows[:0]), deletes.pop(name, rows[:0])
        inserts[name] = _summed(name, mapping, rows, added, removed)
    return replace(work, inserts=inserts, deletes=deletes)


def _distinct(name: str, rows: Cells) -> Cells:
    found, _ = net_rows({name: [(1, rows), (-1, rows[:0])]})
    return found.get(name, rows[:0])


def _summed(name: str, mapping: ColumnMapping | None, rows: Cells, added: Cells, removed: Cells) -> Cells:
    """The facts of the relation after the epoch; an inserted row replaces the mapped one that has its key."""
    if mapping is not None and mapping.key:
        replaced_rows(lambda *_: rows[:0], name, mapping.key, rows)  # two mapped facts with one key are refused
        columns = list(mapping.key)
        keys = set(map(bytes, np.ascontiguousarray(added[:, columns])))
        rows = rows[[bytes(row) not in keys for row in np.ascontiguousarray(rows[:, columns])]]
    found, _ = net_rows({name: [(1, rows), (1, added), (-1, removed)]})
    return found.get(name, rows[:0])


def _mapped(node: NodeState, name: str, mapping: ColumnMapping | None, arity: int) -> Cells:
    """The asserted facts that this partition holds, with their new columns."""
    if mapping is None:
        return np.zeros((0, arity), np.int64)
    rows = node.partition.asserted_rows(name)
    dropped = set(map(bytes, np.ascontiguousarray(mapping.without)))
    if dropped:
        rows = rows[[bytes(row) not in dropped for row in rows]]
    return _derived(node.partition, mapping, rows, arity) if len(rows) else np.zeros((0, arity), np.int64)


def _derived(owner: Partition, mapping: ColumnMapping, rows: Cells, arity: int) -> Cells:
    """What the rule of a mapping derives from some facts, on a separate partition."""
    partition = Partition(owner.functions, dictionary=owner.dictionary)
    partition.machine.limits, partition.machine.on_slice = owner.machine.limits, owner.machine.on_slice
    node = NodeState(partition, Channel())
    for name, columns in ((FORMER, rows.shape[1]), (MAPPED, arity)):
        partition.add_relation(name, columns)
        node.strata[name] = Stratum(frozenset((name,)), order=-1)
    strata = StrataChange((frozenset((MAPPED,)),))
    work = EpochWork(inserts={FORMER: rows}, added=(mapping.form,), strata=strata)
    try:
        node.begin()
        added = _at_once(change_rules(node, work, remember_rules(node, work)))
        _at_once(visit_strata(node, work, added, EpochOutcome()))
        partition.commit()
        return partition.rows(MAPPED)
    finally:
        partition.close()


def _at_once(steps: Steps[T]) -> T:
    """The result of steps on a single partition, which never wait."""
    try:
        next(steps)
    except StopIteration as end:
        found: T = end.value
        return found
    raise AssertionError("a single partition makes no requests")
