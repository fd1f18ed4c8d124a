"""Change the number of partitions: of a running engine, or of a state folder that is opened with another number.

Law: it is a separate epoch that changes no fact, after which the contents of partitions are a function of facts, rules
and their number: of removed rules, only names chosen by the user remain. New partitions are filled and made durable
beside the old ones; the frame in the state folder makes them valid, and until then the old ones are unchanged. A
failure, Ctrl-C or a kill therefore leaves the engine and the folder at the epoch before with the old number, or after
with the new one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.committed_epoch import CommittedEpoch
from tidelog.engine.base.location import OpenedRuntime
from tidelog.engine.core.core import Core, Repartition
from tidelog.engine.open.open import MOST_PARTITIONS, make_runtime
from tidelog.partition.code.machine import nothing
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.form import RelationPlacements
from tidelog.plan.plan_epoch import Planner
from tidelog.plan.repartition_strata import plan_move
from tidelog.program.functions.arguments import must_be
from tidelog.rewrite.names import is_auxiliary
from tidelog.rewrite.place.placement import SINGLE
from tidelog.runtime.base.interrupts import Guard
from tidelog.runtime.many.move_pieces import Mover
from tidelog.store.folder.durable import EpochRecord
from tidelog.store.image.reshare import MergedRecords
from tidelog.store.image.skew import heavy_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tidelog.plan.form import Form
    from tidelog.plan.ruleset import Ruleset
    from tidelog.runtime.protocol.runtime import Runtime
    from tidelog.store.folder.durable import Durable
    from tidelog.store.image.image import Image


Places = dict[str, int]
_ALREADY = "there are already {partitions} partitions"


@dataclass(frozen=True, slots=True)
class PartitionContents:
    """The previous contents: records and entries of every partition, the form of the rules, strata and relations.

    The places of the form and the relations include all relations that ever existed.
    """

    pieces: Sequence[Image]
    partitions: int
    form: Form
    groups: tuple[frozenset[str], ...]
    arities: Mapping[str, int]

    def gone(self, schema: Mapping[str, object]) -> dict[str, int]:
        """The relations of former rules, with their numbers of columns; history may be queried for them."""
        return {name: arity for name, arity in self.arities.items() if name not in schema and not is_auxiliary(name)}

    def places(self, schema: Mapping[str, object], partitions: int, heavy: Mapping[str, frozenset[int]]) -> Places:
        """The placements to keep with another number of partitions; with several, all that are not heavy.

        Placements are kept for the relations of the schema and for removed ones; the copies that rules read, and other
        relations made by rewriting, get theirs with the rules.
        """
        if partitions == 1:
            return {}
        gone = {name: 0 if arity else SINGLE for name, arity in self.gone(schema).items()}
        known = ((name, place) for name, place in self.form.places.items() if name in schema or name in gone)
        return {**gone, **{name: place for name, place in known if place not in heavy.get(name, ())}}

    def adopted(self, rules: Ruleset, partitions: int, placing: RelationPlacements) -> Form:
        """The form of the rules on this number of partitions, with the places of all relations."""
        placing.heavy = self.heavy(rules.schema, partitions)
        placing.adopt(rules, self.places(rules.schema, partitions, placing.heavy))
        return _form(placing)

    def lies_well(self, rules: Ruleset) -> bool:
        """Whether, with the same number of partitions, no relation would be placed differently."""
        places = self.adopted(rules, self.partitions, RelationPlacements(self.partitions)).places
        return all(places.get(name, place) == place for name, place in self.form.places.items())

    def heavy(self, schema: Mapping[str, object], partitions: int) -> dict[str, frozenset[int]]:
        """The columns by which relations must not be placed on this number of partitions."""
        if partitions == 1:
            return {}
        whole = MergedRecords(self.pieces, self.form.places)
        return heavy_columns(whole, sorted(whole.names & schema.keys()), partitions)


@dataclass(frozen=True, slots=True)
class RepartitionResult:
    """A summary of what was done, and the number of columns of every relation."""

    summary: str
    arities: dict[str, int]


class _Watch:
    """The function that is called between parts of the work, whichever runtime does it."""

    def __init__(self) -> None:
        self.on_slice: Callable[[], None] = nothing

    def __call__(self) -> None:
        self.on_slice()


def repartition(core: Core, partitions: int) -> str:
    """Change the number of partitions in a separate epoch that changes no fact; returns a summary.

    Unevenly distributed relations, those with many facts that share one value in the placement column, are placed by
    another column if they have one; if the number stays the same, nothing else happens. The cost is about one to three
    passes over the state, plus a build of each recursion that reads a copy of itself. With a state folder the change is
    durable when the call returns.
    """
    core.must_be_open()
    must_be(partitions, int, "partitions", "the new number of partitions")
    if not 1 <= partitions <= MOST_PARTITIONS:
        raise failures.PARTITIONS.error(partitions=partitions, most=MOST_PARTITIONS)
    if core.durable is not None:
        core.durable.must_be_writable()
    with core.writing:
        return _repartition(core, partitions)


def _repartition(core: Core, partitions: int) -> str:
    before, opened, planner = core.runtime, core.opened, core.planner
    watch = _Watch()
    if partitions == before.partitions == 1:
        return _ALREADY.format(partitions=partitions)
    with Guard(watch):
        arities = {name: arity for name in before.node.strata if (arity := before.node.arity(name)) is not None}
        held = PartitionContents(
            before.handover.images(), before.partitions, _form(planner.placing), tuple(before.node.groups), arities
        )
        if partitions == before.partitions and held.lies_well(core.rules):
            return _ALREADY.format(partitions=partitions)
        with moving(core, held.pieces):
            where = replace(opened.where, partitions=partitions, room=None)
            runtime = make_runtime(where, core.durable, opened.lasting, before.dictionary)
            try:
                runtime.set_limits(before.limits)
                runtime.on_slice = watch
                if core.durable is not None:
                    runtime.open_state(core.durable)
                made = Planner(partitions, runtime.facts, lambda: runtime.node.groups, planner.plans)
                moved = move_in(core, held, runtime, made, watch)
                runtime.on_slice = nothing
            except BaseException:
                runtime.close()
                raise
            _take_over(core, replace(opened, runtime=runtime, where=where), made)
    core.meter.note_move(core.number, f"{held.partitions} to {partitions} partitions: {moved.summary}")
    return moved.summary


@contextmanager
def moving(core: Core, pieces: Sequence[Image]) -> Iterator[None]:
    """A context in which new partitions take over: reads are served by the old ones, or wait (`Core.read`)."""
    before = core.runtime
    number = core.repartition.number + 1
    core.repartition = Repartition(number, is_running=True)
    before.dictionary.lent = {cell: value for piece in pieces for cell, value in piece.entries.items()}
    try:
        before.handover.rest()
        yield
    finally:
        # Before the old ones stop: anything read from them after this point is read again.
        core.repartition = Repartition(number)
        if core.runtime is not before:
            before.close()
        before.handover.go_on()
        before.dictionary.lent = None


def move_in(
    core: Core, held: PartitionContents, runtime: Runtime, planner: Planner, watch: Callable[[], None]
) -> RepartitionResult:
    """Move the contents of other partitions into empty ones, and make that durable as the next epoch."""
    began = time.perf_counter()
    rules = core.rules
    form = held.adopted(rules, runtime.partitions, planner.placing)
    move = plan_move(held.form, form, held.groups, rules.schema)
    dictionary = _dictionary(held.pieces, runtime)
    mover = Mover(move, planner.forming(rules), rules.functions, dictionary, watch)
    images = mover.images(held.pieces, runtime.partitions)
    watch()
    runtime.handover.take(images)
    arities = {**held.gone(rules.schema), **{name: len(types) for name, types in form.schema.items()}}
    runtime.adopt(arities, move.strata, map(planner.forming(rules), form.core.values()), form.places)
    planner.committed(rules)
    watch()
    if core.durable is not None:
        summary = f"{held.partitions} to {runtime.partitions} partitions: {move}"
        note = EpochRecord(time.perf_counter() - began, note=summary)
        runtime.handover.record(core.durable, core.number + 1, rules, form.schema, note)
    return RepartitionResult(str(move), arities)


@contextmanager
def watched(runtime: Runtime) -> Iterator[Callable[[], None]]:
    """A context for filling new partitions, in which Ctrl-C waits for a moment at which no step is half done."""
    watch = _Watch()
    with Guard(watch):
        runtime.on_slice = watch
        try:
            yield watch
        finally:
            runtime.on_slice = nothing


def held_in_folder(core: Core, durable: Durable) -> PartitionContents:
    """The contents of a state folder that was written by another number of partitions."""
    image, count = durable.image, max(durable.partitions, 1)
    placing = RelationPlacements(count)
    placing.adopt(core.rules, durable.placements)
    groups = tuple(map(frozenset, image.strata))
    return PartitionContents(durable.pieces, count, _form(placing), groups, image.arities)


def _form(placing: RelationPlacements) -> Form:
    """The form in force with the places of all relations that ever existed."""
    return replace(placing.form, places=placing.known)


def _dictionary(pieces: Iterable[Image], runtime: Runtime) -> Dictionary:
    """The values behind ids while strata are built: partitions on Spark do not know theirs yet."""
    if runtime.session is None:
        for piece in pieces:
            runtime.dictionary.enter(piece.entries.items())
        return runtime.dictionary
    found = Dictionary()
    for piece in pieces:
        found.enter(piece.entries.items())
    return found


def _take_over(core: Core, opened: OpenedRuntime, planner: Planner) -> None:
    """Make the new partitions those of the engine."""
    with opened.runtime.facts.one_epoch():
        before = core.committed
        core.questions.clear()
        core.replicas.clear()
        core.resources = (opened, planner)
        core.committed = CommittedEpoch(before.rules, before.schema, before.number + 1, before.sizes)
