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
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from tidelog.epoch import Changes, Epoch, EpochStatistics
from tidelog.errors import EngineError
from tidelog.explain import Explanation, explain
from tidelog.facts import learn, net_rows, program_facts
from tidelog.interrupts import Guard
from tidelog.io.rows import encode_rows, in_order
from tidelog.io.texts import show_fact
from tidelog.keeping import Keeping
from tidelog.keys import check_keys, replace_by_key
from tidelog.partition.machine import Limits
from tidelog.partition.relations import Cells
from tidelog.planner import Planner
from tidelog.profile import Profile, Profiler
from tidelog.program import SOUFFLE, Program, Rule
from tidelog.program.functions import FUNCTIONS, Function, Functions
from tidelog.query import read_query
from tidelog.ruleset import Ruleset
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.runtime.protocol import EpochOutcome
from tidelog.state import EngineState, FactState
from tidelog.store.difference import check_same_program, fact_texts
from tidelog.store.durable import HISTORY, Durable
from tidelog.store.restore import fill_partition
from tidelog.store.rules import ruleset_from_values
from tidelog.store.store import Store
from tidelog.syntax import parse_program, parse_rule, print_rule
from tidelog.view import ChangeSet, Rows, View
from tidelog.why import Bounds, Ledger, Proof, WhyNot, fact_key, prove, read_fact, refute


