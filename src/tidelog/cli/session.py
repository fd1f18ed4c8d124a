"""A run of a program: loaded in one epoch, then changed epoch by epoch, on the engine or on the circuit.

Law: both kinds of session give the same relations and the same changes; they differ in what they accept (the circuit
runs positive Datalog) and in what they can tell about cost. Reading files and printing are the business of others.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from tidelog.dbsp import DatalogCircuit, Outcome
from tidelog.engine.engine import Engine
from tidelog.engine.facts import program_facts
from tidelog.engine.report import EpochStatistics
from tidelog.errors import EngineError
from tidelog.io.columns import ARROW_TYPES
from tidelog.io.delimited import Data
from tidelog.io.files import write_output
from tidelog.io.parameters import CSV, PARQUET, TEXT, TRIPLES, Layout
from tidelog.io.texts import show_text
from tidelog.partition.limits import Limits
from tidelog.program import Program
from tidelog.program.check import Checked
from tidelog.program.functions import FUNCTIONS
from tidelog.program.ground import ground_value
from tidelog.rewrite.label_rules import label_rules
from tidelog.spark.files import Input, write_frame
from tidelog.spark.frames import Frame
from tidelog.syntax import Epoch, FactChange, RuleAdded, RuleRemoved

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = tuple[Any, ...]
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class ViewChange:
    """What an epoch did to one relation: two counts and a few rows of each kind."""

    inserted: int
    deleted: int
    some_inserted: tuple[Row, ...] = ()
    some_deleted: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One epoch of a session; ``changes`` are those of views, by name."""

    number: int
    seconds: float
    changes: Mapping[str, ViewChange]
    statistics: EpochStatistics = field(default_factory=EpochStatistics)


class Session(Protocol):
    """A program that runs."""

    def load(self, data: Iterable[tuple[str, Input]]) -> Step:
        """The first epoch: the program's rules and facts, and those of its files."""

    def apply(self, epoch: Epoch) -> Step:
        """One epoch of a change script."""

    def table(self, name: str, *, lists_as_text: bool) -> pa.Table:
        """A relation's rows in order."""

    def write(self, name: str, layout: Layout, path: Path) -> None:
        """A relation as a file, or as the table that the layout names."""

    def types(self, name: str) -> tuple[str | None, ...]:
        """The types of a relation's columns."""

    def size(self, name: str) -> int:
        """The number of a relation's facts."""

    @property
    def views(self) -> tuple[str, ...]:
        """The relations that have rules."""

    @property
    def relations(self) -> tuple[str, ...]:
        """All relations."""

    @property
    def fact_count(self) -> int:
        """The number of all facts held; may be asked for while an epoch runs."""

    @property
    def memory(self) -> int | None:
        """Bytes held, where they are known."""

    def profile(self) -> str:
        """Where the time went, if it was asked for before."""

    def close(self) -> None:
        """Nothing comes after this."""


