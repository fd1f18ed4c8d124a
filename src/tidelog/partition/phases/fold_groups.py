"""Update aggregates after a change: the results of changed groups are withdrawn and replaced.

Law: what is folded, or chosen from (`pick`), comes from a lower stratum, so that its net change is known before the
stratum is visited. Old results are lost in the retract phase; the new ones wait for the barrier, and are gained then.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import share_rows
from tidelog.partition.code.fold import Fold
from tidelog.partition.code.gather import Gather
from tidelog.partition.code.ground_model import NO_ROWS
from tidelog.partition.code.instance_model import InstanceModel, ModelPart
from tidelog.partition.code.pick import Facts, Pick
from tidelog.partition.code.stratum import RuleCode
from tidelog.partition.memory.journal import Items
from tidelog.partition.memory.records import STATE, columns_of, present, present_now, rows_with_key
from tidelog.partition.phases.partition import Partition


def retract_results(partition: Partition, code: RuleCode, changes: Mapping[int, Items]) -> Cells:
    """Withdraw the results of groups that change; returns the results that replace them."""
    assert code.fold is not None
    number = partition.relations.numbers[code.source]
    if isinstance(code.fold, ModelPart):
        model = _advanced(partition, code.fold, changes)
        lost, gained = model.change(code.fold.relation, len(code.rule.head.args))
        give_results(partition, at.RETRACT_LOWER, code, lost)
        return gained
    change = changes.get(number)
    if change is None:
        return np.zeros((0, len(code.rule.head.args)), np.int64)
    if isinstance(code.fold, Pick):
        inserted = columns_of(partition.relations, change.inserted, number)
        deleted = columns_of(partition.relations, change.deleted, number)
        candidates, shown = _facts_before(partition, number), _facts_before(partition, _head_number(partition, code))
        lost, gained = code.fold.change(inserted, deleted, candidates, shown)
    else:
        fold, source = _touched(partition, code.fold), (partition.relations, number)
        lost, gained = fold.change(*source, change.inserted, change.deleted, partition.machine.look_up)
    give_results(partition, at.RETRACT_LOWER, code, lost)
    return gained


def _advanced(partition: Partition, part: ModelPart, changes: Mapping[int, Items]) -> InstanceModel:
    """The model after the epoch, whose instances are all known by now; it is advanced once."""
    model, epoch, relations = part.model, partition.epoch, partition.relations
    if id(model) in epoch.folds:
        return model
    numbers = [relations.numbers[name] for name in part.sources]
    if not model.is_loaded:
        model.load([_source_before(partition, number) for number in numbers], partition.machine.look_up)
    epoch.folds[id(model)] = model
    found = [changes.get(number) for number in numbers]
    inserted = [
        NO_ROWS if c is None else columns_of(relations, c.inserted, n) for n, c in zip(numbers, found, strict=True)
    ]
    deleted = [
        NO_ROWS if c is None else columns_of(relations, c.deleted, n) for n, c in zip(numbers, found, strict=True)
    ]
    model.advance(inserted, deleted, partition.machine.look_up)
    return model


def _present_model(partition: Partition, part: ModelPart) -> InstanceModel:
    """The model over all instances as they are now."""
    model = part.model
    if id(model) not in partition.epoch.folds:
        rows = [_source_now(partition, partition.relations.numbers[name]) for name in part.sources]
        model.load(rows, partition.machine.look_up, is_new=True)
        partition.epoch.folds[id(model)] = model
    return model


def _touched(partition: Partition, fold: Fold | Gather) -> Fold | Gather:
    """Register a fold whose groups the epoch is about to read or change: it is committed or undone with the epoch."""
    if isinstance(fold, Fold):
        partition.epoch.folds[id(fold)] = fold
    return fold


def _facts_before(partition: Partition, number: int) -> Facts:
    """The facts of a relation before the epoch, for a choice."""
    relations = partition.relations

    def find(columns: tuple[int, ...], key: tuple[int, ...]) -> list[tuple[int, ...]]:
        rows = rows_with_key(relations, number, relations.index(number, columns), np.array(key, np.int64))
        found = map(tuple, relations.records(number)[rows, :STATE].tolist())
        return [row for row in found if tuple(row[column] for column in columns) == key]  # long keys are cut

    return Facts(find, lambda: _source_before(partition, number))


def _head_number(partition: Partition, code: RuleCode) -> int:
    return partition.relations.numbers[code.rule.head.predicate]


def _source_before(partition: Partition, number: int) -> Cells:
    records = partition.relations.records(number)
    return records[present(records), :STATE]


def _source_now(partition: Partition, number: int) -> Cells:
    records = partition.relations.records(number)
    return records[present_now(records), :STATE]


def lose_all_results(partition: Partition, code: RuleCode) -> None:
    """Remove the results of all groups of a removed rule, as they were before the epoch."""
    assert code.fold is not None
    if isinstance(code.fold, Pick | ModelPart):
        give_results(partition, at.RETRACT_LOWER, code, _source_before(partition, _head_number(partition, code)))
        return
    number = partition.relations.numbers[code.source]
    results = _touched(partition, code.fold).before(partition.relations, number, partition.machine.look_up)
    give_results(partition, at.RETRACT_LOWER, code, results)


def gain_all_results(partition: Partition, code: RuleCode) -> None:
    """Add the results of all groups of a new rule, as they are now."""
    assert code.fold is not None
    number = partition.relations.numbers[code.source]
    if isinstance(code.fold, Pick):
        source = _source_now(partition, number)
        shown = code.fold.all(source, _source_before(partition, _head_number(partition, code)))
        give_results(partition, at.ASSERT_LOWER, code, shown)
        return
    if isinstance(code.fold, ModelPart):
        shown = _present_model(partition, code.fold).all(code.fold.relation, len(code.rule.head.args))
        give_results(partition, at.ASSERT_LOWER, code, shown)
        return
    results = _touched(partition, code.fold).now(partition.relations, number, partition.machine.look_up)
    give_results(partition, at.ASSERT_LOWER, code, results)


def give_results(partition: Partition, phase: int, code: RuleCode, rows: Cells, rank: int = 0) -> None:
    """Add or remove results, depending on the phase: those that this partition owns here, while the others are sent.

    ``rank`` is the highest rank of the rows that were folded, 0 for those of lower strata.
    """
    if not len(rows):
        return
    number = partition.relations.numbers[code.rule.head.predicate]
    if partition.partitions > 1:
        rows = _keep_own(partition, number, code, rows, rank)
    if len(rows) and rank:
        partition.machine.apply(phase, number, _of_rank(rows, rank), 1)
    elif len(rows):
        partition.machine.change_facts(phase, number, np.ascontiguousarray(rows), 0)


def _keep_own(partition: Partition, number: int, code: RuleCode, rows: Cells, rank: int) -> Cells:
    """The results that this partition owns; others are sent to their owners, unless the rule also fires there."""
    shares = share_rows(rows, int(partition.relations.directory[number, at.PLACE]), partition.partitions)
    if not code.everywhere:
        partition.epoch.fold_messages += (
            (to, number, _of_rank(share, rank))
            for to, share in enumerate(shares)
            if to != partition.number and len(share)
        )
    return shares[partition.number]


def _of_rank(rows: Cells, rank: int) -> Cells:
    """Rows in the form of messages: one support each, with this body rank."""
    head = np.full((len(rows), 2), rank, np.int64)
    head[:, 1] = 1
    return np.concatenate([head, rows], axis=1)
