"""Programs on a circuit: rules and rows of the language go in and out, the circuit sees clauses and numbers.

Law: after every epoch the relations are those of the model of the present rules and base facts: the least one, with
negation the perfect one. Base facts are
sets, and within one epoch the signs of a fact are summed (D3); rules are added with their labels and removed by them
(D4). An epoch that is refused leaves the circuit as it was: everything is translated before anything moves.
Reading a program's text, its input files and its output is the caller's business.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from tidelog.errors import ProgramError
from tidelog.lab.dbsp.clause import Atom
from tidelog.lab.dbsp.dbsp_failures import ROW_COLUMNS, TWO_RULES, UNKNOWN_RULE
from tidelog.lab.dbsp.incremental_circuit import IncrementalCircuit
from tidelog.lab.dbsp.indexed_circuit import IndexedCircuit
from tidelog.lab.dbsp.stratified_circuit import StratifiedCircuit
from tidelog.lab.dbsp.translate import Arities, Constants, check, fact_row, is_projection, rule_to_clauses
from tidelog.lab.dbsp.zset import ZSet
from tidelog.program import Fact, Program, Rule, Value
from tidelog.program.graph.dependency import dependencies
from tidelog.program.graph.strata import check_strata, strata_of_edges
from tidelog.syntax import Epoch, FactChange, RuleAdded, RuleRemoved

Row: TypeAlias = tuple[Value, ...]
Rows: TypeAlias = Mapping[str, Iterable[Row]]
Model: TypeAlias = dict[str, frozenset[Row]]
NO_ROWS: Rows = {}


@dataclass(frozen=True, slots=True)
class EpochOutcome:
    """What one epoch did to each relation; relations that did not change are not named."""

    inserted: Model
    deleted: Model


class DatalogCircuit:
    """A program kept true by circuits of one kind, one for each level of negation.

    >>> from tidelog.program import Atom, Var
    >>> x, y, z = (Var(name) for name in "XYZ")
    >>> base = Rule(Atom("reach", (x, y)), (Atom("edge", (x, y)),))
    >>> further = Rule(Atom("reach", (x, z)), (Atom("edge", (x, y)), Atom("reach", (y, z))))
    >>> db = DatalogCircuit(Program((base, further)), {"edge": [("a", "b"), ("b", "c")]})
    >>> sorted(db.model()["reach"])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    >>> db.epoch(remove=("r2",)).deleted
    {'reach': frozenset({('a', 'c')})}
    """

    def __init__(
        self,
        program: Program | None = None,
        facts: Rows = NO_ROWS,
        make: Callable[[], IncrementalCircuit] = IndexedCircuit,
    ) -> None:
        self.rules: dict[str, Rule] = {}
        self._circuit = StratifiedCircuit(make)
        self._constants = Constants()
        self._arities = Arities()
        self._asserted: set[Atom] = set()
        self._labels: set[str] = set()  # every label ever given: none is made twice (D4)
        self.initial = self._load(program or Program(), facts)

    def epoch(
        self, insert: Rows = NO_ROWS, delete: Rows = NO_ROWS, add: Iterable[Rule] = (), remove: Iterable[str] = ()
    ) -> EpochOutcome:
        """Rows come and go, rules come, rules go by their labels: all at once; says what became of each relation."""
        gone = self._leaving(remove)
        come = self._labelled(tuple(add), gone)
        arities = self._arities.copy()
        check(Program(tuple(come.values())), arities)
        rules = {label: rule for label, rule in self.rules.items() if label not in gone} | come
        _check_strata(tuple(rules.values()))
        signs = self._signs(insert, delete, arities)
        self._arities = arities
        self._labels.update(come)
        self.rules = rules
        clauses = [(rule, 1) for rule in come.values()] + [(rule, -1) for rule in gone.values()]
        return self._step(clauses, signs)

    def run(self, changes: Epoch) -> EpochOutcome:
        """One epoch of a change script."""
        facts = [change for change in changes if isinstance(change, FactChange)]
        check(Program(facts=tuple(Fact(change.atom, change.span) for change in facts)))
        rows: dict[int, dict[str, list[Row]]] = {1: {}, -1: {}}
        for change in facts:
            rows[change.sign].setdefault(change.atom.predicate, []).append(fact_row(change.atom))
        added = (change.rule for change in changes if isinstance(change, RuleAdded))
        return self.epoch(rows[1], rows[-1], added, (c.label for c in changes if isinstance(c, RuleRemoved)))

    @property
    def indexes(self) -> int:
        """How many indexes the circuits hold."""
        return self._circuit.indexes

    def model(self) -> Model:
        """Every relation that has facts, with its rows."""
        return self._by_relation(self._circuit.state())

    def _load(self, program: Program, facts: Rows) -> EpochOutcome:
        check(program)
        rows: dict[str, list[Row]] = {relation: list(given) for relation, given in facts.items()}
        for fact in program.facts:
            rows.setdefault(fact.atom.predicate, []).append(fact_row(fact.atom))
        return self.epoch(insert=rows, add=program.rules)

    def _step(self, clauses: list[tuple[Rule, int]], signs: dict[Atom, int]) -> EpochOutcome:
        numbers = self._constants
        rules = ZSet.counted((clause, weight) for rule, weight in clauses for clause in rule_to_clauses(rule, numbers))
        moved = {atom: sign for atom, sign in signs.items() if sign and (sign > 0) != (atom in self._asserted)}
        facts = ZSet({atom: 1 if sign > 0 else -1 for atom, sign in moved.items()})
        self._asserted.symmetric_difference_update(moved)
        with _collector_paused():
            delta = self._circuit.step(rules, facts)
        return EpochOutcome(self._by_relation(_positive(delta)), self._by_relation(_positive(-delta)))

    def _signs(self, insert: Rows, delete: Rows, arities: Arities) -> dict[Atom, int]:
        signs: dict[Atom, int] = {}
        for rows, sign in ((insert, 1), (delete, -1)):
            for relation, given in rows.items():
                for row in given:
                    atom = self._atom(relation, row, arities)
                    signs[atom] = signs.get(atom, 0) + sign
        return signs

    def _atom(self, relation: str, row: Row, arities: Arities) -> Atom:
        if not arities.fits(relation, len(row)):
            raise ROW_COLUMNS.error(relation=relation, columns=arities.expected(relation), row=row)
        number = self._constants.number
        return relation, tuple(number(value) for value in row)

    def _leaving(self, labels: Iterable[str]) -> dict[str, Rule]:
        gone: dict[str, Rule] = {}
        for label in labels:
            if label not in self.rules:
                raise UNKNOWN_RULE.error(label=label, known=", ".join(self.rules) or "none")
            gone[label] = self.rules[label]
        return gone

    def _labelled(self, rules: tuple[Rule, ...], gone: Mapping[str, Rule]) -> dict[str, Rule]:
        taken = self._labels | {rule.label for rule in rules if rule.label}
        come: dict[str, Rule] = {}
        for rule in rules:
            label = rule.label or _fresh_label(taken)
            if label in come or (label in self.rules and label not in gone):
                raise TWO_RULES.error(label=label)
            come[label] = rule
            taken.add(label)
        return come

    def _by_relation(self, atoms: Iterable[Atom]) -> Model:
        relations: dict[str, list[Row]] = {}
        value = self._constants.value
        for relation, numbers in atoms:
            if not is_projection(str(relation)):
                relations.setdefault(str(relation), []).append(tuple(value(n) for n in numbers))  # type: ignore[arg-type]  # numbers of Constants
        return {relation: frozenset(rows) for relation, rows in relations.items()}


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No collection of cycles meanwhile: a step makes many tuples and no cycles (a third of its time, measured)."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _check_strata(rules: tuple[Rule, ...]) -> None:
    """Refuse a negation inside a recursion."""
    edges = dependencies(rules)
    if findings := check_strata(edges, strata_of_edges(rules, edges)):
        raise ProgramError(findings)


def _fresh_label(taken: set[str]) -> str:
    return next(label for number in count(1) if (label := f"r{number}") not in taken)


def _positive(delta: ZSet[Atom]) -> Iterable[Atom]:
    return (atom for atom, weight in delta.items() if weight > 0)


def run_circuit(
    program: Program, facts: Rows = NO_ROWS, changes: Iterable[Epoch] = ()
) -> tuple[DatalogCircuit, list[EpochOutcome]]:
    """Load a program on the indexed circuit and run a change script; returns the circuit and the outcome of each epoch.

    The first outcome is that of loading.

    >>> from tidelog.syntax import parse_changes, parse_program
    >>> changes = parse_changes("+q(2). commit. -q(1). - r1. commit.")
    >>> db, outcomes = run_circuit(parse_program("p(X) :- q(X)."), {"q": [(1,)]}, changes)
    >>> len(outcomes), sorted(outcomes[2].deleted["p"]), db.model()
    (3, [(1,), (2,)], {'q': frozenset({(2,)})})
    """
    db = DatalogCircuit(program, facts)
    return db, [db.initial, *map(db.run, changes)]
