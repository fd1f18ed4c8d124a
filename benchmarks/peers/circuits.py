"""Systems that keep the facts of rules under change: circuits, with indexes and without, the engine, and pydbsp.

Law: all of them get the same rules and the same changes; how many facts there are afterwards is asked of each.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, Protocol

from benchmarks.data.circuits import Facts
from tidelog.lab.dbsp import ChainedCircuit, DatalogCircuit, IncrementalCircuit, IndexedCircuit
from tidelog.program import Atom, Const, Program, Rule, Var
from tidelog.syntax import print_program, print_rule


class Runner(Protocol):
    """A system that keeps the facts of rules under change."""

    def load(self, rules: list[Rule], facts: Facts) -> None: ...
    def change(self, facts: Facts, sign: int) -> None: ...
    def remove_rule(self, number: int) -> None: ...
    def add_rule(self, number: int) -> None: ...
    def size(self) -> int: ...


def by_relation(facts: Facts) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of each relation."""
    grouped: dict[str, list[tuple[Any, ...]]] = {}
    for relation, row in facts:
        grouped.setdefault(relation, []).append(row)
    return grouped


class CircuitRunner:
    """One of the incremental circuits of ``tidelog.lab.dbsp``."""

    def __init__(self, circuit: Callable[[], IncrementalCircuit]) -> None:
        self._circuit = circuit

    def load(self, rules: list[Rule], facts: Facts) -> None:
        self._rules = [Rule(rule.head, rule.body, f"rule{number}") for number, rule in enumerate(rules)]
        self._db = DatalogCircuit(Program(tuple(self._rules)), by_relation(facts), self._circuit)

    def change(self, facts: Facts, sign: int) -> None:
        rows = by_relation(facts)
        self._db.epoch(insert=rows if sign > 0 else {}, delete=rows if sign < 0 else {})

    def remove_rule(self, number: int) -> None:
        self._db.epoch(remove=(f"rule{number}",))

    def add_rule(self, number: int) -> None:
        self._db.epoch(add=(self._rules[number],))

    def size(self) -> int:
        return sum(map(len, self._db.model().values()))

    def indexes(self) -> int:
        """How many indexes the circuit holds."""
        return self._db.indexes


class EngineRunner:
    """Tidelog's engine, embedded; its kernel is compiled before the clock starts."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        with self._engine("warm(X, Y) :- up(X, Z), warm(Z, Y).") as db, db.epoch() as epoch:
            epoch.insert("up", [(1, 2)])

    def load(self, rules: list[Rule], facts: Facts) -> None:
        labelled = [Rule(rule.head, rule.body, f"rule{number}") for number, rule in enumerate(rules)]
        self._texts = [print_rule(rule) for rule in rules]
        self._db = self._engine(print_program(Program(tuple(labelled))))
        self.change(facts, 1)

    def change(self, facts: Facts, sign: int) -> None:
        with self._db.epoch() as epoch:
            for relation, rows in by_relation(facts).items():
                (epoch.insert if sign > 0 else epoch.delete)(relation, rows)

    def remove_rule(self, number: int) -> None:
        with self._db.epoch() as epoch:
            epoch.remove_rule(f"rule{number}")

    def add_rule(self, number: int) -> None:
        with self._db.epoch() as epoch:
            epoch.add_rule(self._texts[number], f"rule{number}")

    def size(self) -> int:
        return sum(len(self._db[relation]) for relation in self._db.relations)


def engine_runner() -> Runner:
    """The engine's column; imported here, so that circuits can be measured where the engine is not built."""
    return EngineRunner(importlib.import_module("tidelog").Engine)


class PydbspRunner:
    """The interpreter of the pydbsp package, version 2; its variables are texts that begin with a question mark."""

    def __init__(self) -> None:
        self._zset = importlib.import_module("pydbsp.zset").ZSet
        self._driver = importlib.import_module("pydbsp.datalog_stratified").IncrementalDatalogStratified()

    def load(self, rules: list[Rule], facts: Facts) -> None:
        self._rules = [tuple(map(self._atom, (rule.head, *rule.body))) for rule in rules]
        self._driver.push_rules(self._zset(dict.fromkeys(self._rules, 1)))
        self.change(facts, 1)

    def _atom(self, atom: Any) -> tuple[str, tuple[Any, ...]]:
        assert isinstance(atom, Atom)
        terms = (f"?{t.name}" if isinstance(t, Var) else t.value for t in atom.args if isinstance(t, Var | Const))
        return atom.predicate, tuple(terms)

    def change(self, facts: Facts, sign: int) -> None:
        self._driver.push_facts(self._zset(dict.fromkeys(facts, sign)))
        self._state = self._driver.saturate()

    def remove_rule(self, number: int) -> None:
        self._turn(number, -1)

    def add_rule(self, number: int) -> None:
        self._turn(number, 1)

    def _turn(self, number: int, sign: int) -> None:
        self._driver.push_rules(self._zset({self._rules[number]: sign}))
        self._state = self._driver.saturate()

    def add_new_rule(self, rule: Rule) -> None:
        """A rule that was not there before."""
        self._rules.append(tuple(map(self._atom, (rule.head, *rule.body))))
        self.add_rule(len(self._rules) - 1)

    def facts(self) -> dict[tuple[str, tuple[Any, ...]], int]:
        """The weights of all facts."""
        return dict(self._state.inner)

    def size(self) -> int:
        return len(self._state.inner)


SYSTEMS: dict[str, tuple[Callable[[], Runner], str]] = {
    "indexed": (lambda: CircuitRunner(IndexedCircuit), "tidelog.lab.dbsp"),
    "chained": (lambda: CircuitRunner(ChainedCircuit), "tidelog.lab.dbsp"),
    "not-indexed": (lambda: CircuitRunner(IncrementalCircuit), "tidelog.lab.dbsp"),
    "engine": (engine_runner, "tidelog.engine"),
    "pydbsp": (PydbspRunner, "pydbsp.datalog_stratified"),
}
"""Name: how to make it, which module must be there."""


def is_installed(system: str) -> bool:
    """Whether the system's module is there."""
    try:
        return importlib.util.find_spec(SYSTEMS[system][1]) is not None
    except ModuleNotFoundError:
        return False
