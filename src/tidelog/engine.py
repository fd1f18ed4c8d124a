"""The engine: a program, its facts, and views that stay true while both change.

Law: after every epoch the state equals evaluation of the current rules over the current base facts from scratch; an
epoch commits whole or leaves no trace. How that is kept is told in docs/design; this module only puts the parts
together.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np

from tidelog.epoch import Changes, Epoch, EpochStatistics
from tidelog.errors import DataError, EngineError, LimitError
from tidelog.facts import net_rows, program_facts
from tidelog.interrupts import Interrupts
from tidelog.io.rows import Rows as Data
from tidelog.io.rows import data_types, encode_rows, in_order
from tidelog.partition.machine import Limits
from tidelog.partition.relations import Cells
from tidelog.plan.build import plan_rule, plan_whole, value_type
from tidelog.plan.statistics import Sizes
from tidelog.program import SOUFFLE, Program, Rule
from tidelog.program.functions import FUNCTIONS, Function, Functions
from tidelog.query import read_query
from tidelog.ruleset import Ruleset
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.runtime.protocol import EpochOutcome, EpochWork, PlannedRule
from tidelog.runtime.strata import group_strata
from tidelog.state import EngineState, FactState
from tidelog.syntax import parse_program, parse_rule, print_rule
from tidelog.view import ChangeSet, Rows, View

STALE = 8  # a plan is made anew when a relation it reads has grown or shrunk by this factor


class Engine:
    """Datalog views that are maintained under changes of facts and rules.

    >>> db = Engine("reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z).")
    >>> with db.epoch() as e:
    ...     e.insert("edge", [(1, 2), (2, 3)])
    >>> sorted(db["reach"])
    [(1, 2), (1, 3), (2, 3)]
    >>> with db.epoch() as e:
    ...     e.delete("edge", [(1, 2)])
    ...     label = e.add_rule("near(X) :- reach(2, X).")
    >>> sorted(e.changes["reach"].deleted), list(db["near"])
    ([(1, 2), (1, 3)], [(3,)])
    """

    def __init__(
        self, program: str | Program = "", *, limits: Limits | None = None, functions: Iterable[Function] = ()
    ) -> None:
        table: Functions = FUNCTIONS
        for function in functions:
            table = table.with_function(function)
        parsed = parse_program(program) if isinstance(program, str) else program
        self._runtime = EmbeddedRuntime(table)
        self._runtime.set_limits(limits or Limits())
        self._rules = Ruleset(Program(convention=parsed.convention), table)
        self._schema: Mapping[str, tuple[str | None, ...]] = {}  # of every relation there ever was
        self._planned_sizes: dict[str, int] = {}
        self._stale: set[str] = set()
        self._writing = threading.RLock()
        self._closed = False
        self.epoch_number = 0
        self._start(parsed)

    def _start(self, parsed: Program) -> None:
        """The first epoch: the program's own declarations, rules and facts."""
        base = replace(parsed, rules=(), facts=())
        self._rules = replace(self._rules, program=base)
        rules = self._rules.label(parsed.rules)
        epoch = Epoch(self)
        epoch.added = list(rules)
        if parsed.facts or rules or parsed.declarations:
            self._commit(epoch, parsed)

    # Changing

    def epoch(self) -> Epoch:
        """Begin an epoch: use it in a ``with`` block, which commits at its end and rolls back on an exception."""
        self._must_be_open()
        return Epoch(self)

    def commit(self, epoch: Epoch) -> None:
        """Commit an epoch; called by the epoch itself."""
        self._must_be_open()
        self._commit(epoch, None)

    def read_rule(self, text: str, label: str | None, taken: Sequence[str]) -> Rule:
        """Parse a rule and give it a label that was never used."""
        rule = parse_rule(text, convention=self._rules.program.convention)
        if label is not None:
            rule = replace(rule, label=label)
        return self._rules.label([rule], taken)[0]

    # Reading

    def __getitem__(self, name: str) -> View:
        self._must_be_open()
        if name not in self._rules.schema:
            raise self._unknown_relation(name)
        return View(
            name, self._column_names(name), self._rules.schema[name], self._dictionary, lambda: self._read(name)
        )

    def __contains__(self, name: object) -> bool:
        return name in self._rules.schema and not str(name).startswith("__")

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of all relations that the user knows."""
        return tuple(sorted(name for name in self._rules.schema if not name.startswith("__")))

    @property
    def rules(self) -> dict[str, str]:
        """The text of every rule by its label."""
        return {r.label or "": print_rule(r, self._rules.program.convention) for r in self._rules.program.rules}

    def rule(self, label: str) -> Rule:
        """The rule with a label."""
        return self._rules.rule(label)

    def query(self, text: str) -> Rows:
        """The answers to a query such as ``reach(0, X), node(X)``: one column per variable, in order of appearance."""
        self._must_be_open()
        rule, names = read_query(text, self._rules.program.convention)
        with self._writing:
            changed = self._rules.changed(add=(rule,), known={rule.head.predicate: len(names)})
            work = self._work(changed, {}, {})
            with self._guarded():
                outcome = self._runtime.run(work)
                self._runtime.rollback()
        cells = outcome.changes.get(rule.head.predicate, (np.zeros((0, len(names)), np.int64),))[0]
        return Rows("answers", names, changed.schema[rule.head.predicate], self._dictionary, cells)

    def state(self) -> EngineState:
        """Every fact with its rank and counts, for checks from outside; large."""
        self._must_be_open()
        facts = {name: self._fact_states(name) for name in self._rules.schema if name in self._runtime.strata}
        strata = {id(s): s for s in self._runtime.strata.values() if s.order >= 0}
        ordered = sorted(strata.values(), key=lambda s: s.order)
        return EngineState(
            facts, tuple(self._rules.core.values()), tuple(s.relations for s in ordered), self._rules.schema
        )

    def _fact_states(self, name: str) -> dict[tuple[Any, ...], FactState]:
        cells, ranks, alls, lows, bases = self._runtime.partition.counts(name)
        rows = self._fixed(name, cells).rows()
        columns = zip(ranks.tolist(), alls.tolist(), lows.tolist(), bases.tolist(), strict=True)
        return {row: FactState(*values) for row, values in zip(rows, columns, strict=True)}

    # Closing

    def close(self) -> None:
        """Give back the memory; the engine cannot be used afterwards."""
        self._closed = True

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {len(self._read(name)):,}" for name in self.relations[:8])
        return f"Engine(epoch {self.epoch_number}, {len(self._rules.program.rules)} rules; {sizes or 'no relations'})"

    # Inner workings

    @property
    def _dictionary(self) -> Any:
        return self._runtime.partition.dictionary

    def _commit(self, epoch: Epoch, parsed: Program | None) -> None:
        with self._writing:
            if parsed is not None:
                epoch.facts += program_facts(parsed, self._rules.functions)
            rules, inserts, deletes = self._prepare(epoch)
            work = self._work(rules, inserts, deletes)
            with self._guarded():
                outcome = self._runtime.run(work)
                self._runtime.commit()
            self._schema = {**self._schema, **rules.schema}
            self._rules = rules
            self.epoch_number += 1
            self._note_sizes(outcome)
            self._report(epoch, outcome)

    def _guarded(self) -> Any:
        return _Guard(self._runtime)

    def _prepare(self, epoch: Epoch) -> tuple[Ruleset, dict[str, Cells], dict[str, Cells]]:
        """The rule set after the epoch, and the base facts it asserts and retracts."""
        rules = self._rules
        if epoch.added or epoch.removed:
            rules = rules.changed(epoch.added, epoch.removed)
        facts = [(s, name, in_order(d, self._column_names(name), name)) for s, name, d in epoch.facts if d.length]
        bound, known = _learn(facts, rules.schema)
        if bound or known:
            rules = rules.changed(bound=bound, known=known)
        signed: dict[str, list[tuple[int, Cells]]] = {}
        for sign, name, data in facts:
            types = [t or "number" for t in rules.schema[name]]
            signed.setdefault(name, []).append((sign, encode_rows(name, data, types, self._dictionary)))
        inserts, deletes = net_rows(signed)
        return rules.holding(inserts), inserts, deletes

    def _work(self, rules: Ruleset, inserts: Mapping[str, Cells], deletes: Mapping[str, Cells]) -> EpochWork:
        """The plan of an epoch: what comes, what goes, and in which strata."""
        before = self._rules
        arities = {n: len(t) for n, t in rules.schema.items() if self._runtime.arity(n) != len(t)}
        if rules.core is before.core and not self._stale:
            return EpochWork(arities, inserts, deletes)
        come = [rule for label, rule in rules.core.items() if label not in before.core]
        gone = tuple(label for label in before.core if label not in rules.core)
        again = [rule for label, rule in rules.core.items() if label in before.core and self._must_replan(label, rules)]
        sizes = self._sizes(rules, {n: len(rows) for n, rows in inserts.items()})
        strata = None
        if come or gone:
            groups = [s.relations for s in self._runtime.strata.values() if len(s.relations) > 1]
            strata = group_strata(list(rules.core.values()), groups)
        plan = self._planner(rules, sizes)
        return EpochWork(arities, inserts, deletes, tuple(map(plan, come)), gone, tuple(map(plan, again)), strata)

    def _planner(self, rules: Ruleset, sizes: Sizes) -> Callable[[Rule], PlannedRule]:
        def plan(rule: Rule) -> PlannedRule:
            plans = plan_rule(rule, rules.schema, rules.functions, sizes)
            whole = plan_whole(rule, rules.schema, rules.functions, sizes)
            return PlannedRule(rule, plans, whole, value_type(rule, rules.schema, rules.functions))

        return plan

    def _must_replan(self, label: str, rules: Ruleset) -> bool:
        rule, before = rules.core[label], self._rules.core[label]
        if rule != before or label in self._stale:
            return True
        names = [x.predicate for x in (*rule.body, rule.head) if hasattr(x, "predicate")]
        return any(rules.schema[n] != self._rules.schema.get(n) for n in names)

    def _sizes(self, rules: Ruleset, incoming: Mapping[str, int]) -> Sizes:
        relations = self._runtime.partition.relations
        derived = frozenset(rule.head.predicate for rule in rules.core.values())

        def live(name: str) -> int:
            return relations.live(relations.numbers[name]) if name in relations.numbers else 0

        def keys(name: str, columns: tuple[int, ...]) -> int | None:
            return relations.distinct_keys(relations.numbers[name], columns) if name in relations.numbers else None

        sizes = Sizes(live, keys, incoming, derived)
        for name in rules.schema:
            self._planned_sizes.setdefault(name, sizes.size(name))
        return sizes

    def _note_sizes(self, outcome: EpochOutcome) -> None:
        """Rules that read relations of quite another size than planned for are planned again with the next epoch."""
        self._stale.clear()
        relations = self._runtime.partition.relations
        moved = set()
        for name in outcome.changes:
            size, planned = relations.live(relations.numbers[name]), self._planned_sizes.get(name, 0)
            if max(size, planned) > 1000 and not planned / STALE <= size <= planned * STALE:
                self._planned_sizes[name] = size
                moved.add(name)
        if moved:
            for label, rule in self._rules.core.items():
                if len(rule.body) > 1 and any(getattr(x, "predicate", None) in moved for x in rule.body):
                    self._stale.add(label)

    def _report(self, epoch: Epoch, outcome: EpochOutcome) -> None:
        epoch.number = self.epoch_number
        changed = {
            name: ChangeSet(self._fixed(name, plus), self._fixed(name, minus))
            for name, (plus, minus) in sorted(outcome.changes.items())
            if not name.startswith("__")
        }
        epoch.changes = Changes(changed, self.no_change)
        supports: dict[str, int] = {}
        for label, count in outcome.supports.items():
            rule = self._rules.core.get(label)
            name = label if rule is None else rule.root.label or label
            supports[name] = supports.get(name, 0) + count
        epoch.statistics = EpochStatistics(
            outcome.seconds, supports, outcome.suspended, outcome.revived, tuple(outcome.strata)
        )

    def _fixed(self, name: str, cells: Cells) -> Rows:
        return Rows(name, self._column_names(name), self._schema[name], self._dictionary, cells)

    def no_change(self, name: str) -> ChangeSet:
        """The change set of a relation that did not change."""
        if name not in self._schema:
            raise self._unknown_relation(name)
        empty = self._fixed(name, np.zeros((0, len(self._schema[name])), np.int64))
        return ChangeSet(empty, empty)

    def _read(self, name: str) -> Cells:
        self._must_be_open()
        return self._runtime.partition.rows(name)

    def _column_names(self, name: str) -> tuple[str, ...]:
        for declaration in self._rules.program.declarations:
            if declaration.relation == name:
                return tuple(c.name for c in declaration.columns)
        types = self._rules.schema.get(name) or self._schema.get(name, ())
        return tuple(f"c{i + 1}" for i in range(len(types)))

    def check_relation_name(self, name: str) -> None:
        """Refuse facts for relations that the program does not admit."""
        if name.startswith("__"):
            raise EngineError(f"`{name}`: names that start with `__` are Tidelog's own")
        if self._rules.program.convention == SOUFFLE and name not in self._rules.schema:
            raise self._unknown_relation(name)

    def _unknown_relation(self, name: str) -> EngineError:
        near = difflib.get_close_matches(name, self.relations, 1)
        known = ", ".join(f"`{n}`" for n in self.relations) or "none"
        return EngineError(
            f"unknown relation `{name}`; known: {known}" + (f"; did you mean `{near[0]}`?" if near else "")
        )

    def _must_be_open(self) -> None:
        if self._closed:
            raise EngineError("the engine is closed")


def _learn(
    facts: Sequence[tuple[int, str, Data]], schema: Mapping[str, tuple[str | None, ...]]
) -> tuple[dict[tuple[str, int], str], dict[str, int]]:
    """Types and relations that data brings and that were not known."""
    bound: dict[tuple[str, int], str] = {}
    known: dict[str, int] = {}
    for _, name, data in facts:
        types = schema.get(name, (None,) * known.get(name, len(data.columns)))
        if name not in schema:
            known.setdefault(name, len(data.columns))
        if len(types) != len(data.columns):
            raise DataError(f"relation `{name}` has {len(types)} columns, these rows have {len(data.columns)}")
        if None in types:
            for i, (type_, own) in enumerate(zip(types, data_types(name, data), strict=True)):
                if type_ is None:
                    bound.setdefault((name, i), own)
    return bound, known


class _Guard:
    """While a runtime works: Ctrl-C waits for the end of a slice, and running out of memory is a limit that was hit."""

    def __init__(self, runtime: EmbeddedRuntime) -> None:
        self._machine = runtime.partition.machine
        self._interrupts = Interrupts()

    def __enter__(self) -> None:
        self._interrupts.__enter__()
        self._machine.on_slice = self._interrupts.check

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._machine.on_slice = lambda: None
        self._interrupts.__exit__(kind, error, trace)
        if isinstance(error, MemoryError):
            raise LimitError("out of memory; nothing was changed") from error
