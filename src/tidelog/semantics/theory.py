"""The notions that the papers' proofs are made of: heights, conflicting and complementary updates, Δ and Δ[i].

Law: with derivation trees as notes every occurrence is its own, so that the difference between two states is a set of
updates, and each of them has a height: that of its derivation, 0 for a base fact.
These are for reading and testing; no algorithm needs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tidelog.semantics.annotation import TREES, tree_of
from tidelog.semantics.bag import Bag
from tidelog.semantics.configuration import Semantics, start
from tidelog.semantics.executions.synchronous import synchronous_trace
from tidelog.semantics.fact import DELETE, INSERT, Fact, Update
from tidelog.semantics.network import Network
from tidelog.semantics.state import State
from tidelog.semantics.trace import check


def annotated_state(network: Network, base: Iterable[Fact]) -> State:
    """The state of a program as the proofs see it: every occurrence with its derivation tree.

    Base facts are told apart by nothing: two copies of one base fact are one fact with count two.
    """
    semantics = Semantics(network, TREES)
    return check(synchronous_trace(semantics, start(semantics, base))).old


def difference(before: State, after: State) -> Bag[Update]:
    """Δ: the updates that lead from one state to the other."""
    counts: Counter[Update] = Counter()
    for sign, here, there in ((INSERT, after, before), (DELETE, before, after)):
        for node, occurrence, count in here.occurrences():
            missing = count - there.table(node, occurrence.fact.relation).count(occurrence)
            counts[Update(sign, occurrence.fact, occurrence.note)] = max(0, missing)
    return Bag.of(counts)


def by_height(updates: Iterable[Update]) -> dict[int, Bag[Update]]:
    """Δ[i]: the updates whose derivation has height i."""
    heights: dict[int, list[Update]] = {}
    for update in updates:
        heights.setdefault(tree_of(update).height, []).append(update)
    return {height: Bag(items) for height, items in sorted(heights.items())}


def complement(update: Update) -> Update:
    """The update with the other sign."""
    return Update(-update.sign, update.fact, update.note)


def conflicting(update: Update, inserted: Iterable[Fact], deleted: Iterable[Fact]) -> bool:
    """Whether the derivation rests on an inserted and on a deleted base fact; the update carries its tree."""
    leaves = set(tree_of(update).leaves())
    return not leaves.isdisjoint(inserted) and not leaves.isdisjoint(deleted)


def without_pairs(updates: Iterable[Update]) -> Bag[Update]:
    """What is left when complementary updates have cancelled each other.

    >>> p = Fact("p")
    >>> without_pairs([Update(INSERT, p), Update(DELETE, p), Update(INSERT, p)])
    {+p}
    """
    net: Counter[tuple[Fact, object]] = Counter()
    for sign, fact, note in updates:
        net[fact, note] += sign
    kept: list[Update] = []
    for (fact, note), count in net.items():
        kept += [Update(INSERT if count > 0 else DELETE, fact, note)] * abs(count)
    return Bag(kept)


def differ_in_pairs(left: Iterable[Update], right: Iterable[Update]) -> bool:
    """Whether two multisets of updates are equal but for pairs of complementary updates."""
    return without_pairs(left) == without_pairs(right)
