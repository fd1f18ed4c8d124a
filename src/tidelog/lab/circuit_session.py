"""A run of a positive program on the circuit of `tidelog.lab.dbsp`.

Law: relations and changes are those of the engine. The circuit takes rows of Python values, keeps no state folder and
no keys, and knows neither its memory nor a profile.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tidelog.cli.base.cli_failures import CIRCUIT_INSTANCES, CIRCUIT_KEYS, CIRCUIT_PREVIEW
from tidelog.cli.output.tables import in_order
from tidelog.cli.output.view_change import Row, view_change
from tidelog.cli.session.session import SessionEpoch
from tidelog.io.columns import ARROW_TYPES
from tidelog.io.delimited import Data
from tidelog.io.fact_text import FactWriter
from tidelog.io.files import write_output
from tidelog.io.parameters import PARQUET, Layout
from tidelog.io.texts import show_text
from tidelog.lab.dbsp import DatalogCircuit, EpochOutcome
from tidelog.program.check import CheckedProgram
from tidelog.program.graph.choice import split_relations
from tidelog.program.values.column_names import column_names
from tidelog.spark.files import Input
from tidelog.syntax import Epoch, InstanceAdded, InstanceRemoved, RuleAdded, is_preview


class CircuitSession:
    """A positive program on the indexed circuit of `tidelog.lab.dbsp`."""

    def __init__(self, checked: CheckedProgram) -> None:
        if checked.program.keys or split_relations(checked.program):
            raise CIRCUIT_KEYS.error()
        self._program = replace(checked.program, rules=checked.rules)
        self._schema = dict(checked.schema)
        self._circuit = DatalogCircuit()
        self._epochs = 0
        self._views = {rule.head.predicate for rule in checked.program.rules}

    def load(self, data: Iterable[tuple[str, Input]]) -> SessionEpoch:
        """The circuit takes rows of Python values."""
        rows: dict[str, list[Row]] = {}
        for name, given in data:
            rows.setdefault(name, []).extend(_rows_of(given))
        began = time.perf_counter()
        self._circuit = DatalogCircuit(self._program, rows)
        return self._step(self._circuit.initial, began)

    def apply(self, epoch: Epoch) -> SessionEpoch:
        """All changes at once."""
        if any(isinstance(change, InstanceAdded | InstanceRemoved) for change in epoch):
            raise CIRCUIT_INSTANCES.error()
        if is_preview(epoch):
            raise CIRCUIT_PREVIEW.error()
        began = time.perf_counter()
        outcome = self._circuit.run(epoch)
        self._views |= {change.rule.head.predicate for change in epoch if isinstance(change, RuleAdded)}
        return self._step(outcome, began)

    def _step(self, outcome: EpochOutcome, began: float) -> SessionEpoch:
        seconds = time.perf_counter() - began
        self._epochs += 1
        changes = {}
        for name in sorted(self._views & {*outcome.inserted, *outcome.deleted}):
            inserted, deleted = (sorted(m.get(name, ()), key=repr) for m in (outcome.inserted, outcome.deleted))
            write = FactWriter(name, self._schema.get(name, ()), convention=self._program.convention)
            changes[name] = view_change(inserted, deleted, write, write)
        return SessionEpoch(self._epochs, seconds, changes)

    def profile(self) -> str:
        """The circuit does not measure its parts."""
        return "the circuit has no profile; use `--stats` to print its times"

    def close(self) -> None:
        """The circuit keeps nothing."""

    def table(self, name: str, *, lists_as_text: bool) -> pa.Table:
        """Lists are text in any case: the circuit knows no types."""
        rows = self._circuit.model().get(name, frozenset())
        types = self.types(name)
        if not types:
            return pa.table({"present": [True] * len(rows)})
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(types)
        names = column_names(self._program, name, len(types))
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

    def undefined(self, name: str) -> None:
        """Nothing: programs on the circuit are stratified."""

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


def _rows_of(data: Data) -> Sequence[Row]:
    if not isinstance(data, pa.Table):
        return data
    return list(zip(*(column.to_pylist() for column in data.columns), strict=True))


def _array(column: Sequence[Any], type_: str | None) -> pa.Array:
    if type_ == "list":
        return pa.array([show_text(value, type_) for value in column], pa.string())
    return pa.array(column, ARROW_TYPES[type_])
