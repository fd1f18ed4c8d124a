"""The tables of all nodes as one immutable value: the K of a configuration, once without and once with ν.

Law: every occurrence is at the node that owns its fact; equal contents are equal values, whatever their history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tidelog.lab.semantics.algorithm import Tables
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.fact import Fact, Node, Occurrence
from tidelog.lab.semantics.network import CANDIDATES, Network

_EMPTY: Bag[Occurrence] = Bag()


class State:
    """Per node and relation a bag of occurrences."""

    __slots__ = ("_hash", "_tables")

    def __init__(self, tables: Mapping[tuple[Node, str], Bag[Occurrence]] | None = None) -> None:
        self._tables = {} if tables is None else dict(tables)
        self._hash: int | None = None

    @classmethod
    def of(cls, network: Network, occurrences: Iterable[Occurrence]) -> State:
        """The state that holds these occurrences, each at its own node."""
        tables: dict[tuple[Node, str], Counter[Occurrence]] = {}
        for occurrence in occurrences:
            key = (network.node_of(occurrence.fact), occurrence.fact.relation)
            tables.setdefault(key, Counter())[occurrence] += 1
        return cls({key: Bag.of(counts) for key, counts in tables.items()})

    def table(self, node: Node, relation: str) -> Bag[Occurrence]:
        """What the node holds of the relation."""
        return self._tables.get((node, relation), _EMPTY)

    def holds(self, node: Node, occurrence: Occurrence) -> bool:
        """Whether the occurrence is there."""
        return occurrence in self.table(node, occurrence.fact.relation)

    def plus(self, node: Node, occurrence: Occurrence) -> State:
        """One occurrence more."""
        key = (node, occurrence.fact.relation)
        return State({**self._tables, key: self.table(*key).plus(occurrence)})

    def minus(self, node: Node, occurrence: Occurrence) -> State:
        """One occurrence less; it has to be there."""
        key = (node, occurrence.fact.relation)
        tables = {**self._tables, key: self.table(*key).minus(occurrence)}
        if not tables[key]:
            del tables[key]
        return State(tables)

    def nodes(self) -> set[Node]:
        """The nodes that hold anything."""
        return {node for node, _ in self._tables}

    def occurrences(self) -> Iterator[tuple[Node, Occurrence, int]]:
        """Everything with its node and its count."""
        for (node, _), bag in self._tables.items():
            for occurrence, count in bag.counts().items():
                yield node, occurrence, count

    def facts(self) -> Counter[Fact]:
        """The facts of all nodes with their counts; notes are forgotten."""
        facts: Counter[Fact] = Counter()
        for _, occurrence, count in self.occurrences():
            facts[occurrence.fact] += count
        return facts

    def tables(self) -> Tables:
        """Per node and relation the rows with their counts; the candidates of choices are left out."""
        tables: Tables = {}
        for node, (fact, _), count in self.occurrences():
            if not fact.relation.startswith(CANDIDATES):
                tables.setdefault(node, {}).setdefault(fact.relation, Counter())[fact.row] += count
        return tables

    def __deepcopy__(self, memo: object) -> State:
        return self  # immutable, so copies may share it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._tables == other._tables

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._tables.items()))
        return self._hash

    def __repr__(self) -> str:
        items = [str(occurrence) for _, occurrence, count in self.occurrences() for _ in range(count)]
        return "{" + ", ".join(sorted(items)) + "}"
