"""What a partition has changed in the epoch that ran last, and what it holds in all: as deltas.

Law: the journal of a relation names every record that the epoch touched. A delta says what `commit` is about to make
of them: facts present now stay and are at rest, the others go. Remembered results of functions are a cache and are
left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tidelog.kernel import layout as at
from tidelog.partition.partition import Partition
from tidelog.plan.ruleset import Schema
from tidelog.rewrite.names import is_auxiliary
from tidelog.store.delta import Cells, Delta, named

ENTRY_BYTES = 32  # of a symbol, at a guess


@dataclass(slots=True)
class Touched:
    """The deltas of an epoch, and what it did in numbers: per relation facts asserted, retracted, come and gone."""

    deltas: list[Delta] = field(default_factory=list)
    asserted: dict[str, int] = field(default_factory=dict)
    retracted: dict[str, int] = field(default_factory=dict)
    changed: dict[str, tuple[int, int]] = field(default_factory=dict)


def touched(partition: Partition, schema: Schema, *, bases: bool, ranks: bool = False) -> Touched:
    """What the epoch that ran last, and is not committed, has changed; ``bases``: the strata may be others.

    With ``ranks`` all facts that stay are told too: their ranks were numbered anew since the epoch before.
    """
    found = Touched()
    relations = partition.relations
    count = len(relations.names)
    for number in relations.directory[:count, at.JROWS].nonzero()[0].tolist():
        if number not in partition.assembler.memories:
            _touched_relation(partition, number, schema, found, ranks)
    if bases or ranks:
        known = {delta.relation for delta in found.deltas}
        found.deltas += (_empty(partition, name, schema) for name in _held(partition) if name not in known)
    if ranks:
        found.deltas = [_with_untouched(partition, delta) for delta in found.deltas]
    return found


def _with_untouched(partition: Partition, delta: Delta) -> Delta:
    """The delta with all facts that the epoch did not touch."""
    records = partition.relations.records(partition.relations.numbers[delta.relation])
    rows = ((records[:, delta.arity] & (at.LIVE | at.TOUCHED)) == at.LIVE).nonzero()[0]
    return replace(delta, changed=np.concatenate([delta.changed, _with_rows(rows, records[rows, delta.arity :])]))


def _touched_relation(partition: Partition, number: int, schema: Schema, found: Touched, ranks: bool) -> None:
    relations = partition.relations
    name, arity = relations.names[number], int(relations.directory[number, at.ARITY])
    journal = relations.journal(number)
    rows, before, counts_before = journal[:, 0], journal[:, 1], journal[:, 2]
    now = relations.records(number)[rows]
    state = now[:, arity]
    present, was = (state & at.NEW) != 0, before != 0
    now[:, arity] = (state & ~(at.TOUCHED | at.BATCH)) | at.OLD | at.VISIBLE
    differs = (now[:, arity] != before) | (now[:, arity + 1] != counts_before)
    come, gone, stay = present & ~was, ~present & was, present & was & (differs | ranks)
    based, based_before = present & ((state & at.BASE) != 0), was & ((before & at.BASE) != 0)
    delta = Delta(
        name,
        schema.get(name, ()),
        arity,
        int(relations.directory[number, at.RANK_BASE]),
        changed=_with_rows(rows[stay], now[stay, arity:]),
        rows=named(rows[come]),
        added=now[come],
        removed=_with_rows(rows[gone], now[gone, :arity]),
    )
    if delta.changed.size or delta.added.size or delta.removed.size:
        found.deltas.append(delta)
    _tell(found, name, (based & ~based_before).sum(), (based_before & ~based).sum(), come.sum(), gone.sum())


def _tell(found: Touched, name: str, asserted: int, retracted: int, come: int, gone: int) -> None:
    if is_auxiliary(name):
        return
    if asserted:
        found.asserted[name] = int(asserted)
    if retracted:
        found.retracted[name] = int(retracted)
    if come or gone:
        found.changed[name] = (int(come), int(gone))


def _with_rows(rows: Cells, cells: Cells) -> Cells:
    return np.concatenate([rows.reshape(-1, 1), cells], axis=1)


def everything(partition: Partition, schema: Schema) -> Iterator[Delta]:
    """All records of all relations, between epochs."""
    relations = partition.relations
    for name in _held(partition):
        number = relations.numbers[name]
        empty = _empty(partition, name, schema)
        records = relations.records(number)
        rows = ((records[:, empty.arity] & at.LIVE) != 0).nonzero()[0]
        yield replace(empty, rows=named(rows), added=records[rows])


def _empty(partition: Partition, name: str, schema: Schema) -> Delta:
    number = partition.relations.numbers[name]
    arity, base = (int(partition.relations.directory[number, f]) for f in (at.ARITY, at.RANK_BASE))
    changed, added, removed = (np.zeros((0, width), np.int64) for width in (3, arity + 2, arity + 1))
    return Delta(name, schema.get(name, ()), arity, base, changed, np.zeros(0, np.int64), added, removed)


def _held(partition: Partition) -> Iterable[str]:
    """The relations that hold facts."""
    numbers: Mapping[str, int] = partition.relations.numbers
    memories = partition.assembler.memories
    return [name for name, n in numbers.items() if n not in memories and partition.relations.live(n)]


def held_bytes(partition: Partition) -> int:
    """About how large a snapshot is."""
    directory = partition.relations.directory[: len(partition.relations.names)]
    records = int(8 * (directory[:, at.LIVE_ROWS] * (directory[:, at.WIDTH] + 1)).sum())
    return records + ENTRY_BYTES * len(partition.dictionary)
