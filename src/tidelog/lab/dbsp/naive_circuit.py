"""Naive dynamic interpretation: the circuit of Figure 1 of the DYRE paper, built of plain streams.

    rules ───────── I ──┐
    facts ── + ──── I ── ↑𝒯 ── ↑distinct ── D ──┬── + ── I ── ↑distinct ── state
             └────────────── z⁻¹ ───────────────┘   └─ facts

Law: while facts and rules are only added, the state at the fixed point is the least model. When some are removed it
need not be: the circuit feeds its own facts back, and facts that support each other in a cycle stay forever (a named
test, next to the circuits without this fault). Nor does every batch settle: one that adds and removes at once may
alternate between two states, so ``step`` applies removals before additions; each half only shrinks or only grows the
state.
It computes every consequence again at every time: a teaching circuit.
"""

from __future__ import annotations

from tidelog.lab.dbsp.clause import Atom, Clause
from tidelog.lab.dbsp.feedback import feedback
from tidelog.lab.dbsp.integral import differentiate, integrate
from tidelog.lab.dbsp.linear import scale
from tidelog.lab.dbsp.nonlinear import distinct
from tidelog.lab.dbsp.rewriting import consequences
from tidelog.lab.dbsp.stream import Source, Stream, add, lift, lift2
from tidelog.lab.dbsp.zset import ZSETS, ZSet


class NaiveCircuit:
    """Facts and rules go in as changes; ``tick`` is one time of the streams, ``step`` runs to the fixed point.

    >>> from tidelog.lab.dbsp.clause import Variable
    >>> x, y = Variable("x"), Variable("y")
    >>> circuit = NaiveCircuit()
    >>> circuit.step(ZSet.of(Clause(("R", (y, x)), (("P", (x, y)),))), ZSet.of(("P", (1, 2))))
    ZSet({('P', (1, 2)): 1, ('R', (2, 1)): 1})
    """

    def __init__(self) -> None:
        self._rules: Source[ZSet[Clause]] = Source(ZSETS)
        self._facts: Source[ZSet[Atom]] = Source(ZSETS)
        self._inferred: Stream[ZSet[Atom]] = feedback(ZSETS, self._infer)
        self._state = lift(distinct, ZSETS)(integrate(add(self._facts, self._inferred)))
        self._time = -1

    def _infer(self, earlier: Stream[ZSet[Atom]]) -> Stream[ZSet[Atom]]:
        known = integrate(add(self._facts, earlier))
        return differentiate(lift(distinct, ZSETS)(lift2(consequences, ZSETS)(integrate(self._rules), known)))

    def tick(self, rules: ZSet[Clause], facts: ZSet[Atom]) -> ZSet[Atom]:
        """One time: apply changes and return the state that the circuit shows then, settled or not."""
        self._rules.send(rules)
        self._time = self._facts.send(facts)
        return self._state[self._time]

    def step(self, rules: ZSet[Clause], facts: ZSet[Atom]) -> ZSet[Atom]:
        """Apply changes, removals first, run to the fixed point and return the change of the state."""
        before = self.state()
        self._settle(_going(rules), _going(facts))
        self._settle(_coming(rules), _coming(facts))
        return self.state() - before

    def state(self) -> ZSet[Atom]:
        """The materialisation that the circuit shows now."""
        return self._state[self._time] if self._time >= 0 else ZSet()

    def _settle(self, rules: ZSet[Clause], facts: ZSet[Atom]) -> None:
        self.tick(rules, facts)
        while len(self._inferred[self._time]):
            self.tick(ZSet(), ZSet())


def _coming(z: ZSet) -> ZSet:  # type: ignore[type-arg]  # of facts and of rules alike
    return ZSet({element: weight for element, weight in z.items() if weight > 0})


def _going(z: ZSet) -> ZSet:  # type: ignore[type-arg]  # of facts and of rules alike
    return scale(_coming(-z), -1)
