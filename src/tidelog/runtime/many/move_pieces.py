"""Redistribute the contents of partitions to another number of them: records are moved, and some strata built again.

Law: the facts are the same before and after, with the same counts of supports; ranks and counts of lower rank are right
for the new form of the rules (`plan.repartition_strata`). A stratum is built like any other: by an epoch in which its
rules are new, over the facts below it, on temporary partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.memory.records import asserted
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.repartition_strata import Group, Move
from tidelog.plan.work import EpochWork, RuleForm, StrataChange
from tidelog.program import Rule
from tidelog.program.functions.table import Function
from tidelog.program.values.scope import atoms
from tidelog.rewrite.place.placement import MIRRORED
from tidelog.runtime.base import runtime_failures as failures
from tidelog.runtime.many.coordinator import Coordinator
from tidelog.runtime.many.local import LocalNodes
from tidelog.runtime.one.embedded import EmbeddedRuntime
from tidelog.runtime.protocol.runtime import Runtime
from tidelog.store.image.image import Image
from tidelog.store.image.reshare import MergedRecords, Shares
from tidelog.store.image.restore import live_records, rows_as_values

Functions = Mapping[str, tuple[Function, ...]]


class Mover:
    """Redistributes the contents of partitions; ``on_slice`` is called between parts of the work."""

    def __init__(
        self,
        move: Move,
        form: Callable[[Rule], RuleForm],
        functions: Functions,
        dictionary: Dictionary,
        on_slice: Callable[[], None],
    ) -> None:
        self._move, self._form = move, form
        self._functions, self._dictionary, self._on_slice = functions, dictionary, on_slice

    def images(self, pieces: Sequence[Image], partitions: int) -> list[Image]:
        """What each of the new partitions holds."""
        whole = MergedRecords(pieces, self._move.old.places)
        shares = Shares(whole, self._move, partitions)
        built = frozenset[str]().union(*self._move.built)
        for name in sorted(self._move.new.schema.keys() - built):
            self._on_slice()
            shares.share_moved(name)
        for group in self._move.built:
            shares.take_built(group, self._built(group, whole, partitions))
        entries = {cell: value for piece in pieces for cell, value in piece.entries.items()}
        return shares.finish(entries)

    def _built(self, group: Group, whole: MergedRecords, partitions: int) -> list[Image]:
        """The records of a stratum, built on separate partitions."""
        runtime = small_runtime(self._functions, partitions, self._dictionary)
        runtime.on_slice = self._on_slice
        try:
            runtime.run(self._work(group, whole))
            runtime.commit()
            images = runtime.handover.images()
        finally:
            runtime.close()
        for name in sorted(group - self._move.copies.keys()):
            _compare(name, whole.records(name), images, self._move.new.places.get(name) == MIRRORED)
        return images

    def _work(self, group: Group, whole: MergedRecords) -> EpochWork:
        """The epoch that derives a stratum from what is asserted in it and from all that it reads."""
        new = self._move.new
        rules = [rule for rule in new.core.values() if rule.head.predicate in group]
        read = {atom.predicate for rule in rules for atom in atoms(rule.body)} - group
        inserts: dict[str, Cells] = {}
        for name in sorted(read | group):
            records = whole.records(self._move.copies.get(name, name) if name in read else name)
            if records is not None:
                rows = records if name in read else records[asserted(records)]
                inserts[name] = np.ascontiguousarray(rows[:, :-2])
        arities = {name: len(new.schema[name]) for name in read | group}
        places = {name: new.places[name] for name in arities if name in new.places}
        added = tuple(map(self._form, rules))
        return EpochWork(arities, inserts, added=added, strata=StrataChange((group,)), places=places)


def small_runtime(functions: Functions, partitions: int, dictionary: Dictionary) -> Runtime:
    """Empty partitions in this process, for a short time."""
    if partitions == 1:
        return EmbeddedRuntime(functions, dictionary=dictionary)
    return Coordinator(functions, LocalNodes(functions, partitions, dictionary), dictionary)


def _compare(name: str, before: Cells | None, built: Sequence[Image], mirrored: bool) -> None:
    """Refuse a build whose facts differ from the previous ones, since the strata above it are not built again."""
    owners = built[:1] if mirrored else built
    found = [live_records(image.relations[name])[:, :-2] for image in owners if name in image.relations]
    rows = np.concatenate(found) if found else None
    old = None if before is None else before[:, :-2]
    if (rows is None or not len(rows)) and old is None:
        return
    if rows is None or old is None or len(rows) != len(old) or not _same(rows, old):
        raise failures.MOVED_OTHERWISE.error(name=name)


def _same(rows: Cells, others: Cells) -> bool:
    """Whether two sets of rows are equal."""
    if not rows.shape[1]:
        return True
    return bool((np.sort(rows_as_values(rows)) == np.sort(rows_as_values(others))).all())
