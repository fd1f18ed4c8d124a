"""The extended algorithm: derivation sets S and infinite-count sets H, so that recursion ends (PPDP 2011, section 5).

Every occurrence of a fact p carries S, all facts used to derive it, and H ⊆ S, those of them that were met again on the
way, so that they have infinitely many derivations. Figure 3 of the text is misprinted; the rules, from its prose:

    pick    an insertion or deletion of (p, S, H) is recorded as (p, S, H') with H' = H ∪ {p} if p ∈ S, else H' = H.
            A deletion can be picked only if (p, S, H') is in the tables with ν.
    fire    a head h derived from (b1, S1, H1) .. (bn, Sn, Hn) gets S = {b1..bn} ∪ S1 ∪ .. ∪ Sn and
            H = H1 ∪ .. ∪ Hn, and is sent only if h ∉ H: a cycle is walked once and not again.
    commit  as ever, with the recorded occurrence.

Law (Theorem 16): the sets only grow and facts are finitely many, so every execution ends; insertion and deletion
compute the same sets, so a deletion finds the occurrence that its insertion made. The price is one occurrence for every
way around the cycles: their number grows fast (a ring of six nodes already makes thousands of updates).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from tidelog.lab.semantics.annotation import Annotation
from tidelog.lab.semantics.executions.pipelined import PipelinedExecution
from tidelog.lab.semantics.executions.synchronous import SynchronousExecution
from tidelog.lab.semantics.fact import Fact, Occurrence, Update

Sets: TypeAlias = tuple[frozenset[Fact], frozenset[Fact]]

NOTHING: Sets = (frozenset(), frozenset())


def sets_of(item: Occurrence | Update) -> Sets:
    """S and H of an occurrence; a base fact from outside has none."""
    note = item.note
    return note if isinstance(note, tuple) and len(note) == 2 else NOTHING


class DerivationSets:
    """Notes are pairs (S, H)."""

    def picked(self, update: Update) -> Update:
        """The update with p added to H when p ∈ S."""
        derived_from, infinite = sets_of(update)
        if update.fact in derived_from:
            infinite |= {update.fact}
        return Update(update.sign, update.fact, (derived_from, infinite))

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """S and H of the head, or None if the head is in H."""
        derived_from = frozenset(occurrence.fact for occurrence in body).union(*(sets_of(o)[0] for o in body))
        infinite: frozenset[Fact] = frozenset().union(*(sets_of(o)[1] for o in body))
        return None if head in infinite else (derived_from, infinite)


DERIVATION_SETS: Annotation = DerivationSets()


class ExtendedExecution(PipelinedExecution):
    """The pipelined algorithm that detects cycles."""

    name = "psn-extended"

    def __init__(self, *, central: bool = False, record: bool = False) -> None:
        super().__init__(DERIVATION_SETS, central=central, record=record)


class ExtendedSynchronous(SynchronousExecution):
    """The synchronous execution with the same sets."""

    name = "sn-extended"

    def __init__(self, *, central: bool = False, record: bool = False) -> None:
        super().__init__(DERIVATION_SETS, central=central, record=record)
