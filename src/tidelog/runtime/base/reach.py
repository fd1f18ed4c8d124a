"""Which strata an epoch reaches: those of the relations that change, and those that read what changed.

Law: lower strata come first, and each is visited once. A stratum that no change reaches costs nothing, so that the
cost of an epoch follows the change.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping

from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.program import Atom, Negation


class Readers:
    """For each relation the heads of the rules that read it; entries of removed rules stay and cost only a check."""

    def __init__(self) -> None:
        self._heads: dict[str, set[str]] = {}
        self._added: list[tuple[str, str]] = []  # in the running epoch

    def of(self, relation: str) -> Iterable[str]:
        """The heads of the rules that read a relation."""
        return self._heads.get(relation, ())

    def add(self, code: RuleCode) -> None:
        """Add a new rule as a reader of the relations in its body."""
        head, found = code.rule.head.predicate, list(code.sources)
        for literal in code.rule.body:
            atom = literal.atom if isinstance(literal, Negation) else literal
            if isinstance(atom, Atom):
                found.append(atom.predicate)
        for name in found:
            heads = self._heads.setdefault(name, set())
            if head not in heads:
                heads.add(head)
                self._added.append((name, head))

    def commit(self) -> None:
        """Keep what the epoch added."""
        self._added = []

    def undo(self) -> None:
        """Remove what the epoch added."""
        for relation, head in self._added:
            self._heads[relation].discard(head)
        self._added = []


class Agenda:
    """The strata still to be visited, lower ones first; more may be added while it is worked through."""

    def __init__(self, strata: Mapping[str, Stratum]) -> None:
        self._strata = strata
        self._heap: list[tuple[int, int]] = []
        self._seen: dict[int, Stratum] = {}

    def add(self, relations: Iterable[str]) -> None:
        """Add those strata of these relations that were not added before."""
        for name in relations:
            stratum = self._strata.get(name)  # None: a query that was rolled back read the relation
            if stratum is not None and id(stratum) not in self._seen:
                self._seen[id(stratum)] = stratum
                heapq.heappush(self._heap, (stratum.order, id(stratum)))

    def __iter__(self) -> Iterator[Stratum]:
        while self._heap:
            yield self._seen[heapq.heappop(self._heap)[1]]


def within_reach(strata: Mapping[str, Stratum], readers: Readers, relations: Iterable[str]) -> list[Stratum]:
    """The strata of some relations and of all that read them, directly or indirectly, lower ones first."""
    found: dict[int, Stratum] = {}
    names = list(relations)
    while names:
        stratum = strata.get(names.pop())
        if stratum is not None and id(stratum) not in found:
            found[id(stratum)] = stratum
            names += [head for name in stratum.relations for head in readers.of(name)]
    return sorted(found.values(), key=lambda s: (s.order, sorted(s.relations)))


def with_losses(reached: Iterable[Stratum], deleted: Collection[str]) -> Iterator[tuple[Stratum, bool]]:
    """The strata that a change of facts reaches, lower ones first, and whether each may lose supports anywhere.

    ``deleted`` are the relations from which the epoch deletes facts. Only names count, so that all partitions agree.
    """
    shrinking, changing = set(deleted), set[str]()
    for stratum in reached:
        changing |= stratum.relations
        if is_losing := stratum.may_lose(shrinking, changing):
            shrinking |= stratum.relations
        yield stratum, is_losing
