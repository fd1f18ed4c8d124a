"""Facts that a checker reads one relation at a time.

Law: a relation is read on first use, and again when it is used after its release. Released relations are evicted only
if many facts are held, so that a state that fits is read once, and a large one needs only the memory for the relations
that one stratum reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from tidelog.program.values.state import FactState, StreamedFacts
from tidelog.verify.relations import Row

ROOM = 1 << 20  # facts that are held in spite of releases
T = TypeVar("T")
Held = tuple[dict[Row, int], frozenset[Row]]  # ranks of the facts, and those that are asserted


class FactCache:
    """The facts of a state with their ranks; ``plain`` converts rows of a relation to the form used by rules."""

    def __init__(
        self,
        facts: Mapping[str, Mapping[Any, FactState]],
        plain: Mapping[str, Callable[[Iterable[Any]], Row]],
        room: int = ROOM,
    ) -> None:
        self._facts, self._plain, self._room = facts, plain, room
        self._held: dict[str, Held] = {}
        self.ranks: Mapping[str, Mapping[Row, int]] = _LazyMapping(facts.keys(), lambda name: self._of(name)[0])
        self.asserted: Mapping[str, frozenset[Row]] = _LazyMapping(facts.keys(), lambda name: self._of(name)[1])

    def size(self, name: str) -> int:
        """The number of facts of a relation."""
        return len(self._facts[name])

    def all_asserted(self, name: str) -> bool:
        """Whether it is known of a relation, without reading it, that all its facts are asserted."""
        facts = self._facts[name]
        return isinstance(facts, StreamedFacts) and facts.all_asserted

    def let_go(self, names: Iterable[str]) -> None:
        """Release relations that are not needed for a while."""
        for name in names:
            if sum(len(ranks) for ranks, _ in self._held.values()) <= self._room:
                return
            self._held.pop(name, None)

    def _of(self, name: str) -> Held:
        if name not in self._held:
            plain = self._plain[name]
            ranks: dict[Row, int] = {}
            asserted: set[Row] = set()
            for stored, fact in self._facts[name].items():
                row = plain(stored)
                ranks[row] = fact.rank
                if fact.base:
                    asserted.add(row)
            self._held[name] = (ranks, frozenset(asserted))
        return self._held[name]


class _LazyMapping(Mapping[str, T]):
    """Values by relation, each computed on first use."""

    def __init__(self, names: Iterable[str], find: Callable[[str], T]) -> None:
        self._names, self._find = dict.fromkeys(names), find

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise KeyError(name)
        return self._find(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
