"""DRed, delete and re-derive, with its messages counted (Gupta et al.; PPDP 2011, section 6).

An epoch first *deletes* every fact that has some derivation through a deleted fact, whether or not it has others; then,
after a barrier, it *derives*: the owner of each deleted fact asks the nodes where its rules could fire for another
derivation (`rederivation`), and insertions spread as usual. Tables are sets.

Law: what is over-deleted is a superset of what has to go, what is re-derived is derivable; so a quiescent network holds
the least model. The price is the traffic of deleting and asking for facts that never changed.
A choice (min, max) that improves in the second phase leaves a stale value behind, which another pair of phases deletes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from tidelog.lab.semantics.algorithm import Message
from tidelog.lab.semantics.epochs import IDLE, EpochAlgorithm
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Update, order
from tidelog.lab.semantics.rederivation import derives, is_question, questions
from tidelog.program import Program

DELETING, DERIVING = "delete", "derive"


class DRed(EpochAlgorithm):
    """Delete and re-derive over a network."""

    name = "dred"

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; the base facts are the changes of the first epoch."""
        super().load(program, facts)
        self._insertions: list[Fact] = []
        self._gone: list[Fact] = []
        self._axioms: set[Fact] = set()  # what rules without a body derive: it cannot be retracted

    # Phases

    def _barrier(self) -> str:
        if self._phase == IDLE:
            self._begin_epoch()
        elif self._phase == DELETING:
            self._begin_deriving()
        elif self._groups.stale:
            self._begin_deleting(map(self._groups.chosen, self._groups.take_stale()))
        else:
            self._phase = IDLE
        return self._phase

    def _begin_epoch(self) -> None:
        axioms = sorted(self.asserted.take_axioms(), key=order)
        self._axioms.update(axioms)
        changes = self.asserted.take_changes()
        self._insertions = [*axioms, *(fact for sign, fact, _ in changes if sign > 0)]
        self._begin_deleting(fact for sign, fact, _ in changes if sign < 0)

    def _begin_deleting(self, facts: Iterable[Fact]) -> None:
        self._phase = DELETING
        self._mail.send(self.network, None, [Update(DELETE, fact) for fact in facts])

    def _begin_deriving(self) -> None:
        self._phase = DERIVING
        insertions, self._insertions = self._insertions, []
        gone, self._gone = self._gone, []
        self._mail.send(self.network, None, [Update(INSERT, fact) for fact in insertions])
        for fact in gone:
            for node, question in questions(self.network, self.visible.state, fact):
                self._mail.send_to(node, self.network.node_of(fact), question)
        self._expose(INSERT, self._groups.refill(self.visible.candidates()))

    # Messages

    def _deliver(self, message: Message) -> None:
        sign, fact, _ = message.update
        if sign < 0:
            self._delete(fact)
        elif is_question(message.update):
            if derives(self.network, self.visible.state, message.target, message.update):
                self._mail.send(self.network, message.target, [Update(INSERT, fact)])
        elif not self.visible.holds(fact):
            self._insert(fact)

    def _delete(self, fact: Fact) -> None:
        if not self.visible.holds(fact) or fact in self.asserted or fact in self._axioms:
            return
        self._gone.append(fact)
        self._fire(DELETE, fact)
        self.visible.hide(fact)
        if self._groups.hide(fact):
            self._expose(DELETE, [fact])

    def _insert(self, fact: Fact) -> None:
        self.visible.show(fact)
        self._fire(INSERT, fact)
        if self._groups.offer(fact):
            self._expose(INSERT, [fact])

    def _fire(self, sign: int, fact: Fact) -> None:
        heads = dict.fromkeys(instance.head for instance in self.visible.derivations(sign, fact))
        self._mail.send(self.network, self.network.node_of(fact), [Update(sign, head) for head in heads])

    def _expose(self, sign: int, candidates: Iterable[Fact]) -> None:
        for candidate in candidates:
            update = Update(sign, self._groups.chosen(candidate))
            self._mail.send(self.network, self.network.node_of(candidate), [update])

    def canonical(self) -> Hashable:
        """Everything the future depends on."""
        return super().canonical(), tuple(self._insertions), frozenset(self._gone)
