"""The state of an engine, for checks from outside: gathered as one value, or read in batches.

Law: every fact is reported once, by its owner. A fact of a mirrored relation has a rank on every partition; with the
lowest of them, every support that counts as one of lower rank still is one. A state that is read in batches also
belongs to one epoch (`runtime.protocol.frozen_facts`).
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.form import Form
from tidelog.program.values.state import EngineState, FactState, Row, StreamedFacts
from tidelog.rewrite.place.placement import MIRRORED, SINGLE
from tidelog.runtime.protocol.frozen_facts import FrozenFacts
from tidelog.runtime.protocol.part_check import decoded
from tidelog.runtime.protocol.runtime import Runtime

Facts = dict[Row, FactState]


def gather_state(runtime: Runtime, form: Form, dictionary: Dictionary) -> EngineState:
    """Every fact with its rank and counts, the rules as they run, and the strata."""
    names = [name for name in form.schema if runtime.facts.arity(name) is not None]
    held = {name: [decoded(c, form.schema[name], dictionary) for c in runtime.facts.held(name)] for name in names}
    mirrored = frozenset(name for name in names if form.places.get(name) == MIRRORED)
    parts = tuple({name: found[number] for name, found in held.items()} for number in range(runtime.partitions))
    return EngineState(
        {name: _once(found, name in mirrored) for name, found in held.items()},
        tuple(form.core.values()),
        tuple(runtime.node.groups),
        form.schema,
        parts if len(parts) > 1 else (),
        mirrored,
        form.everywhere,
    )


class RelationStream(StreamedFacts):
    """The facts of one relation, read in batches on every iteration."""

    def __init__(self, frozen: FrozenFacts, name: str, types: tuple[str | None, ...], dictionary: Dictionary) -> None:
        self._frozen, self._name, self._types, self._dictionary = frozen, name, types, dictionary

    def batches(self) -> Iterator[Facts]:
        """The facts, in batches."""
        return (decoded(counts, self._types, self._dictionary) for counts in self._frozen.batches(self._name))

    @property
    def all_asserted(self) -> bool:
        """Whether all of them are asserted."""
        return self._frozen.all_asserted(self._name)

    def __getitem__(self, row: Row) -> FactState:
        found = next((batch[row] for batch in self.batches() if row in batch), None)
        if found is None:
            raise KeyError(row)
        return found

    def __iter__(self) -> Iterator[Row]:
        return (row for batch in self.batches() for row in batch)

    def __len__(self) -> int:
        return self._frozen.size(self._name)

    def items(self) -> ItemsView[Row, FactState]:
        """The facts with their counts."""
        return _Items(self)


class _Items(ItemsView[Row, FactState]):
    """Iterates over the batches; looking up every fact would read them all again."""

    def __init__(self, facts: RelationStream) -> None:
        super().__init__(facts)
        self._facts = facts

    def __iter__(self) -> Iterator[tuple[Row, FactState]]:
        return (item for batch in self._facts.batches() for item in batch.items())


@contextmanager
def streamed_state(runtime: Runtime, form: Form, dictionary: Dictionary) -> Iterator[tuple[EngineState, FrozenFacts]]:
    """The same, read only on iteration; ``parts`` are not included."""
    names = [name for name in form.schema if runtime.facts.arity(name) is not None]
    with runtime.facts.freeze(names) as frozen:
        facts = {name: RelationStream(frozen, name, form.schema[name], dictionary) for name in names}
        groups = tuple(runtime.node.groups)
        yield EngineState(facts, tuple(form.core.values()), groups, form.schema, mirrored=frozen.mirrored), frozen


def _once(parts: list[Facts], mirrored: bool) -> Mapping[Row, FactState]:
    if len(parts) == 1:
        return parts[0]
    if not mirrored:
        return {row: fact for part in parts for row, fact in part.items()}
    return {
        row: replace(fact, rank=min(part[row].rank for part in parts if row in part)) for row, fact in parts[0].items()
    }


def homes_of(places: Mapping[str, int]) -> dict[str, int | None]:
    """The column by which each relation is placed, None if on every partition; those on partition 0 are left out."""
    return {name: None if place == MIRRORED else place for name, place in places.items() if place != SINGLE}
