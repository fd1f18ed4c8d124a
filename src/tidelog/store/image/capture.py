"""What a partition changed in the epoch that ran last, and everything that it holds, as deltas.

Law: the journal of a relation names every record that the epoch touched. A delta says what `commit` is about to make
of them: facts present now stay and are at rest, the others are removed. Remembered results of functions are a cache and
are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tidelog.partition.base.net_changes import NetChange
from tidelog.partition.memory.journal import TouchedRecords, touched_records, touched_relations, untouched_rows
from tidelog.partition.memory.records import arity_of, cells_in_use, in_use, rank_base
from tidelog.partition.phases.partition import Partition
from tidelog.plan.ruleset import Schema
from tidelog.rewrite.names import is_auxiliary
from tidelog.store.base.header import RENEWED
from tidelog.store.image.delta import Cells, Delta, named
from tidelog.store.image.image import Image, RelationImage

ENTRY_BYTES = 32  # of a symbol, estimated


@dataclass(slots=True)
class EpochDeltas:
    """The deltas of an epoch, and what it did to each relation, in numbers of facts."""

    deltas: list[Delta] = field(default_factory=list)
    asserted: dict[str, int] = field(default_factory=dict)
    retracted: dict[str, int] = field(default_factory=dict)
    changed: dict[str, NetChange[int]] = field(default_factory=dict)
    renewed: list[str] = field(default_factory=list)  # relations that got other columns: their records were replaced


def touched(
    partition: Partition, schema: Schema, *, bases: bool, ranks: bool = False, before: Schema | None = None
) -> EpochDeltas:
    """What the epoch that ran last, and is not committed, has changed; ``bases``: the strata may have changed.

    With ``ranks``, all facts that stay are included: their ranks were renumbered since the previous epoch. ``before``
    are the types of deleted facts, of relations where the epoch changes them.
    """
    relations = partition.relations
    found = EpochDeltas(renewed=relations.renewed)
    for number in touched_relations(relations):
        if number not in partition.assembler.memories:
            _touched_relation(partition, number, schema, found, ranks)
    if bases or ranks:
        known = {delta.relation for delta in found.deltas}
        found.deltas += (_empty(partition, name, schema) for name in held_relations(partition) if name not in known)
    if before:
        found.deltas = [replace(delta, types_before=before.get(delta.relation)) for delta in found.deltas]
    if ranks:
        found.deltas = [_with_untouched(partition, delta) for delta in found.deltas]
    return found


def renewed_header(found: EpochDeltas) -> dict[str, list[str]]:
    """The part of a header that names the relations whose records are replaced."""
    return {RENEWED: found.renewed} if found.renewed else {}


def _with_untouched(partition: Partition, delta: Delta) -> Delta:
    """The delta with all facts that the epoch did not touch."""
    records = partition.relations.records(partition.relations.numbers[delta.relation])
    rows = untouched_rows(records)
    return replace(delta, changed=np.concatenate([delta.changed, _with_rows(rows, records[rows, delta.arity :])]))


def _touched_relation(partition: Partition, number: int, schema: Schema, deltas: EpochDeltas, ranks: bool) -> None:
    relations = partition.relations
    touched = touched_records(relations, number)
    rows, records = touched.rows, touched.records
    inserted, deleted, stayed = touched.inserted, touched.deleted, touched.stayed & (touched.differs | ranks)
    empty = _empty(partition, relations.names[number], schema)
    delta = replace(
        empty,
        changed=_with_rows(rows[stayed], records[stayed, empty.arity :]),
        rows=named(rows[inserted]),
        inserted=records[inserted],
        deleted=_with_rows(rows[deleted], records[deleted, : empty.arity]),
    )
    if delta.changed.size or delta.inserted.size or delta.deleted.size:
        deltas.deltas.append(delta)
    if not is_auxiliary(delta.relation) and delta.relation not in deltas.renewed:
        _count(deltas, delta.relation, touched)


def _count(deltas: EpochDeltas, name: str, touched: TouchedRecords) -> None:
    """Add what the epoch did to a relation, in numbers."""
    if asserted := int(touched.asserted.sum()):
        deltas.asserted[name] = asserted
    if retracted := int(touched.retracted.sum()):
        deltas.retracted[name] = retracted
    changed = NetChange(int(touched.inserted.sum()), int(touched.deleted.sum()))
    if any(changed):
        deltas.changed[name] = changed


def _with_rows(rows: Cells, cells: Cells) -> Cells:
    return np.concatenate([rows.reshape(-1, 1), cells], axis=1)


def everything(partition: Partition, schema: Schema) -> Iterator[Delta]:
    """All records of all relations, between epochs."""
    return (_all_records(partition, name, schema) for name in held_relations(partition))


def _all_records(partition: Partition, name: str, schema: Schema) -> Delta:
    records = partition.relations.records(partition.relations.numbers[name])
    rows = in_use(records).nonzero()[0]
    return replace(_empty(partition, name, schema), rows=named(rows), inserted=records[rows])


def held_image(partition: Partition) -> Image:
    """All records and the clock, between epochs."""
    found = Image(clock=partition.clock)
    for name in held_relations(partition):
        found.relations[name] = relation_image(partition, name)
    return found


def relation_image(partition: Partition, name: str) -> RelationImage:
    """The records of one relation, between epochs."""
    delta = _all_records(partition, name, {})
    found = RelationImage(delta.arity)
    found.apply(delta)
    return found


def _empty(partition: Partition, name: str, schema: Schema) -> Delta:
    relations, number = partition.relations, partition.relations.numbers[name]
    columns, base = arity_of(relations, number), rank_base(relations, number)
    changed, added, removed = (np.zeros((0, width), np.int64) for width in (3, columns + 2, columns + 1))
    return Delta(name, schema.get(name, ()), columns, base, changed, np.zeros(0, np.int64), added, removed)


def held_relations(partition: Partition) -> Iterable[str]:
    """The relations that hold facts."""
    numbers: Mapping[str, int] = partition.relations.numbers
    memories = partition.assembler.memories
    return [name for name, n in numbers.items() if n not in memories and partition.relations.live(n)]


def held_bytes(partition: Partition) -> int:
    """The approximate size of a snapshot."""
    return 8 * cells_in_use(partition.relations) + ENTRY_BYTES * len(partition.dictionary)
