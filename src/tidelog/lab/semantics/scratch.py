"""Evaluation from scratch: the judge of every algorithm of this package.

Law: the state of a program is the least multiset of facts closed under its rules, each derivation giving one copy; as a
set it is the least model. Both are computed by applying all rules to all facts again and again until nothing changes,
with none of the delta rules that are to be judged. The multiset of a program with cyclic derivations is infinite, which
the limit reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from tidelog.lab.semantics.algorithm import Tables
from tidelog.lab.semantics.delta import best, chosen, join
from tidelog.lab.semantics.fact import Fact, Node, Occurrence, Row
from tidelog.lab.semantics.network import Choice, Network
from tidelog.lab.semantics.semantics_failures import SCRATCH_LIMIT
from tidelog.lab.semantics.state import State


def multiset_state(network: Network, base: Mapping[Fact, int], limit: int = 200) -> Counter[Fact]:
    """All facts with the number of their derivations; ``base`` does not include the program's own facts."""
    return _fixpoint(network, base, limit, lambda counts: +counts)


def least_model(network: Network, base: Iterable[Fact], limit: int = 1_000) -> frozenset[Fact]:
    """All derivable facts."""
    counts = _fixpoint(network, Counter(set(base)), limit, lambda counts: Counter(set(+counts)))
    return frozenset(counts)


def model_tables(network: Network, base: Iterable[Fact], limit: int = 1_000) -> Tables:
    """The least model by node and relation, without the candidates of choices."""
    return State.of(network, map(Occurrence, least_model(network, base, limit))).tables()


def _fixpoint(
    network: Network, base: Mapping[Fact, int], limit: int, normal: Callable[[Counter[Fact]], Counter[Fact]]
) -> Counter[Fact]:
    asserted = normal(Counter(base) + Counter(network.facts))
    facts = asserted
    for _ in range(limit):
        following = normal(asserted + _consequences(network, facts))
        if following == facts:
            return facts
        facts = following
    raise SCRATCH_LIMIT.error(limit=limit)


def _consequences(network: Network, facts: Counter[Fact]) -> Counter[Fact]:
    state = State.of(network, (Occurrence(fact) for fact, count in facts.items() for _ in range(count)))
    heads: Counter[Fact] = Counter()
    for rule in network.rules:
        nodes: Iterable[Node] = state.nodes() if rule.atoms else [""]
        for node in nodes:
            for instance in join(rule, [state.table(node, atom.predicate) for atom in rule.atoms]):
                heads[instance.head] += instance.copies
    for choice in network.choices:
        heads.update(chosen(choice, winner) for winner in winners(choice, facts))
    return heads


def winners(choice: Choice, facts: Iterable[Fact]) -> list[Fact]:
    """The best candidate of each group."""
    groups: dict[Row, list[Occurrence]] = {}
    for fact in facts:
        if fact.relation == choice.candidates:
            groups.setdefault(choice.group(fact.row), []).append(Occurrence(fact))
    return [winner.fact for candidates in groups.values() if (winner := best(choice, candidates)) is not None]
