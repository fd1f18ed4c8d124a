"""Pipelined execution in which complementary updates that meet in a node's bag cancel (LAM 2010, section 7).

An update that enters a bag where its complement waits (the same fact and note, the other sign) removes it, and neither
is picked. There is no synchronisation: a node looks only into its own bag.

Law: if no occurrence is ever derived from itself, the end is that of `PipelinedExecution` under every schedule, after
fewer updates. For picking +p and then -p leaves the tables as they are and sends complementary updates only; where
heights of derivations are bounded, induction on them shows that both runs end alike. This is Lemma 13 of PPDP 2011 for
all complementary pairs, conflicting or not, and its condition is met by programs without recursion, by path vectors
(a path is longer than the one it extends), and by derivation sets.

The law breaks on a cycle. With p :- a, b; q :- p; p :- q, every round of +p around the cycle adds one to the count of
p. The deletion that b causes meets one of these rounds, not the insertion that it complements: both vanish, the
earlier rounds keep p and q, and nothing is left to remove them. Where `PipelinedExecution` never ends, this one ends
with unsupported facts.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.lab.semantics.algorithm import Message
from tidelog.lab.semantics.annotation import PLAIN, Annotation
from tidelog.lab.semantics.executions.pipelined import PipelinedExecution
from tidelog.lab.semantics.fact import Fact
from tidelog.program import Program


class CancellingExecution(PipelinedExecution):
    """The corrected pipelined algorithm with bags that keep only what their updates amount to.

    >>> from tidelog.lab.semantics import deletion, insertion
    >>> from tidelog.syntax import parse_program
    >>> algorithm = CancellingExecution()
    >>> algorithm.load(parse_program("p@2 :- a@1."))
    >>> algorithm.apply([insertion("a", 1), deletion("a", 1)])
    >>> algorithm.quiescent(), algorithm.cancelled
    (True, 1)
    """

    name = "psn-cancelling"
    traceable = False

    def __init__(self, annotation: Annotation = PLAIN, *, central: bool = False) -> None:
        super().__init__(annotation, central=central)

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables, with no pair cancelled."""
        self.cancelled = 0
        super().load(program, facts)

    def _admit(self, messages: Iterable[Message]) -> None:
        """Cancel each message with the oldest complement in its bag; the rest wait there."""
        for message in messages:
            update = message.update
            if message.number not in self._mail.waiting:
                continue  # cancelled by an earlier message of the same batch
            if self.configuration.bags[message.target].count(update._replace(sign=-update.sign)):
                self._cancel(message)
            else:
                super()._admit([message])

    def _cancel(self, message: Message) -> None:
        sign, fact, note = message.update
        complement = next(
            other
            for other in self._mail.waiting.values()
            if other.target == message.target and other.update == (-sign, fact, note)
        )
        for each in (message, complement):
            self.configuration = self.configuration.taken(each.target, each.update)
            self._mail.cancel(each)
            self._ready.pop(each.number, None)
            self._deletions.get(self._occurrence(each), {}).pop(each.number, None)
        self.cancelled += 1
