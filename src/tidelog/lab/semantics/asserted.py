"""The asserted facts, and the changes of them that wait for the next epoch.

Law (D3): base facts are sets, and an epoch sums the signs of its changes. A positive sum asserts the fact, a negative
one retracts it; to assert what is asserted, or to retract what is not, changes nothing.
What rules without a body derive is added in the first epoch. Nothing here sends a message or reads derived facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from tidelog.lab.semantics.annotation import PLAIN
from tidelog.lab.semantics.delta import axioms
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Update
from tidelog.lab.semantics.network import Network


class AssertedFacts:
    """The base facts of a network between two epochs."""

    def __init__(self, network: Network) -> None:
        self.facts: set[Fact] = set()
        self._network = network
        self._incoming: Counter[Fact] = Counter()
        self._axioms = Counter(update.fact for update in axioms(network, PLAIN))

    def __contains__(self, fact: Fact) -> bool:
        return fact in self.facts

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def apply(self, changes: Iterable[Update]) -> None:
        """Changes of the next epoch; a fact that does not fit the program is a `DataError`."""
        for update in changes:
            self._network.node_of(update.fact)
            self._incoming[update.fact] += update.sign

    def due(self) -> bool:
        """Whether anything waits for the next epoch."""
        return bool(self._incoming or self._axioms)

    def take_axioms(self) -> Counter[Fact]:
        """What rules without body derive and how often; nothing after the first time."""
        taken, self._axioms = self._axioms, Counter()
        return taken

    def take_changes(self) -> list[Update]:
        """Apply what waits; returns one update for every fact whose assertion has changed."""
        incoming, self._incoming = self._incoming, Counter()
        changes = [
            Update(INSERT if total > 0 else DELETE, fact)
            for fact, total in incoming.items()
            if total and (total < 0) == (fact in self.facts)
        ]
        self.facts ^= {update.fact for update in changes}
        return changes

    def canonical(self) -> Hashable:
        """Everything the next epochs depend on."""
        return frozenset(self.facts), frozenset(self._incoming.items()), frozenset(self._axioms.items())
