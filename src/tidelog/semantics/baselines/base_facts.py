"""Base-fact annotations with eager discarding (Liu et al., as PPDP 2011, section 6 describes it).

Every occurrence of a fact carries the set of base facts that its derivation rests on; tables are sets of such pairs. An
insertion of a pair that is there, or a deletion of a pair that is not, is taken for an echo from a cycle and discarded.

Law, under channels that keep the order: the pairs of a fact are the sets of base facts that derive it, and every run
ends because pairs are finitely many. Without that assumption the law of `algorithm` breaks: a deletion that arrives
before the insertion it takes back looks like an echo and is thrown away (named test, `a`, `p`, `q` on three nodes).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, cast

from tidelog.semantics.annotation import Annotation, Plain
from tidelog.semantics.baselines.baseline import Baseline
from tidelog.semantics.delta import fire_rules
from tidelog.semantics.fact import Fact, Node, Occurrence, Update


class RestsOn(Plain):
    """The annotation: the base facts of all body facts together."""

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """The union of what the body rests on."""
        return frozenset().union(*(cast("frozenset[Fact]", occurrence.note) for occurrence in body))


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