class Engine(Keeping):
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
        self,
        program: str | Program = "",
        *,
        path: str | Path | Store | None = None,
        at: int | None = None,
        history: int | None = HISTORY,
        limits: Limits | None = None,
        functions: Iterable[Function] = (),
    ) -> None:
        table: Functions = FUNCTIONS
        for function in functions:
            table = table.with_function(function)
        parsed = parse_program(program) if isinstance(program, str) else program
        self._runtime = EmbeddedRuntime(table)
        self._runtime.set_limits(limits or Limits())
        self._rules = Ruleset(Program(convention=parsed.convention), table)
        self._schema: Mapping[str, tuple[str | None, ...]] = {}  # of every relation there ever was
        self._planner = Planner(self._runtime)
        self._writing = threading.RLock()
        self._profiler = Profiler()
        self._closed = False
        self.epoch_number = 0
        if at is not None and path is None:
            raise EngineError("`at` reads an epoch of a state folder; give its `path` too")
        self._durable = None if path is None else Durable.open(path, at, history)
        self._offsets: dict[str, int] = {} if self._durable is None else self._durable.offsets
        try:
            self._begin(parsed)
        except BaseException:
            self.close()
            raise

    def _begin(self, parsed: Program) -> None:
        """Start anew, or go on from what the state folder holds."""
        if self._durable is None or self._durable.is_new:
            self._start(parsed)
        else:
            self._resume(self._durable, parsed)

    def _resume(self, durable: Durable, parsed: Program) -> None:
        """Take over a state that was read: records, strata and rules as they were; nothing is evaluated."""
        image = durable.image
        assert image.rules is not None
        self._rules = ruleset_from_values(image.rules, self._rules.functions, durable.store.name)
        check_same_program(self._rules.program, durable.facts, parsed, durable.store.name)
        fill_partition(self._runtime.partition, image)
        plan = self._planner.planning(self._rules, {})
        arities = {**image.arities, **{name: len(types) for name, types in self._rules.schema.items()}}
        self._runtime.adopt(arities, image.strata, map(plan, self._rules.core.values()))
        self._schema = {**{name: (None,) * arity for name, arity in arities.items()}, **self._rules.schema}
        self.epoch_number = image.epoch
        durable.taken_over(self._rules, len(image.entries))

    def _start(self, parsed: Program) -> None:
        """The first epoch: the program's own declarations, rules and facts."""
        base = replace(parsed, rules=(), facts=())
        self._rules = replace(self._rules, program=base)
        if base.declarations and not parsed.rules:
            self._rules = self._rules.changed()  # declared relations are known before any fact
        rules = self._rules.label(parsed.rules)
        epoch = Epoch(self)
        epoch.added = list(rules)
        if parsed.facts or rules or parsed.declarations:
            self._commit(epoch, parsed)

    # Changing

    def epoch(self, source: str | None = None, offset: int | None = None) -> Epoch:
        """Begin an epoch: use it in a ``with`` block, which commits at its end and rolls back on an exception.

        With a ``source`` and an ``offset``, numbers that rise, input that was committed before is not applied again.
        """
        self._must_be_open()
        if (source is None) != (offset is None):
            raise EngineError("an epoch has a source and an offset, or neither")
        return Epoch(self, source, offset)

    def commit(self, epoch: Epoch) -> None:
        """Commit an epoch; called by the epoch itself."""
        self._must_be_open()
        if self._durable is not None:
            self._durable.must_be_writable()
        self._commit(epoch, None)

    def preview(self, epoch: Epoch) -> None:
        """Run an epoch, tell in it what would change and what that costs, and roll it back."""
        self._must_be_open()
        with self._writing:
            rules, inserts, deletes = self._prepare(epoch)
            work = self._planner.work(self._rules, rules, inserts, deletes)
            with self._guarded():
                outcome = self._runtime.run(work)
                self._check_keys(rules, outcome)
                self._runtime.rollback()
            schema, self._schema = self._schema, {**self._schema, **rules.schema}
            self._report(epoch, outcome)
            self._schema, epoch.number = schema, None

    def read_rule(self, text: str | Rule, label: str | None, taken: Sequence[str]) -> Rule:
        """Parse a rule and give it a label that was never used."""
        rule = parse_rule(text, convention=self._rules.program.convention) if isinstance(text, str) else text
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

    @property
    def convention(self) -> str:
        """How identifiers are read (D7): ``prolog`` or ``souffle``."""
        return self._rules.program.convention

    @property
    def program(self) -> Program:
        """Declarations and rules in force; facts are read from views."""
        return self._rules.program

    def asserted(self, name: str) -> Rows:
        """The base facts of a relation: those that were asserted, derivable or not."""
        self._must_be_open()
        if name not in self:
            raise self._unknown_relation(name)
        cells, *_, bases = self._runtime.partition.counts(name)
        return self._fixed(name, cells[bases])

    def rule(self, label: str) -> Rule:
        """The rule with a label."""
        return self._rules.rule(label)

    def query(self, text: str) -> Rows:
        """The answers to a query such as ``reach(0, X), node(X)``: one column per variable, in order of appearance."""
        self._must_be_open()
        rule, names = read_query(text, self._rules.program.convention)
        with self._writing:
            changed = self._rules.changed(add=(rule,), known={rule.head.predicate: len(names)})
            work = self._planner.work(self._rules, changed, {}, {})
            with self._guarded():
                outcome = self._runtime.run(work)
                self._runtime.rollback()
        cells = outcome.changes.get(rule.head.predicate, (np.zeros((0, len(names)), np.int64),))[0]
        return Rows("answers", names, changed.schema[rule.head.predicate], self._dictionary, cells)

    # Asking

    def why(
        self, fact: str | tuple[str, Iterable[object]], *, depth: int = 100, width: int = 10, nodes: int = 1000
    ) -> Proof:
        """The proof of a fact given as text, ``reach(1, 3)``, or as (relation, values).

        It is told to ``depth`` levels, ``width`` rows of a group and ``nodes`` facts; what is cut is counted.
        """
        bounds = Bounds(depth, width, nodes)
        with self._writing, Ledger(self._runtime, self._rules, bounds.work) as ledger:
            return prove(ledger, self._fact_key(fact), bounds)

    def why_not(self, fact: str | tuple[str, Iterable[object]]) -> WhyNot:
        """Why a fact is absent: for each rule of its relation how far it gets, and what stops it."""
        with self._writing, Ledger(self._runtime, self._rules, Bounds().work) as ledger:
            return refute(ledger, self._fact_key(fact))

    def _fact_key(self, fact: str | tuple[str, Iterable[object]]) -> tuple[str, tuple[int, ...]]:
        self._must_be_open()
        name, values = read_fact(fact, self._rules.functions)
        if name not in self:
            raise self._unknown_relation(name)
        return fact_key(name, values, self._rules.schema[name], self._dictionary)

    def explain(self, *, core: bool = False) -> Explanation:
        """Strata, join orders and indexes; with ``core`` in terms of the rules as they were rewritten."""
        self._must_be_open()
        columns = {name: self._column_names(name) for name in self._rules.schema}
        with self._writing:
            return explain(self._runtime, self._rules, columns, core)

    def profile(self) -> Profile:
        """Time, supports, suspended and revived facts per stratum and rule: of the last epoch, and of all."""
        return self._profiler.profile()

    @property
    def profiling(self) -> bool:
        """Whether the time of rules is sampled, which costs a little."""
        return self._profiler.sampling

    @profiling.setter
    def profiling(self, wanted: bool) -> None:
        self._profiler.sampling = wanted

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes and journals."""
        return self._runtime.partition.relations.memory()

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included; may be read while an epoch runs."""
        relations = self._runtime.partition.relations
        return sum(relations.live(number) for number in range(len(relations.names)))

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
        """Give back the memory and the state folder; the engine cannot be used afterwards."""
        if self._durable is not None and not self._closed:
            self._durable.close()
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
            if self._is_repeated(epoch):
                return
            if parsed is not None:
                epoch.facts += program_facts(parsed, self._rules.functions)
                epoch.text_facts = fact_texts(parsed)
            rules, inserts, deletes = self._prepare(epoch)
            work = self._planner.work(self._rules, rules, inserts, deletes)
            with self._guarded(), self._profiler.watching(self._runtime.partition):
                outcome = self._runtime.run(work)
                self._check_keys(rules, outcome)
                self._make_durable(epoch, rules, outcome)
                self._runtime.commit()
                self._schema = {**self._schema, **rules.schema}
                self._rules = rules
                self.epoch_number += 1
                if epoch.source is not None and epoch.offset is not None:
                    self._offsets[epoch.source] = epoch.offset
            self._planner.note_sizes(outcome, self._rules)
            self._report(epoch, outcome)
            self._profiler.note(outcome, self._rules)
            if self._durable is not None:
                self._durable.snapshot_if_due(self._runtime, self._rules)

    def _guarded(self) -> Guard:
        return Guard(self._runtime.partition.machine)

    def _prepare(self, epoch: Epoch) -> tuple[Ruleset, dict[str, Cells], dict[str, Cells]]:
        """The rule set after the epoch, and the base facts it asserts and retracts."""
        rules = self._rules
        if epoch.program is not None:
            rules = replace(rules, program=replace(epoch.program, rules=rules.program.rules, facts=()))
        if epoch.added or epoch.removed or epoch.program is not None:
            rules = rules.changed(epoch.added, epoch.removed)
        facts = [(s, name, in_order(d, self._column_names(name), name)) for s, name, d in epoch.facts if d.length]
        bound, known = learn(facts, rules.schema)
        if bound or known:
            rules = rules.changed(bound=bound, known=known)
        signed: dict[str, list[tuple[int, Cells]]] = {}
        for sign, name, data in facts:
            types = [t or "number" for t in rules.schema[name]]
            signed.setdefault(name, []).append((sign, encode_rows(name, data, types, self._dictionary)))
        inserts, deletes = net_rows(signed)
        replace_by_key(rules.program, self._runtime.partition.relations, inserts, deletes, self._row_text(rules))
        return rules.holding(inserts), inserts, deletes

    def _check_keys(self, rules: Ruleset, outcome: EpochOutcome) -> None:
        """An epoch that breaks the key of a relation with rules is rolled back (D9)."""
        try:
            check_keys(rules.program, self._runtime.partition.relations, outcome.changes, self._row_text(rules))
        except BaseException:
            self._runtime.rollback()
            raise

    def _row_text(self, rules: Ruleset) -> Callable[[str, Cells], str]:
        def show(name: str, row: Cells) -> str:
            names, types = self._column_names(name), rules.schema[name]
            return show_fact(name, Rows(name, names, types, self._dictionary, row.reshape(1, -1)).rows()[0])

        return show

    def _report(self, epoch: Epoch, outcome: EpochOutcome) -> None:
        epoch.number = self.epoch_number
        changed = [name for name in sorted(outcome.changes) if not name.startswith("__")]
        schema = self._schema

        def change(name: str) -> ChangeSet:
            plus, minus = (self._fixed(name, _part(outcome, name, place), schema) for place in (0, 1))
            return ChangeSet(plus, minus)

        epoch.changes = Changes(changed, change, self.no_change)
        supports: dict[str, int] = {}
        for label, count in outcome.supports.items():
            rule = self._rules.core.get(label)
            name = label if rule is None else rule.root.label or label
            supports[name] = supports.get(name, 0) + count
        epoch.statistics = EpochStatistics(
            outcome.seconds, supports, outcome.suspended, outcome.revived, tuple(outcome.strata)
        )

    def _fixed(
        self, name: str, cells: Cells | Callable[[], Cells], schema: Mapping[str, tuple[str | None, ...]] | None = None
    ) -> Rows:
        types = (schema or self._schema)[name]
        return Rows(name, self._column_names(name)[: len(types)], types, self._dictionary, cells)

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
        if not name.removeprefix("?").isidentifier():  # Soufflé's names may start with `?`
            raise EngineError(f"`{name}` is not a name of a relation: letters, digits and `_`, not a digit first")
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


def _part(outcome: EpochOutcome, name: str, place: int) -> Callable[[], Cells]:
    """The inserted (0) or deleted (1) rows of a relation, read when they are asked for."""
    changes = outcome.changes
    return lambda: changes[name][place]
