"""Updates: pairs of disjoint graphs, what is inserted and what is deleted (Regular Datalog paper, "Modeling Updates").

Laws. Application: ``G :+: D`` is G without the deleted rows and with the inserted ones. Composition: where an update
says both, insertion wins, so that the pair stays disjoint. ``first.then(second)`` is the one update that does what both
do in turn; the empty update is its unit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tidelog.lab.semantics.regular.clause import Row, TaggedRelation
from tidelog.lab.semantics.regular.graph import EMPTY, Graph
from tidelog.lab.semantics.semantics_failures import COME_AND_GO


@dataclass(frozen=True, slots=True)
class BulkUpdate:
    """D = (D+, D-): bulk insertions and bulk deletions.

    >>> BulkUpdate(Graph.of({"e": [(1, 2)]}), Graph.of({"e": [(1, 2)]}))
    Traceback (most recent call last):
    tidelog.errors.DataError: an update inserts and deletes the same rows: {e: [(1, 2)]}
    """

    inserted: Graph = EMPTY
    deleted: Graph = EMPTY

    def __post_init__(self) -> None:
        if both := self.inserted & self.deleted:
            raise COME_AND_GO.error(both=both)

    def at(self, key: TaggedRelation, inserted: Iterable[Row], deleted: Iterable[Row] = ()) -> BulkUpdate:
        """D{s -> (g+, g-)}: the update with these changes of one tagged symbol; insertion wins.

        >>> BulkUpdate().at(("e", ""), [(1, 2)], [(1, 2), (2, 3)])
        BulkUpdate(inserted={e: [(1, 2)]}, deleted={e: [(2, 3)]})
        """
        coming = frozenset(inserted)
        return BulkUpdate(self.inserted.at(key, coming), self.deleted.at(key, frozenset(deleted) - coming))

    def then(self, later: BulkUpdate) -> BulkUpdate:
        """The update that does what this one and then the later one do."""
        inserted = (self.inserted - later.deleted) | later.inserted
        return BulkUpdate(inserted, (self.deleted | later.deleted) - inserted)

    def changed(self) -> frozenset[TaggedRelation]:
        """sym(D): the tagged symbols that the update is about."""
        return frozenset({*self.inserted, *self.deleted})


def updated(graph: Graph, update: BulkUpdate) -> Graph:
    """G :+: D.

    >>> updated(Graph.of({"e": [(1, 2), (2, 3)]}), BulkUpdate(Graph.of({"e": [(3, 4)]}), Graph.of({"e": [(1, 2)]})))
    {e: [(2, 3), (3, 4)]}
    """
    return (graph - update.deleted) | update.inserted


def difference(before: Graph, after: Graph) -> BulkUpdate:
    """The least update that leads from one graph to the other.

    >>> difference(Graph.of({"e": [(1, 2)]}), Graph.of({"e": [(2, 3)]}))
    BulkUpdate(inserted={e: [(2, 3)]}, deleted={e: [(1, 2)]})
    """
    return BulkUpdate(after - before, before - after)
