"""The facts that rules can see, each at the node that owns it.

Law: a fact is visible once or not at all, and rules fire on visible facts alone. What the loss or the gain of a fact
breaks or makes is found while the fact is visible: the delta rules read the tables with it and without it, as old and
new state for a loss and the other way round for a gain.
When a fact is shown and hidden is the business of an algorithm.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.lab.semantics.delta import Derivation, derivations
from tidelog.lab.semantics.fact import Fact, Occurrence, Update
from tidelog.lab.semantics.network import Network
from tidelog.lab.semantics.state import State


class VisibleFacts:
    """The visible facts of a network; ``state`` is their value at this moment."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self.state = State()

    def show(self, fact: Fact) -> None:
        """From here on rules see the fact."""
        self.state = self.state.plus(self._network.node_of(fact), Occurrence(fact))

    def hide(self, fact: Fact) -> None:
        """From here on rules do not see the fact."""
        self.state = self.state.minus(self._network.node_of(fact), Occurrence(fact))

    def holds(self, fact: Fact) -> bool:
        """Whether the fact is visible."""
        return self.state.holds(self._network.node_of(fact), Occurrence(fact))

    def candidates(self) -> list[Fact]:
        """The visible candidates of choices."""
        return [o.fact for _, o, _ in self.state.occurrences() if o.fact.relation in self._network.choice_of]

    def derivations(self, sign: int, fact: Fact) -> Iterator[Derivation]:
        """The derivations that the loss or the gain of a visible fact breaks or makes."""
        node = self._network.node_of(fact)
        with_it, without = self.state, self.state.minus(node, Occurrence(fact))
        old, new = (with_it, without) if sign < 0 else (without, with_it)
        return derivations(self._network, Update(sign, fact), node, old, new)
