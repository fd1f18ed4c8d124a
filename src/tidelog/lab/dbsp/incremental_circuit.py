"""Incremental interpretation over streams of facts and rules: the circuit of Figure 2 of the DYRE paper.

    Σ₀ ─── + ─┬── gatekeep ── product ── distinct ── z⁻¹ ──┐
           ↑  │      ↑           ↑                         │
           └──│──────│───────────│─────────────────────────┘
              │  dir(rules)      └──────────────┐
              └── ground ── + ── distinct ──────┴── ↑∫ ──── change of the state
                     ↑      ↑
                sig(rules)  changes of facts

Law: after every step the facts are the least model of the present rules and base facts. All operators are linear,
bilinear or distinct, each in its incremental form on streams of streams, so a step costs what it changes, round by
round, and support that is only cyclic vanishes: in a loop from the beginning it has no first round.
Departures from the figure, with their reasons, are in docs/design/circuits.md: directions, signals and join orders
pass a distinct, so two rules that begin alike do not double each other's work; ground reads the rewrites behind the
delay, so Σ₀ itself can be grounded (rules without a body) and one delay serves both loops.
Negated atoms are one more product: what reaches a negated atom passes, minus what matches a fact there. That is linear
in the rewrites and correct if the negated facts do not change inside the loop, which `stratified_circuit` ensures.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, TypeAlias

from tidelog.lab.dbsp.clause import Atom, Clause
from tidelog.lab.dbsp.kit import ROOT, Kit, Rewrite, Values
from tidelog.lab.dbsp.nested import Delta, NestedDelay, NestedDistinct, NestedJoin, added, without_zeros
from tidelog.lab.dbsp.trace import Trace
from tidelog.lab.dbsp.zset import ZSet

Direction: TypeAlias = tuple[int, int]
Signal: TypeAlias = tuple[int, int]
Candidate: TypeAlias = tuple[Any, Rewrite]


class IncrementalCircuit:
    """Changes of facts and rules are the input, the change of the materialisation is the output.

    >>> from tidelog.lab.dbsp.clause import Variable
    >>> x, y, z = (Variable(name) for name in "xyz")
    >>> rules = ZSet.of(Clause(("T", (x, y)), (("E", (x, y)),)), Clause(("T", (x, z)), (("E", (x, y)), ("T", (y, z)))))
    >>> circuit = IncrementalCircuit()
    >>> sorted(circuit.step(rules, ZSet.of(("E", (1, 2)), ("E", (2, 3)))))
    [('E', (1, 2)), ('E', (2, 3)), ('T', (1, 2)), ('T', (1, 3)), ('T', (2, 3))]
    >>> sorted(circuit.step(ZSet(), ZSet({("E", (2, 3)): -1})).items())
    [(('E', (2, 3)), -1), (('T', (1, 3)), -1), (('T', (2, 3)), -1)]
    """

    def __init__(self, kit: Kit | None = None) -> None:
        self.kit = kit or Kit()
        self.rounds = 0
        self._rewrites: Trace[int, Values] = Trace()
        self._candidates: Trace[Any, Rewrite] = Trace()
        self._gatekeep: NestedJoin[int, Values, int, Candidate] = NestedJoin(self._rewrites, self._propose())
        self._ground: NestedJoin[int, Values, int, Atom] = NestedJoin(self._rewrites, self.kit.ground)
        self._product: NestedJoin[Any, Rewrite, Values, Rewrite] = NestedJoin(self._candidates, self._extend())
        self._facts: NestedDistinct[Hashable, Values] = NestedDistinct()
        self._distinct_rewrites: NestedDistinct[int, Values] = NestedDistinct()
        self._delay: NestedDelay[Rewrite] = NestedDelay()
        self._directions: NestedDistinct[int, int] = NestedDistinct()
        self._signals: NestedDistinct[int, int] = NestedDistinct()
        self._delay.put(-1, {(ROOT, ()): 1})  # Σ₀ enters once, at the first step

    def step(self, rules: ZSet[Clause], facts: ZSet[Atom]) -> ZSet[Atom]:
        """One outer time: takes changes of rules and facts and runs the loop until nothing is pending."""
        directions = self._directions.step(0, summed_parts(self.kit.directions, rules))
        signals = self._signals.step(0, summed_parts(lambda rule: [self.kit.signal(rule)], rules))
        self._take_join_orders(rules)
        total: Delta[Atom] = {}
        time: int | None = 0
        self.rounds = 0
        arrived = dict(facts.items())
        while time is not None:
            total = added(total, self._round(time, directions, signals, arrived))
            directions, signals, arrived = {}, {}, {}
            self.rounds += 1
            time = self._next_time()
        return ZSet(total)

    def state(self) -> ZSet[Atom]:
        """The materialisation: all facts, asserted or derived."""
        return ZSet(dict.fromkeys(self._facts.output.elements(), 1))

    def rows(self, predicate: Hashable) -> Delta[Atom]:
        """The facts of one predicate, each with weight 1."""
        return {(predicate, values): 1 for values in self._facts.output.groups.get(predicate, ())}

    @property
    def indexes(self) -> int:
        """How many indexes hold facts by the columns of join orders."""
        return 0

    def rewrites(self) -> ZSet[Rewrite]:
        """The rewrites of all provenances, the empty one included."""
        return ZSet(dict.fromkeys(self._rewrites.elements(), 1))

    def _round(
        self, time: int, directions: Delta[Direction], signals: Delta[Signal], arrived: Delta[Atom]
    ) -> Delta[Atom]:
        rewrites = self._delay.step(time)
        self._rewrites.update(time, rewrites)
        candidates = self._gatekeep.step(time, rewrites, directions)
        self._candidates.update(time, candidates)
        facts = self._facts.step(time, added(self._ground.step(time, rewrites, signals), arrived))
        products = self._passed(candidates, self._product.step(time, candidates, self._for_product(time, facts)))
        self._delay.put(time, self._fresh_rewrites(time, products))
        return facts

    def _passed(self, candidates: Delta[Candidate], products: Delta[Rewrite]) -> Delta[Rewrite]:
        """Products, where an atom is negated taken off what came to it."""
        negated = self.kit.is_negated
        if not self.kit.has_negation:
            return products
        signed = {rewrite: -weight if negated(rewrite[0]) else weight for rewrite, weight in products.items()}
        passing = {rewrite: weight for (_, rewrite), weight in candidates.items() if negated(rewrite[0])}
        return added(signed, passing)

    def _next_time(self) -> int | None:
        times = (operator.next_time() for operator in self._operators())
        return min((time for time in times if time is not None), default=None)

    # what the indexed circuit does otherwise

    def _propose(self) -> Any:
        return self.kit.propose

    def _extend(self) -> Any:
        return self.kit.unify

    def _take_join_orders(self, rules: ZSet[Clause]) -> None:
        """Without an index there is nothing to take."""

    def _for_product(self, time: int, facts: Delta[Atom]) -> Delta[Any]:
        return facts

    def _fresh_rewrites(self, time: int, products: Delta[Rewrite]) -> Delta[Rewrite]:
        return self._distinct_rewrites.step(time, products)

    def _operators(self) -> Iterable[Any]:
        return self._gatekeep, self._ground, self._product, self._facts, self._distinct_rewrites, self._delay


def summed_parts(parts: Any, rules: ZSet[Clause]) -> Delta[Any]:
    """The sum of the parts of all rules, each with the weight of its rule."""
    total: Delta[Any] = {}
    for rule, weight in rules.items():
        for part in parts(rule):
            total[part] = total.get(part, 0) + weight
    return without_zeros(total)
