"""From an image to a partition: records, dictionary and clock as they were.

Laws. *One partition*: rows keep their positions; tables and free lists are filled by the kernel, indexes when the rules
that use them are added. Every fact is in one record: facts with the same hash are near each other in a table, so that a
scan of the table finds two records of one fact. *Several merged, for reading*: every fact occurs once, with the counts
of its owner; a fact that all partitions hold gets the lowest of its ranks, so that every fact still has a support whose
ranks are lower. Such a state is read and never changed.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tidelog.partition.code.assemble import SHOWN
from tidelog.partition.memory.records import exposed, in_use, lowest_ranked, mark_exposed, raise_ranks, shown_records
from tidelog.partition.memory.relations import Relations
from tidelog.partition.phases.partition import Partition
from tidelog.plan.plan_rule import aggregate_of, group_columns, is_folded
from tidelog.program import Atom, Rule
from tidelog.rewrite.place.placement import MIRRORED, copied
from tidelog.store.base.corruption import ImpossibleError, damage
from tidelog.store.image.delta import Cells
from tidelog.store.image.duplicate_facts import check_distinct
from tidelog.store.image.image import SMALLEST, Image, RelationImage

HALF, ROW = np.uint64(32), np.uint64((1 << 32) - 1)  # an entry of a table is hash << 32 | row + 1 (`Table`)


def fill_partition(partition: Partition, image: Image, core: Iterable[Rule] = ()) -> None:
    """Fill an empty partition with the facts of an image; the image's records belong to the partition from now on.

    ``core``: the rules in force, needed where the image has pieces of several partitions.
    """
    rules = list(core)
    if image.pieces:
        put_together(image, rules)
    try:
        _check_groups(image, rules)
        for name, relation in image.relations.items():
            if not relation.is_empty():
                number = partition.add_relation(name, relation.arity)
                partition.relations.load(number, relation.records, relation.rows, relation.base)
                _check_table(partition.relations, number)
    except ImpossibleError as wrong:
        raise damage(image.place, wrong) from None
    partition.dictionary.enter(image.entries.items())
    partition.raise_clock(image.clock)


def _check_groups(image: Image, core: Iterable[Rule]) -> None:
    """Check that the groups of a min or max have the columns that the rule groups by."""
    for rule in core:
        relation = image.relations.get(f"{SHOWN}{rule.label}")
        if relation is None or relation.is_empty() or not _shows_groups(rule):
            continue
        if relation.arity != len(group_columns(rule)):
            raise ImpossibleError(f"the groups of `{rule.label}` have {relation.arity} columns")


def _check_table(relations: Relations, number: int) -> None:
    """Raise ImpossibleError if a relation that was loaded holds a fact twice."""
    cells = relations.tables[number].cells
    entries = np.sort(cells[cells != 0].view(np.uint64), kind="stable")  # quick, since they are nearly sorted
    hashes = entries >> HALF
    same = np.append(hashes[1:] == hashes[:-1], False)
    if same.any():
        same[1:] |= same[:-1].copy()
        rows = (entries[same] & ROW).astype(np.int64) - 1
        check_distinct(relations.names[number], relations.records(number)[rows, :-2])


def put_together(image: Image, core: Iterable[Rule]) -> None:
    """Merge the relations and entries of all pieces into those of one partition."""
    names = {name for piece in image.pieces for name in piece.relations if not name.startswith(SHOWN)}
    for name in sorted(names):
        held = [p.relations[name] for p in image.pieces if name in p.relations and not p.relations[name].is_empty()]
        if held:
            records = np.concatenate([live_records(relation) for relation in held])
            if image.placements.get(name) == MIRRORED:
                records = lowest_ranked(records)
            image.relations[name] = relation_of(records)
    for piece in image.pieces:
        image.entries.update(piece.entries)
    for rule in core:
        show_groups(image, rule)
    image.pieces = []


def live_records(relation: RelationImage) -> Cells:
    """The records in use, with ranks that count from 0."""
    records = relation.records[: relation.rows]
    live: Cells = records[in_use(records)]
    raise_ranks(live, relation.base)
    return live


def relation_of(records: Cells) -> RelationImage:
    """A relation that holds some records, in row order and with the capacity that the kernel expects."""
    count, width = records.shape
    if count < SMALLEST:
        records = np.concatenate([records, np.zeros((SMALLEST - count, width), np.int64)])
    return RelationImage(width - 2, 0, count, np.ascontiguousarray(records))


def show_groups(image: Image, rule: Rule) -> None:
    """Restore what the groups of a min or max show, from the rows of the exposed candidates (`kernel.aggregate`)."""
    source = rule.body[0] if rule.body else None
    if not isinstance(source, Atom) or not _shows_groups(rule):
        return
    candidates = image.relations.get(source.predicate)
    if candidates is None:
        return
    rows, arity = _exposed(image, source.predicate, candidates), candidates.arity
    groups = candidates.records[rows, :arity][:, list(group_columns(rule))]
    if len(rows):
        image.relations[f"{SHOWN}{rule.label}"] = relation_of(shown_records(groups, rows))


def _shows_groups(rule: Rule) -> bool:
    """Whether a rule computes a min or max in the kernel."""
    aggregate = aggregate_of(rule)
    is_chosen = aggregate is not None and aggregate.value is not None and not is_folded(rule)
    return is_chosen and bool(rule.body) and isinstance(rule.body[0], Atom)


def _exposed(image: Image, name: str, candidates: RelationImage) -> Cells:
    """The rows of the exposed candidates; if the partitions marked those of a copy, the marks are transferred first."""
    held = candidates.records[: candidates.rows]
    for other, copy in image.relations.items() if not exposed(held).any() else ():
        if copied(other, {name}) is not None and (marked := exposed(copy.records[: copy.rows])).any():
            chosen = copy.records[: copy.rows][marked, : copy.arity]
            mark_exposed(held, np.isin(rows_as_values(held[:, : copy.arity]), rows_as_values(chosen)))
    rows: Cells = exposed(held).nonzero()[0]
    return rows


def rows_as_values(cells: Cells) -> npt.NDArray[np.void]:
    """Rows as single values that can be compared."""
    return np.ascontiguousarray(cells).view(np.dtype((np.void, 8 * cells.shape[1]))).ravel()
