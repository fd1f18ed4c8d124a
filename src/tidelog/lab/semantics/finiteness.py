"""Finitely many derivations: whether multisets of derivations exist, decided on given data.

Law (Mumick and Shmueli): a fact has infinitely many derivation trees exactly if it is, or depends on, a fact that
depends on itself. The dependencies are those of the instances of rules over the least model, of which there are
finitely many. The algorithms that count derivations (`psn`, `sn`) have a final state exactly if there is no such fact.
A fact that a choice selects depends on the candidate that it was.
Whether the rules alone exclude such facts on any data is the subject of `tidelog.program.checks.termination`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tidelog.lab.semantics.delta import chosen, join
from tidelog.lab.semantics.fact import Fact, Occurrence, order
from tidelog.lab.semantics.network import Network
from tidelog.lab.semantics.scratch import least_model, winners
from tidelog.lab.semantics.state import State
from tidelog.program.graph.strata import strong_components


@dataclass(frozen=True)
class EndlessDerivations:
    """The facts with infinitely many derivations, and a shortest cycle: each fact depends on the next, the last one on
    the first."""

    facts: frozenset[Fact]
    cycle: tuple[Fact, ...]

    def __str__(self) -> str:
        return " <- ".join(map(str, (*self.cycle, self.cycle[0])))


def endless_derivations(network: Network, base: Iterable[Fact]) -> EndlessDerivations | None:
    """The facts that have infinitely many derivations over these base facts; None if there are none.

    >>> from tidelog.lab.semantics.network import prepare
    >>> from tidelog.syntax import parse_program
    >>> network = prepare(parse_program("p(X) :- a(X). p(X) :- q(X). q(X) :- p(X), b(X)."))
    >>> print(endless_derivations(network, [Fact("a", (1,)), Fact("a", (2,)), Fact("b", (2,))]))
    p(2) <- q(2) <- p(2)
    >>> print(endless_derivations(network, [Fact("a", (1,)), Fact("b", (2,))]))
    None
    """
    needs = dependencies(network, least_model(network, base))
    circular = {fact for group in strong_components(needs) for fact in group if len(group) > 1 or fact in needs[fact]}
    if not circular:
        return None
    shortest = min((_cycle_through(fact, needs) for fact in sorted(circular, key=order)), key=len)
    return EndlessDerivations(_dependents(circular, needs), shortest)


def dependencies(network: Network, model: Iterable[Fact]) -> dict[Fact, set[Fact]]:
    """For each fact of a model the facts in the bodies of the rules' instances that derive it."""
    needs: dict[Fact, set[Fact]] = {fact: set() for fact in model}
    state = State.of(network, map(Occurrence, needs))
    for rule in network.rules:
        for node in state.nodes() if rule.atoms else ():
            for instance in join(rule, [state.table(node, atom.predicate) for atom in rule.atoms]):
                needs[instance.head] |= {occurrence.fact for occurrence in instance.body}
    for choice in network.choices:
        for winner in winners(choice, needs):
            needs[chosen(choice, winner)].add(winner)
    return needs


def _cycle_through(fact: Fact, needs: Mapping[Fact, Iterable[Fact]]) -> tuple[Fact, ...]:
    """A shortest cycle through a fact that lies on one."""
    reader: dict[Fact, Fact] = {}
    waiting = deque([fact])
    while fact not in reader:
        here = waiting.popleft()
        for read in sorted(needs[here], key=order):
            if read not in reader:
                reader[read] = here
                waiting.append(read)
    cycle = [reader[fact]]
    while cycle[-1] != fact:
        cycle.append(reader[cycle[-1]])
    return tuple(reversed(cycle))


def _dependents(facts: Iterable[Fact], needs: Mapping[Fact, Iterable[Fact]]) -> frozenset[Fact]:
    """The facts, and all that depend on them."""
    readers: dict[Fact, list[Fact]] = {fact: [] for fact in needs}
    for head, body in needs.items():
        for read in body:
            readers[read].append(head)
    reached = set(facts)
    waiting = list(reached)
    while waiting:
        for head in readers[waiting.pop()]:
            if head not in reached:
                reached.add(head)
                waiting.append(head)
    return frozenset(reached)
