"""The engine: a program, its facts, and views that stay true while both change.

Law: after every epoch the state equals evaluation of the current rules over the current base facts from scratch; an
epoch commits whole or leaves no trace. How that is kept is told in docs/design; this module only puts the parts
together.
"""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from tidelog.engine.ask import Asking
from tidelog.engine.durable import Keeping
from tidelog.engine.epoch import Epoch, collect_frames
from tidelog.engine.facts import learn, program_facts
from tidelog.engine.feeds import Feeding
from tidelog.engine.open import open_home
from tidelog.engine.query import read_query
from tidelog.engine.report import Changes, EpochStatistics
from tidelog.engine.view import ChangeSet, Rows, View
from tidelog.errors import EngineError
from tidelog.explain.profile import Profiler
from tidelog.io.rows import encode_rows, in_order
from tidelog.io.texts import show_fact
from tidelog.kernel.cells import Cells
from tidelog.partition.keys import KeyClash, base_keys, check_keys, keyed_elsewhere, replace_by_key
from tidelog.partition.limits import Limits
from tidelog.partition.net import net_rows
from tidelog.plan.planner import Planner, Runtime
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.work import EpochWork
from tidelog.program import SOUFFLE, Program, Rule
from tidelog.program.functions import FUNCTIONS, Function
from tidelog.runtime.coordinator import Coordinator
from tidelog.runtime.interrupts import Guard
from tidelog.runtime.outcome import EpochOutcome, RowChanges
from tidelog.spark.frames import UNKNOWN_SIZE, learn_frames, on_spark, sender
from tidelog.spark.views import new_folder, partition_writer, session_of, to_frame
from tidelog.store.difference import check_same_program, fact_texts
from tidelog.store.durable import HISTORY, Durable
from tidelog.store.rules import ruleset_from_values
from tidelog.store.store import Store
from tidelog.syntax import parse_program, parse_rule, print_rule

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Engine(Asking, Keeping, Feeding):
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
        spark: SparkSession | None = None,
        partitions: int | None = None,
        limits: Limits | None = None,
        functions: Iterable[Function] = (),
    ) -> None:
        table = FUNCTIONS.with_functions(own := tuple(functions))
        parsed = parse_program(program) if isinstance(program, str) else program
        if at is not None and path is None:
            raise EngineError("`at` reads an epoch of a state folder; give its `path` too")
        self._rules = Ruleset(Program(convention=parsed.convention), table)
        self._schema: Mapping[str, tuple[str | None, ...]] = {}  # of every relation there ever was
        self._writing = threading.RLock()
        self._profiler = Profiler()
        self._closed = False
        self._feeds = []
        self.epoch_number = 0
        self._home = open_home(path, at, history, spark, partitions, table, own)
        self._durable = self._home.durable
        self._runtime: Runtime = self._home.runtime
        self._offsets: dict[str, int] = {} if self._durable is None else self._durable.offsets
        try:
            self._runtime.set_limits(limits or Limits())
            self._planner = Planner(self._runtime)
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
        self._fill(durable)
        form = self._planner.placing.next_form(self._rules)
        plan = self._planner.planning(self._rules, {})
        arities = {**image.arities, **{name: len(types) for name, types in form.schema.items()}}
        places = {**durable.placements, **form.places}
        self._runtime.adopt(arities, image.strata, map(plan, form.core.values()), places)
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
        if self._durable is not None:
            self._durable.must_be_exact()
        with self._writing:
            rules, work = self._prepare(epoch)
            with self._guarded(), self._clashes(rules):
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
        names, types = self._column_names(name), self._rules.schema[name]
        return View(name, names, types, self._dictionary, lambda: self._read(name), self._framed(name, names, types))

    def _framed(
        self, name: str, names: Sequence[str], types: Sequence[str | None], changes: RowChanges | None = None
    ) -> Callable[[bool], DataFrame] | None:
        """On Spark: makes the DataFrame of a relation (lists as text if asked for), or of what an epoch changed."""
        runtime = self._runtime
        if not on_spark(runtime):
            return None

        def make(as_text: bool) -> DataFrame:
            run = None if changes is None else runtime.run_of(changes)
            write = partition_writer(runtime, name, names, types, run, lists_as_text=as_text)
            with self._writing:
                self._must_be_open()
                folder, signed = new_folder(self._home.lasting), run is not None
                session = session_of(runtime)
                return to_frame(session, folder, write, names, types, signed=signed, lists_as_text=as_text)

        return make

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
        cells, *_, bases = self._runtime.counts(name)
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
                changes = self._runtime.run(work).changes
                try:
                    cells = changes.get(rule.head.predicate, (np.zeros((0, len(names)), np.int64),))[0]
                finally:
                    self._runtime.rollback()
        return Rows("answers", names, changed.schema[rule.head.predicate], self._dictionary, cells)

    # Size

    @property
    def memory(self) -> int:
        """Bytes held by facts, indexes and journals."""
        return self._runtime.memory

    @property
    def fact_count(self) -> int:
        """The number of facts held, auxiliary relations included; may be read while an epoch runs."""
        return self._runtime.fact_count

    # Closing

    def close(self) -> None:
        """Give back the memory and the state folder; the engine cannot be used afterwards."""
        if not self._closed:
            self._closed = True
            self._home.close()

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
        return self._runtime.dictionary

    def _commit(self, epoch: Epoch, parsed: Program | None) -> None:
        with self._writing:
            if self._is_repeated(epoch):
                return
            if parsed is not None:
                epoch.facts += program_facts(parsed, self._rules.functions)
                epoch.text_facts = fact_texts(parsed)
            rules, work = self._prepare(epoch)
            with self._guarded(), self._profiler.watching(self._runtime.book.partition), self._clashes(rules):
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
            self._feed(outcome.changes)
            if self._durable is not None:
                self._take_snapshot(self._durable, only_if_due=True)

    def _guarded(self) -> Guard:
        return Guard(self._runtime)

    def _prepare(self, epoch: Epoch) -> tuple[Ruleset, EpochWork]:
        """The rule set after the epoch, and the work that leads there."""
        rules = self._rules
        if epoch.program is not None:
            rules = replace(rules, program=replace(epoch.program, rules=rules.program.rules, facts=()))
        if epoch.added or epoch.removed or epoch.program is not None:
            rules = rules.changed(epoch.added, epoch.removed)
        facts = [(s, name, in_order(d, self._column_names(name), name)) for s, name, d in epoch.facts if d.length]
        bound, known = learn(facts, rules.schema)
        if bound or known:
            rules = rules.changed(bound=bound, known=known)
        frames, bound, known = learn_frames(epoch.frames, rules.schema, self._column_names)
        if bound or known:
            rules = rules.changed(bound=bound, known=known)
        signed: dict[str, list[tuple[int, Cells]]] = {}
        for sign, name, data in facts:
            types = [t or "number" for t in rules.schema[name]]
            signed.setdefault(name, []).append((sign, encode_rows(name, data, types, self._dictionary)))
        mixed = {frame.relation: signed.pop(frame.relation, []) for frame in frames}  # summed where the rows arrive
        inserts, deletes = net_rows(signed)
        keys = base_keys(rules.program)
        with self._clashes(rules):
            replace_by_key(keys, self._runtime.rows_with_keys, inserts, deletes)
        rules = rules.holding([*inserts, *mixed])
        keyed = {name: keys[name] for name in mixed if name in keys}
        if keyed and collect_frames(epoch, keyed_elsewhere(keyed, self._planner.placing.next_form(rules).places)):
            return self._prepare(epoch)
        work = self._planner.work(self._rules, rules, inserts, deletes, dict.fromkeys(mixed, UNKNOWN_SIZE))
        if frames and isinstance(self._runtime, Coordinator):
            self._runtime.send = sender(frames)
            work = replace(work, signed=mixed, keys=keyed)
        return rules, work

    def takes_frames(self) -> bool:
        """Whether rows of Spark DataFrames go to the partitions by themselves."""
        return on_spark(self._runtime)

    @contextmanager
    def _clashes(self, rules: Ruleset) -> Iterator[None]:
        """Rows with one key, inserted in one epoch, are told with their values."""
        try:
            yield
        except KeyClash as clash:
            raise clash.told(self._row_text(rules)) from None

    def _check_keys(self, rules: Ruleset, outcome: EpochOutcome) -> None:
        """An epoch that breaks the key of a relation with rules is rolled back (D9)."""
        try:
            check_keys(rules.program, self._runtime.rows_with_keys, outcome.changes, self._row_text(rules))
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
            return ChangeSet(plus, minus, self._framed(name, plus.columns, plus.types, outcome.changes))

        epoch.changes = Changes(changed, change, self.no_change)
        supports: dict[str, int] = {}
        for label, count in outcome.supports.items():
            rule = self._rules.core.get(label)
            if rule is None and label.startswith("__"):  # a copy that several rules may share
                continue
            name = label if rule is None else rule.root.label or label
            supports[name] = supports.get(name, 0) + count
        epoch.statistics = EpochStatistics(
            outcome.seconds,
            supports,
            outcome.suspended,
            outcome.revived,
            tuple(outcome.strata),
            outcome.messages,
            outcome.exchanges,
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
        return self._runtime.rows(name)

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
