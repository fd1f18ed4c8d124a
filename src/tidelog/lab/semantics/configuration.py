"""Configurations <K, U, P, E> and what the commands read besides them.

K is held twice, as tables without ν (``old``) and with ν (``new``). U is a bag of updates for every node (``bags``); P
holds the updates picked and not yet fired, E those fired and not yet committed.

Law: between complete iterations P and E are empty and both tables agree (`settled`). A configuration is a value: equal
contents are equal, so that explorations can memoise them.
Commands that change configurations live in `commands`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tidelog.lab.semantics.annotation import PLAIN, Annotation
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.delta import axioms
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Node, Occurrence, Update
from tidelog.lab.semantics.network import Network
from tidelog.lab.semantics.semantics_failures import NO_SELECTION, NOT_THERE
from tidelog.lab.semantics.state import State


@dataclass(frozen=True)
class Semantics:
    """What stays the same during a run: the program, the notes, and whether tables are sets.

    With ``sets`` a table holds a fact at most once however many derivations it has (`executions.set_semantics`): right
    only as long as no fact has two derivations.
    """

    network: Network
    annotation: Annotation = PLAIN
    sets: bool = False


@dataclass(frozen=True)
class Configuration:
    """One moment of a run."""

    old: State = field(default_factory=State)
    new: State = field(default_factory=State)
    bags: Mapping[Node, Bag[Update]] = field(default_factory=dict)
    picked: Bag[Update] = field(default_factory=Bag)
    fired: Bag[Update] = field(default_factory=Bag)

    @property
    def settled(self) -> bool:
        """No iteration is under way."""
        return not self.picked and not self.fired

    @property
    def final(self) -> bool:
        """Every update has been processed."""
        return self.settled and not self.bags

    def waiting(self) -> Bag[Update]:
        """U: the updates of all nodes together."""
        return Bag(update for bag in self.bags.values() for update in bag)

    def sent(self, network: Network, updates: Iterable[Update]) -> Configuration:
        """The configuration in which these updates have reached the bags of their nodes."""
        bags = dict(self.bags)
        for update in updates:
            node = network.node_of(update.fact)
            bags[node] = bags.get(node, Bag()).plus(update)
        return Configuration(self.old, self.new, bags, self.picked, self.fired)

    def taken(self, node: Node, update: Update) -> Configuration:
        """The configuration without one copy of an update in a node's bag."""
        bags = {**self.bags, node: self.bags[node].minus(update)}
        if not bags[node]:
            del bags[node]
        return Configuration(self.old, self.new, bags, self.picked, self.fired)

    def __deepcopy__(self, memo: object) -> Configuration:
        return self  # immutable, so copies may share it

    def __hash__(self) -> int:
        return hash((self.old, self.new, frozenset(self.bags.items()), self.picked, self.fired))

    def __str__(self) -> str:
        new = "" if self.new == self.old else f"  Kν={self.new!r}"
        return f"K={self.old!r}{new}  U={self.waiting()!r}  P={self.picked!r}  E={self.fired!r}"


def check_precondition(base: Counter[Fact], changes: Iterable[Update]) -> Counter[Fact]:
    """The base facts after the changes; deletions that base facts and insertions do not contain are a `DataError`.

    This is the assumption D ⊆ E ⊎ I under which the papers prove their algorithms right.
    """
    after = Counter(base)
    for update in changes:
        after[update.fact] += update.sign
    missing = sorted(str(fact) for fact, count in after.items() if count < 0)
    if missing:
        raise NOT_THERE.error(missing=", ".join(missing))
    return +after


def without_selections(network: Network, name: str) -> Network:
    """The network, for an algorithm that has no place for selections; a program with one is an `EngineError`."""
    if network.choices:
        names = ", ".join(sorted({choice.relation for choice in network.choices}))
        raise NO_SELECTION.error(name=name, relations=names)
    return network


def start(semantics: Semantics, facts: Iterable[Fact] = ()) -> Configuration:
    """Empty tables; the program's own facts, its rules without body, and ``facts`` wait to be inserted."""
    given = [Update(INSERT, fact) for fact in (*semantics.network.facts, *facts)]
    updates = [*axioms(semantics.network, semantics.annotation), *given]
    return Configuration().sent(semantics.network, updates)


def holding(semantics: Semantics, facts: Mapping[Fact, int]) -> Configuration:
    """A settled configuration whose tables hold exactly these facts, without notes."""
    items = [Occurrence(fact) for fact, count in facts.items() for _ in range(count)]
    state = State.of(semantics.network, items)
    return Configuration(state, state)


def signed(updates: Iterable[Update]) -> Counter[Fact]:
    """The net effect of updates: insertions minus deletions per fact, zeros left out."""
    net: Counter[Fact] = Counter()
    for update in updates:
        net[update.fact] += INSERT if update.sign > 0 else DELETE
    return Counter({fact: count for fact, count in net.items() if count})
