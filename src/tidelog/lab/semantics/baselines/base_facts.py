"""Base-fact annotations with eager discarding (Liu et al., as PPDP 2011, section 6 describes it).

Every occurrence of a fact carries the set of base facts that its derivation depends on; tables are sets of such pairs.
An insertion of a pair that is there, or a deletion of a pair that is not, is treated as an echo from a cycle and
discarded.

Law: if no base fact has two copies, a burst that only inserts, or only deletes, and completes before the next one ends
with the pairs of evaluation from scratch, in any order of messages: pairs are only added, or only removed, and there
are finitely many. A second copy looks like an echo, too, so the deletion of one removes both. For other bursts the law
of `algorithm` does not hold. A deletion that overtakes the insertion it reverts looks like an echo and is discarded;
and if an insertion and a deletion follow each other around a cycle, each undoes the other forever, even when every
channel keeps its order (named tests, `a`, `p`, `q` on three nodes).

`NumberedBaseFacts` repairs all three: every insertion of a base fact is a new one with a separate number, and a node
remembers the pairs for which it received a deletion. A deleted pair is never inserted again, since one of the numbers
it depends on no longer exists. So a pair is absent, then perhaps present, then deleted: every schedule ends.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar, NamedTuple, cast

from tidelog.lab.semantics.annotation import Annotation, PlainAnnotation
from tidelog.lab.semantics.baselines.baseline import Baseline
from tidelog.lab.semantics.delta import fire_rules
from tidelog.lab.semantics.fact import Fact, Node, Occurrence, Update
from tidelog.program import Program


class RestsOn(PlainAnnotation):
    """The annotation: the base facts of all body facts together."""

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """The union of what the body rests on."""
        return frozenset().union(*(cast("frozenset[Hashable]", occurrence.note) for occurrence in body))


class BaseFacts(Baseline):
    """Pipelined evaluation with sets of base facts, discarding what looks like an echo."""

    name = "base-facts"
    annotation: ClassVar[Annotation] = RestsOn()

    def asserted(self, update: Update) -> Update:
        """A base fact rests on itself."""
        return update._replace(note=frozenset({update.fact}))

    def receive(self, node: Node, update: Update) -> tuple[list[Update], str]:
        """Discard an echo; otherwise enter the update and fire it."""
        before = self._state
        if before.holds(node, update.occurrence) == (update.sign > 0):
            return [], "discarded"
        enter = before.plus if update.sign > 0 else before.minus
        self._state = enter(node, update.occurrence)
        return fire_rules(self.network, self.annotation, update, before, self._state), ""


class NumberedFact(NamedTuple):
    """One insertion of a base fact, distinguished from all others by its number."""

    fact: Fact
    number: int


class NumberedBaseFacts(BaseFacts):
    """The same with numbered base facts and a memory of what was deleted: right under every schedule."""

    name = "base-facts-numbered"

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables, with nothing deleted yet."""
        self._live: dict[Fact, list[int]] = {}
        self._inserted = 0
        self._deleted: frozenset[Occurrence] = frozenset()
        super().load(program, facts)

    def apply(self, changes: Iterable[Update]) -> None:
        """Insertions of a batch get their numbers before deletions look for one."""
        super().apply(sorted(changes, key=lambda update: -update.sign))

    def asserted(self, update: Update) -> Update:
        """An insertion rests on its own number; a deletion takes back the oldest that is left."""
        live = self._live.setdefault(update.fact, [])
        if update.sign > 0:
            self._inserted += 1
            live.append(self._inserted)
        number = live[-1] if update.sign > 0 else live.pop(0)
        return update._replace(note=frozenset({NumberedFact(update.fact, number)}))

    def receive(self, node: Node, update: Update) -> tuple[list[Update], str]:
        """A deletion is remembered forever; an insertion of what was deleted is discarded."""
        if update.sign < 0:
            self._deleted |= {update.occurrence}
        elif update.occurrence in self._deleted:
            return [], "deleted before"
        return super().receive(node, update)

    def canonical(self) -> Hashable:
        """What was deleted counts too; numbers are given out by `apply` alone."""
        return super().canonical(), self._deleted