class EngineSession:
    """A program on the engine; with a ``state`` folder, what it commits is kept there.

    A folder that holds a state already is gone on from, or read as it was at an epoch; its program must be the same.
    With a session of Spark the partitions live there, and files are read and written there.
    """

    def __init__(
        self,
        program: Program,
        limits: Limits,
        state: str | None = None,
        resumed: bool = False,
        at: int | None = None,
        profiling: bool = False,
        *,
        spark: SparkSession | None = None,
        partitions: int | None = None,
    ) -> None:
        self._program = program
        self._kept = state is not None
        self._spark = spark
        start: Program | str = program if resumed else ""
        if state is None:
            start = replace(program, rules=(), facts=(), directives=())
        self._db = Engine(start, path=state, at=at, limits=limits, spark=spark, partitions=partitions)
        self._db.profiling = profiling
        self._steps = 0

    def load(self, data: Iterable[tuple[str, Input]]) -> Step:
        """Rules and facts come in one epoch, so that joins are ordered by the sizes of what comes."""
        if self._kept:
            epoch, _ = self._db.epoch_to(self._program)
        else:
            epoch = self._db.epoch()
            epoch.collected.added.extend(label_rules(self._program.rules))
            epoch.collected.facts.extend(program_facts(self._program, FUNCTIONS))
        with epoch:
            for name, rows in data:
                if isinstance(rows, Frame):
                    epoch.collected.frames.append(rows)
                else:
                    epoch.insert(name, rows)
        return self._step(epoch)

    def profile(self) -> str:
        """Time, supports, suspended and revived facts per stratum and rule: of the last epoch, and of all."""
        return str(self._db.profile())

    def close(self) -> None:
        """Give back the state folder."""
        self._db.close()

    def apply(self, epoch: Epoch) -> Step:
        """Committed whole or not at all."""
        with self._db.epoch() as changes:
            for sign, facts in fact_rows(epoch).items():
                for name, rows in facts.items():
                    (changes.insert if sign > 0 else changes.delete)(name, rows)
            for change in epoch:
                if isinstance(change, RuleAdded):
                    changes.add_rule(change.rule)
                elif isinstance(change, RuleRemoved):
                    changes.remove_rule(change.label)
        return self._step(changes)

    def _step(self, epoch: Any) -> Step:
        self._steps += 1
        views = set(self.views)
        changes = {
            name: ViewChange(
                len(change.inserted),
                len(change.deleted),
                tuple(change.inserted.head(EXAMPLES)),
                tuple(change.deleted.head(EXAMPLES)),
            )
            for name, change in epoch.changes.items()
            if name in views
        }
        return Step(self._steps, epoch.statistics.seconds, changes, epoch.statistics)

    def table(self, name: str, *, lists_as_text: bool) -> pa.Table:
        """In order of all columns; symbols by their text, lists by theirs."""
        view = self._db[name]
        table = view.to_arrow()
        if lists_as_text and "list" in view.types:
            rows = view.rows()
            for place, type_ in enumerate(view.types):
                if type_ == "list":
                    texts = pa.array([show_text(row[place], type_) for row in rows], pa.string())
                    table = table.set_column(place, view.columns[place], texts)
        return in_order(table)

    def write(self, name: str, layout: Layout, path: Path) -> None:
        """On Spark by the partitions and Spark's tasks, else from here."""
        if self._spark is None:
            write_output(name, self.table(name, lists_as_text=layout.kind != PARQUET), self.types(name), layout, path)
        else:
            rows = self._db[name].to_spark(lists_as_text=layout.kind in (TEXT, CSV, TRIPLES))
            write_frame(rows, name, self.types(name), layout, path)

    def types(self, name: str) -> tuple[str | None, ...]:
        """As declared, inferred or learnt from data."""
        return self._db[name].types

    def size(self, name: str) -> int:
        """At the last committed epoch."""
        return len(self._db[name])

    @property
    def views(self) -> tuple[str, ...]:
        """The heads of the rules in force."""
        return tuple(sorted({self._db.rule(label).head.predicate for label in self._db.rules}))

    @property
    def relations(self) -> tuple[str, ...]:
        """Those the user knows."""
        return self._db.relations

    @property
    def fact_count(self) -> int:
        """Auxiliary relations included."""
        return self._db.fact_count

    @property
    def memory(self) -> int | None:
        """Of relations, indexes and journals."""
        return self._db.memory


