"""The notions that the papers' proofs are made of: heights, conflicting and complementary updates, Δ and Δ[i].

Law: with derivation trees as notes, and numbers on the copies of base facts, every occurrence is its own, so that the
difference between two states is a set of updates, and each of them has a height: that of its derivation, 0 for a base
fact. An occurrence is inserted at most once and deleted at most once.
These are for reading and testing; no algorithm needs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tidelog.lab.semantics.annotation import TREES, Tree, tree_of
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.delta import axioms
from tidelog.lab.semantics.executions.synchronous import synchronous_trace
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Update
from tidelog.lab.semantics.network import Network
from tidelog.lab.semantics.state import State
from tidelog.lab.semantics.trace import check


class Copies:
    """The numbers of the copies of base facts: the first copy of a fact that arrives is 1, the next 2, and so on.

    >>> copies = Copies()
    >>> q = Fact("q")
    >>> [str(tree_of(copies.numbered(Update(sign, q)))) for sign in (INSERT, INSERT, DELETE, INSERT)]
    ['q¹', 'q²', 'q¹', 'q³']
    """

    def __init__(self) -> None:
        self._last: Counter[Fact] = Counter()
        self._present: dict[Fact, list[int]] = {}

    def numbered(self, update: Update) -> Update:
        """The update with its number: an insertion is a new copy, a deletion takes the oldest that is there."""
        present = self._present.setdefault(update.fact, [])
        if update.sign > 0:
            self._last[update.fact] += 1
            present.append(self._last[update.fact])
        number = present[-1] if update.sign > 0 else present.pop(0)
        return update._replace(note=Tree(str(number), update.fact, ()))


def numbered(base: Iterable[Fact], changes: Iterable[Update] = ()) -> tuple[list[Update], list[Update]]:
    """Insertions of base facts, and changes after them, with the numbers of their copies."""
    copies = Copies()
    insertions = [copies.numbered(Update(INSERT, fact)) for fact in base]
    return insertions, [copies.numbered(update) for update in changes]


def annotated_state(network: Network, base: Iterable[Fact]) -> State:
    """The state of a program as the proofs see it: every occurrence with its derivation, every base copy with its
    number."""
    insertions, _ = numbered((*network.facts, *base))
    return state_of(network, insertions)


def state_of(network: Network, insertions: Iterable[Update]) -> State:
    """The state over base facts that are numbered already."""
    semantics = Semantics(network, TREES)
    waiting = [*axioms(network, TREES), *insertions]
    return check(synchronous_trace(semantics, Configuration().sent(network, waiting))).old


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


def conflicting(update: Update, changes: Iterable[Update]) -> bool:
    """Whether the derivation rests on a base fact that is inserted and on *another* one that is deleted.

    Updates and changes carry their trees; two copies of one fact are two.
    """
    inserted, deleted = _touched(update, changes)
    return any(one != other for one in inserted for other in deleted)


def transient(update: Update, changes: Iterable[Update]) -> bool:
    """Whether the derivation rests on a base fact that is inserted and on one that is deleted, the same or another.

    A copy that one burst inserts and deletes makes updates that come and go and are not `conflicting`.
    """
    inserted, deleted = _touched(update, changes)
    return bool(inserted) and bool(deleted)


def _touched(update: Update, changes: Iterable[Update]) -> tuple[set[Tree], set[Tree]]:
    """The leaves of the derivation that the changes insert, and those that they delete."""
    leaves, burst = set(tree_of(update).leaves()), list(changes)
    inserted, deleted = ({tree_of(u) for u in burst if u.sign == sign} for sign in (INSERT, DELETE))
    return leaves & inserted, leaves & deleted


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
    """Whether two multisets of updates are equal except for pairs of complementary updates."""
    return without_pairs(left) == without_pairs(right)
