"""The progress of an epoch through the strata: where it is, and what it has changed so far.

Law: strata are taken in order, each once. A stratum is visited if base facts of it change or if a rule of it reads a
relation that has changed below; all others keep their facts. ``removed`` and ``added`` are net changes: a fact that was
suspended and revived, or came and went, is in neither.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from tidelog.lab.semantics.fact import Fact, Update
from tidelog.lab.semantics.network import Network, components


class Strata:
    """The strata of a network, those that are read first in front."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._groups = _groups(network)
        self._at = len(self._groups)
        self._changes: list[Update] = []
        self._before: dict[Fact, bool] = {}
        self.removed: list[Fact] = []
        self.added: list[Fact] = []

    @property
    def names(self) -> list[str]:
        """The relations of the stratum that the epoch is in."""
        return self._groups[self._at]

    def of(self, relation: str) -> list[str]:
        """The relations of the stratum of a relation."""
        return next(group for group in self._groups if relation in group)

    def begin(self, changes: Iterable[Update]) -> None:
        """An epoch with these changes of base facts begins; it is before the first stratum."""
        self._at, self._changes = -1, list(changes)
        self.removed, self.added = [], []

    def advance(self) -> bool:
        """Go on to the next stratum that the changes concern; False if there is none."""
        self._before = {}
        self._at += 1
        while self._at < len(self._groups) and not self._is_concerned():
            self._at += 1
        return self._at < len(self._groups)

    def changes(self, sign: int) -> list[Update]:
        """The changes of base facts in this stratum, of one sign."""
        return [update for update in self._changes if update.sign == sign and update.fact.relation in self.names]

    def note(self, fact: Fact, visible: bool) -> None:
        """A fact of this stratum is about to change; only the first note of a fact counts."""
        self._before.setdefault(fact, visible)

    def finish(self, visible: Callable[[Fact], bool]) -> None:
        """The stratum is done: what differs from before is a change for the strata above."""
        for fact, was in self._before.items():
            if was != visible(fact):
                (self.removed if was else self.added).append(fact)

    def canonical(self) -> Hashable:
        """Everything the rest of the epoch depends on."""
        changes = (tuple(self._changes), tuple(self.removed), tuple(self.added))
        return self._at, changes, frozenset(self._before.items())

    def _is_concerned(self) -> bool:
        names = set(self.names)
        changed = {fact.relation for fact in (*self.removed, *self.added)}
        rules = [rule for rule in self._network.rules if rule.head.predicate in names]
        reads = {atom.predicate for rule in rules for atom in rule.atoms}
        return bool(changed & reads) or any(update.fact.relation in names for update in self._changes)


def _groups(network: Network) -> list[list[str]]:
    """The strata, with every choice in the stratum of its candidates."""
    needs = network.depends_on()
    for choice in network.choices:
        needs[choice.candidates].add(choice.relation)
    return components(needs)
