"""Records of all partitions, redistributed among another number of them.

Law: every fact is moved from its owner to its new owner, with its count of supports; facts on every partition are read
from the first. Nothing is evaluated here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np

from tidelog.partition.base.owner import share_rows
from tidelog.partition.code.assemble import SHOWN
from tidelog.partition.memory.records import Mask, copied_records, exposed, in_use, later, mark_exposed, rest_low
from tidelog.partition.texts.shared_dictionary import by_owner
from tidelog.plan.repartition_strata import Move
from tidelog.program.values.term import Value
from tidelog.rewrite.place.placement import MIRRORED, SINGLE
from tidelog.store.image.delta import Cells
from tidelog.store.image.image import Image
from tidelog.store.image.restore import live_records, relation_of, rows_as_values, show_groups


class MergedRecords:
    """The records of all partitions together, by relation, with ranks that count from 0."""

    def __init__(self, pieces: Sequence[Image], places: Mapping[str, int]) -> None:
        self._pieces, self._places = pieces, places
        self.clock = reduce(later, (piece.clock for piece in pieces), 0)
        names = {name for piece in pieces for name in piece.relations}
        self.names = frozenset(name for name in names if not name.startswith(SHOWN))

    def sample(self, name: str, most: int, few: int) -> Cells | None:
        """An evenly chosen sample of a relation's facts; None if it has few."""
        held = [piece.relations[name] for piece in self._sources(name) if name in piece.relations]
        total = sum(relation.rows for relation in held)
        if total < few:
            return None
        step = max(1, total // most)
        parts = [relation.records[: relation.rows : step] for relation in held]
        found: Cells = np.concatenate([part[in_use(part), :-2] for part in parts])
        return found

    def _sources(self, name: str) -> Sequence[Image]:
        """The partitions to read from: only the first if every partition holds all facts."""
        return self._pieces[:1] if self._places.get(name) == MIRRORED else self._pieces

    def records(self, name: str) -> Cells | None:
        """The records of a relation, None if there are none; a copy that the caller may change."""
        sources = self._sources(name)
        held = [live_records(piece.relations[name]) for piece in sources if name in piece.relations]
        held = [records for records in held if len(records)]
        return np.concatenate(held) if held else None


class Shares:
    """What each of the new partitions gets."""

    def __init__(self, whole: MergedRecords, move: Move, partitions: int) -> None:
        self._whole, self._move, self._partitions = whole, move, partitions
        self.images = [Image(clock=whole.clock) for _ in range(partitions)]

    def share_moved(self, name: str) -> None:
        """Distribute a relation whose records are moved unchanged."""
        records = self._records(name)
        if records is None:
            return
        if name in self._move.plain:
            rest_low(records)
        self._expose(name, records)
        place = self._move.new.places.get(name, SINGLE)  # of one partition nothing else is said
        for image, part in zip(self.images, share_rows(records, place, self._partitions), strict=True):
            if len(part):
                image.relations[name] = relation_of(part.copy())  # partitions write to what they get

    def take_built(self, names: frozenset[str], built: Sequence[Image]) -> None:
        """Take over relations as a build has distributed them."""
        for image, made in zip(self.images, built, strict=True):
            image.clock = later(image.clock, made.clock)
            image.relations |= {name: made.relations[name] for name in names if name in made.relations}

    def finish(self, entries: Mapping[int, Value]) -> list[Image]:
        """The images, with what groups show, entries at their owners, and the same clock for all."""
        clock = reduce(later, (image.clock for image in self.images))
        for image in self.images:
            image.clock = clock
            for rule in self._move.new.core.values():
                show_groups(image, rule)
        for owner, owned in by_owner(list(entries.items()), self._partitions):
            self.images[owner].entries = dict(owned)
        return self.images

    def _records(self, name: str) -> Cells | None:
        """The records of a relation; a copy that is new, or not in a recursion, is made from the copied relation."""
        source = self._move.copies.get(name)
        if source is None or name not in self._move.plain:
            return self._whole.records(name)
        records = self._whole.records(source)
        return None if records is None else copied_records(records)

    def _expose(self, name: str, records: Cells) -> None:
        """Mark the facts that a min or max exposes, and no others: the rule may now read them from another relation."""
        before = self._move.exposing.get(name, frozenset())
        if before == {name}:
            return
        marked: Mask = np.zeros(len(records), bool)
        for other in before:
            found = self._whole.records(other)
            if found is not None:
                chosen = found[exposed(found), :-2]
                marked |= np.isin(rows_as_values(records[:, :-2]), rows_as_values(chosen))
        mark_exposed(records, marked)
