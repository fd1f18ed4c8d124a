"""Whether records are consistent: the flags, ranks and counts that facts have between epochs.

Law: the kernel can continue from an image that passes: every row number is that of a row, no fact has fewer supports
than supports of lower rank, and no flag is set that only a running epoch sets. Whether the facts are those that the
rules derive is not checked here, but by the certificate (`tidelog verify DIR`). One pass over the records, in numpy.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.kernel.cells import Cells
from tidelog.partition.base.owner import owners_of
from tidelog.partition.code.assemble import SHOWN
from tidelog.partition.memory.records import are_at_rest, are_counts, count_cells, in_use, rank_range, state_cells
from tidelog.rewrite.place.placement import MIRRORED, SINGLE
from tidelog.store.base.corruption import ImpossibleError, damage
from tidelog.store.image.duplicate_facts import check_distinct
from tidelog.store.image.image import Image, RelationImage

FUNCTIONS = "__function "  # remembered results, which no state holds


def check_image(image: Image, place: str) -> None:
    """Raise StateError if an image has records that no epoch could have left."""
    try:
        for name, relation in image.relations.items():
            relation.check_changes(name)
            if relation.rows:
                _check_relation(name, relation, image.clock)
                _check_name(name, relation, image.arities)
    except ImpossibleError as wrong:
        raise damage(place, wrong) from None


def check_distinct_facts(image: Image, place: str) -> None:
    """Raise StateError if a relation holds a fact twice; opening a state checks that in its table (`restore`)."""
    try:
        for name, relation in image.relations.items():
            check_distinct(name, relation.facts())
    except ImpossibleError as wrong:
        raise damage(place, wrong) from None


def check_owned(image: Image, partition: int, partitions: int, placements: Mapping[str, int]) -> None:
    """Raise StateError if a partition holds facts that another owns: facts held by two would be counted twice."""
    try:
        for name, place in placements.items():
            relation = image.relations.get(name)
            if relation is None or place == MIRRORED or relation.is_empty():
                continue
            if place >= relation.arity or not _are_owned(relation.facts(), place, partition, partitions):
                raise ImpossibleError(f"`{name}` contains a fact that belongs to another partition")
    except ImpossibleError as wrong:
        raise damage(image.place, wrong) from None


def _are_owned(facts: Cells, place: int, partition: int, partitions: int) -> bool:
    return partition == 0 if place == SINGLE else bool((owners_of(facts[:, place], partitions) == partition).all())


def _check_relation(name: str, relation: RelationImage, clock: int) -> None:
    records = relation.records[: relation.rows]
    states, counts = state_cells(records), count_cells(records)
    live = in_use(records)
    if not live.all():
        states, counts = states[live], counts[live]
    if not len(states):
        return
    if not are_at_rest(states):
        raise ImpossibleError(f"`{name}` contains a fact of an unfinished epoch")
    lowest, highest = rank_range(states, relation.base)
    if not 0 <= lowest <= highest <= clock:
        raise ImpossibleError(f"`{name}` contains a fact whose rank is not between 0 and the clock")
    if not name.startswith(SHOWN) and not are_counts(counts):
        raise ImpossibleError(f"`{name}` contains a fact with a wrong support count")


def _check_name(name: str, relation: RelationImage, arities: Mapping[str, int]) -> None:
    """Check that a relation has the columns that the rules use, and is not one that the engine fills internally."""
    known = arities.get(name, relation.arity)
    if known != relation.arity and not relation.is_empty():
        raise ImpossibleError(f"`{name}` has {relation.arity} columns, but the rules use {known}")
    if name.startswith(FUNCTIONS):
        raise ImpossibleError(f"`{name}` contains results of functions")