class CircuitSession:
    """A positive program on the indexed circuit of `tidelog.dbsp`."""

    def __init__(self, checked: Checked) -> None:
        if checked.program.keys:
            raise EngineError("the circuit keeps no keys (`materialize`); run this program on the engine")
        self._program = checked.program
        self._schema = dict(checked.schema)
        self._names = {d.relation: [c.name for c in d.columns] for d in checked.program.declarations}
        self._circuit = DatalogCircuit()
        self._epochs = 0
        self._views = {rule.head.predicate for rule in checked.program.rules}

    def load(self, data: Iterable[tuple[str, Input]]) -> Step:
        """The circuit takes rows of Python values."""
        rows: dict[str, list[Row]] = {}
        for name, given in data:
            rows.setdefault(name, []).extend(_rows_of(given))
        began = time.perf_counter()
        self._circuit = DatalogCircuit(self._program, rows)
        return self._step(self._circuit.initial, began)

    def apply(self, epoch: Epoch) -> Step:
        """All changes at once."""
        began = time.perf_counter()
        outcome = self._circuit.run(epoch)
        self._views |= {change.rule.head.predicate for change in epoch if isinstance(change, RuleAdded)}
        return self._step(outcome, began)

    def _step(self, outcome: Outcome, began: float) -> Step:
        seconds = time.perf_counter() - began
        self._epochs += 1
        changes = {}
        for name in sorted(self._views & {*outcome.inserted, *outcome.deleted}):
            come, gone = (sorted(m.get(name, ()), key=repr) for m in (outcome.inserted, outcome.deleted))
            changes[name] = ViewChange(len(come), len(gone), tuple(come[:EXAMPLES]), tuple(gone[:EXAMPLES]))
        return Step(self._epochs, seconds, changes)

    def profile(self) -> str:
        """The circuit does not measure its parts."""
        return "the circuit has no profile; `--stats` tells its times"

    def close(self) -> None:
        """The circuit keeps nothing."""

    def table(self, name: str, *, lists_as_text: bool) -> pa.Table:
        """Lists are text in any case: the circuit knows no types."""
        rows = self._circuit.model().get(name, frozenset())
        types = self.types(name)
        if not types:
            return pa.table({"present": [True] * len(rows)})
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
        names = self._names.get(name) or [f"c{i + 1}" for i in range(len(types))]
        return in_order(pa.table([_array(c, t) for c, t in zip(columns, types, strict=True)], names=names))

    def write(self, name: str, layout: Layout, path: Path) -> None:
        """From here."""
        write_output(name, self.table(name, lists_as_text=layout.kind != PARQUET), self.types(name), layout, path)

    def types(self, name: str) -> tuple[str | None, ...]:
        """As declared or inferred; else those of the values."""
        row: Row = next(iter(self._circuit.model().get(name, ())), ())
        known = tuple(self._schema.get(name, (None,) * len(row)))
        natural = {int: "number", float: "float", str: "symbol", tuple: "list"}
        return tuple(t or natural[type(v)] for t, v in zip(known, row, strict=True)) if row else known

    def size(self, name: str) -> int:
        """After the last epoch."""
        return len(self._circuit.model().get(name, ()))

    @property
    def views(self) -> tuple[str, ...]:
        """Relations that have or had rules."""
        return tuple(sorted(self._views))

    @property
    def relations(self) -> tuple[str, ...]:
        """Those with facts, and those of the program."""
        return tuple(sorted({*self._circuit.model(), *self._schema}))

    @property
    def fact_count(self) -> int:
        """After the last epoch."""
        return sum(map(len, self._circuit.model().values()))

    @property
    def memory(self) -> int | None:
        """The circuit does not know."""
        return None


def fact_rows(epoch: Epoch) -> dict[int, dict[str, list[Row]]]:
    """The rows that an epoch inserts (1) and deletes (-1), by relation."""
    found: dict[int, dict[str, list[Row]]] = {1: {}, -1: {}}
    for change in epoch:
        if isinstance(change, FactChange):
            row = tuple(ground_value(term, FUNCTIONS)[0] for term in change.atom.args)
            found[change.sign].setdefault(change.atom.predicate, []).append(row)
    return found


def in_order(table: pa.Table) -> pa.Table:
    """The rows sorted by all columns that have an order."""
    keys = [(f.name, "ascending") for f in table.schema if not pa.types.is_list(f.type)]
    return table.sort_by(keys) if keys and table.num_rows > 1 else table


def _rows_of(data: Data) -> Sequence[Row]:
    if not isinstance(data, pa.Table):
        return data
    return list(zip(*(column.to_pylist() for column in data.columns), strict=True))


def _array(column: Sequence[Any], type_: str | None) -> pa.Array:
    if type_ == "list":
        return pa.array([show_text(value, type_) for value in column], pa.string())
    return pa.array(column, ARROW_TYPES[type_])
