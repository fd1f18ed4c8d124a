"""The supports of all facts, and the facts that are suspended until the next barrier.

Law: a fact that loses its last support of lower rank is suspended, and the barrier decides what becomes of it. With
supports left it is derivable from present facts and enters again; without any it is gone. Until then a suspended fact
keeps its rank, because what it supports loses at that rank.
"""

from __future__ import annotations

from collections.abc import Hashable

from tidelog.lab.semantics.fact import Fact
from tidelog.lab.semantics.ranked.rank import GROUND, Rank
from tidelog.lab.semantics.ranked.support import Support


class Supports(dict[Fact, Support]):
    """The entry of every fact that is present or suspended."""

    def __init__(self) -> None:
        super().__init__()
        self._suspended: list[Fact] = []

    def lose(self, fact: Fact, body_rank: Rank) -> bool:
        """One support less; True if that has suspended the fact."""
        entry = self[fact]
        if not entry.lose(body_rank):
            return False
        entry.present = False
        self._suspended.append(fact)
        return True

    def gain(self, fact: Fact, body_rank: Rank) -> bool:
        """One support more; True if the fact is not present and has to enter."""
        entry = self.setdefault(fact, Support(GROUND))
        entry.gain(body_rank)
        return not entry.present

    def release(self) -> list[Fact]:
        """Forget the suspended facts without supports; returns the others, which enter again, in the order of ranks."""
        suspended, self._suspended = self._suspended, []
        for fact in suspended:
            if not self[fact].all:
                del self[fact]
        return sorted((fact for fact in suspended if fact in self), key=lambda fact: self[fact].rank)

    def canonical(self) -> Hashable:
        """Everything that later gains and losses depend on."""
        entries = frozenset((fact, s.rank, s.all, s.low, s.present) for fact, s in self.items())
        return entries, tuple(self._suspended)
