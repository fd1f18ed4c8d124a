"""Negation on circuits: a chain of them, one for each level, the lower ones first.

Law: the level of a predicate is the largest number of negations on a way down from it. A circuit holds the clauses
whose heads are of its level; the facts of lower predicates that its clauses read come in as changes, at the beginning
of its loop, so that what is negated does not move inside it. After every step the facts are the perfect model of the
present clauses and base facts. Positive programs have one level, and one circuit as before.
Adding or removing a clause may move predicates to other levels: their clauses and facts are removed from one circuit
and added to another, which costs as much as they derive. Changes of facts cost as much as they change.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from tidelog.lab.dbsp.clause import Atom, Clause
from tidelog.lab.dbsp.dbsp_failures import NEGATION_IN_A_CIRCLE
from tidelog.lab.dbsp.incremental_circuit import IncrementalCircuit
from tidelog.lab.dbsp.indexed_circuit import IndexedCircuit
from tidelog.lab.dbsp.nested import Delta, added
from tidelog.lab.dbsp.zset import ZSet

Levels = Mapping[Hashable, int]
Predicates = frozenset[Hashable]


def levels_of(clauses: Iterable[Clause]) -> dict[Hashable, int]:
    """The level of every predicate that is not of level 0.

    >>> levels_of([Clause(("p", ()), (("q", ()),), (("r", ()),)), Clause(("s", ()), (("p", ()),))])
    {'p': 1, 's': 1}
    """
    known, levels = tuple(clauses), dict[Hashable, int]()
    predicates = len({predicate for clause in known for predicate in (clause.head[0], *reads(clause))})
    grown = True
    while grown:
        grown = False
        for clause in known:
            needed = max(_levels_needed(clause, levels), default=0)
            if needed > levels.get(clause.head[0], 0):
                if needed > predicates:
                    raise NEGATION_IN_A_CIRCLE.error(predicate=clause.head[0])
                levels[clause.head[0]] = needed
                grown = True
    return levels


def _levels_needed(clause: Clause, levels: Levels) -> Iterator[int]:
    yield from (levels.get(predicate, 0) for predicate, _ in clause.body)
    yield from (levels.get(predicate, 0) + 1 for predicate, _ in clause.negated)


def reads(clause: Clause) -> Predicates:
    """The predicates that a clause reads, negated ones among them."""
    return frozenset(predicate for predicate, _ in (*clause.body, *clause.negated))


class StratifiedCircuit:
    """Changes of facts and rules are the input, the change of the materialisation is the output; rules may negate.

    >>> from tidelog.lab.dbsp.clause import Variable
    >>> x = Variable("x")
    >>> lonely = Clause(("lonely", (x,)), (("node", (x,)),), (("linked", (x,)),))
    >>> circuit = StratifiedCircuit()
    >>> sorted(circuit.step(ZSet.of(lonely), ZSet.of(("node", (1,)))))
    [('lonely', (1,)), ('node', (1,))]
    >>> sorted(circuit.step(ZSet(), ZSet.of(("linked", (1,)))).items())
    [(('linked', (1,)), 1), (('lonely', (1,)), -1)]
    """

    def __init__(self, make: Callable[[], IncrementalCircuit] = IndexedCircuit) -> None:
        self._make = make
        self._circuits: list[IncrementalCircuit] = [make()]
        self.fed: list[Predicates] = [frozenset()]
        self.levels: Levels = {}
        self.rules: ZSet[Clause] = ZSet()
        self._base: dict[Hashable, set[Atom]] = {}

    def step(self, rules: ZSet[Clause], facts: ZSet[Atom]) -> ZSet[Atom]:
        """One outer time, level by level."""
        change = _Change(self, rules, facts)
        self.rules, self.levels = change.rules, change.levels
        self._remember(facts)
        while len(self._circuits) < change.height:
            self._circuits.append(self._make())
            self.fed.append(frozenset())
        total: Delta[Atom] = {}
        for level, circuit in enumerate(self._circuits):
            feeds = change.feeds(level, self.fed[level])
            out = circuit.step(ZSet(change.clauses(level)), ZSet(added(change.facts(level), feeds)))
            total = added(total, change.settle(level, circuit, out))
        self.fed = change.reads
        return ZSet(total)

    def state(self) -> ZSet[Atom]:
        """The materialisation: all facts, asserted or derived."""
        found: Delta[Atom] = {}
        for level, circuit in enumerate(self._circuits):
            found |= {atom: 1 for atom in circuit.state() if self.level(atom[0]) == level}
        return ZSet(found)

    @property
    def indexes(self) -> int:
        """How many indexes the circuits hold together."""
        return sum(circuit.indexes for circuit in self._circuits)

    def level(self, predicate: Hashable) -> int:
        """The circuit that holds a predicate."""
        return self.levels.get(predicate, 0)

    def rows(self, predicate: Hashable) -> Delta[Atom]:
        """The facts of a predicate."""
        return self._circuits[self.level(predicate)].rows(predicate)

    def base(self, predicate: Hashable) -> set[Atom]:
        """The asserted facts of a predicate."""
        return self._base.get(predicate, set())

    def _remember(self, facts: ZSet[Atom]) -> None:
        for atom, weight in facts.items():
            rows = self._base.setdefault(atom[0], set())
            (rows.add if weight > 0 else rows.discard)(atom)


class _Change:
    """One step of the chain: the input of each circuit, and the output of those below."""

    def __init__(self, chain: StratifiedCircuit, rules: ZSet[Clause], facts: ZSet[Atom]) -> None:
        self._chain, self._come, self._facts = chain, rules, facts
        self.rules, self.levels = chain.rules, chain.levels
        self._was: Levels = {}
        if len(rules):
            self.rules = chain.rules + rules
            self.levels = levels_of(self.rules)
            self._was = {clause.head[0]: chain.level(clause.head[0]) for clause in (*chain.rules, *rules)}
        self.moved = {p for p, level in self._was.items() if level != self._level(p)}
        self._before = {predicate: chain.rows(predicate) for predicate in self.moved}
        self._base = {predicate: set(chain.base(predicate)) for predicate in self.moved}
        self._out: dict[Hashable, Delta[Atom]] = {}
        self.height = 1 + max(self.levels.values(), default=0)
        self.reads = self._reads() if len(rules) else chain.fed

    def _reads(self) -> list[Predicates]:
        """The lower predicates that each circuit reads; circuits above the last level are empty and stay."""
        found: list[set[Hashable]] = [set() for _ in range(max(self.height, len(self._chain.fed)))]
        for clause in self.rules:
            level = self._level(clause.head[0])
            found[level] |= {predicate for predicate in reads(clause) if self._level(predicate) < level}
        return [frozenset(each) for each in found]

    def _level(self, predicate: Hashable) -> int:
        return self.levels.get(predicate, 0)

    def clauses(self, level: int) -> dict[Clause, int]:
        """Clauses that come to a level or go, those of moved predicates included."""
        found = {c: weight for c, weight in self._come.items() if self._stays(c.head[0], level)}
        if not self.moved:
            return found
        for clause, weight in self.rules.items():
            if clause.head[0] in self.moved and self._level(clause.head[0]) == level:
                found[clause] = weight
        for clause, weight in (self.rules - self._come).items():
            if clause.head[0] in self.moved and self._was[clause.head[0]] == level:
                found[clause] = -weight
        return found

    def _stays(self, predicate: Hashable, level: int) -> bool:
        return predicate not in self.moved and self._level(predicate) == level

    def facts(self, level: int) -> Delta[Atom]:
        """Asserted facts that come to a level or go."""
        found = {atom: weight for atom, weight in self._facts.items() if self._stays(atom[0], level)}
        for predicate in self.moved:
            if self._was[predicate] == level:
                found |= dict.fromkeys(self._base[predicate], -1)
            elif self._level(predicate) == level:
                found |= dict.fromkeys(self._chain.base(predicate), 1)
        return found

    def feeds(self, level: int, fed: Predicates) -> Delta[Atom]:
        """Changes of the lower facts that a level reads, reads no more, or reads for the first time."""
        found: Delta[Atom] = {}
        for predicate in fed | self.reads[level]:
            found |= self._feed(predicate, predicate in fed, predicate in self.reads[level])
        return found

    def _feed(self, predicate: Hashable, before: bool, after: bool) -> Delta[Atom]:
        if before and after:
            return self._out.get(predicate, {})
        return self._chain.rows(predicate) if after else _negated(self._old(predicate))

    def _old(self, predicate: Hashable) -> Delta[Atom]:
        """The facts of a predicate before the step."""
        if predicate in self.moved:
            return self._before[predicate]
        return added(self._chain.rows(predicate), _negated(self._out.get(predicate, {})))

    def settle(self, level: int, circuit: IncrementalCircuit, out: ZSet[Atom]) -> Delta[Atom]:
        """What a level has changed of the facts that are its own."""
        for atom, weight in out.items():
            if self._stays(atom[0], level):
                self._out.setdefault(atom[0], {})[atom] = weight
        for predicate in self.moved:
            if self._level(predicate) == level:
                self._out[predicate] = added(circuit.rows(predicate), _negated(self._before[predicate]))
        own: Delta[Atom] = {}
        for predicate, change in self._out.items():
            if self._level(predicate) == level:
                own |= change
        return own


def _negated(delta: Delta[Any]) -> Delta[Any]:
    return {element: -weight for element, weight in delta.items()}
