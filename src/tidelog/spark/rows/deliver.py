"""The work of a Spark task on its encoded rows: deliver them to the partitions, and report.

Law: one report per attempt, whatever happens; entries are delivered before the rows that need them; after a bad row
nothing more is delivered. This module needs neither PySpark nor pandas, so that tasks start quickly: arrays are created
from memory, because Arrow imports pandas with the first array that it creates from Python objects.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from tidelog.errors import TidelogError
from tidelog.io.vectors import from_vector, to_vector
from tidelog.spark.resident.wire import encode_error
from tidelog.spark.rows.tables import (
    BAD,
    ENTRY_SCHEMA,
    EXAMPLE,
    SIGN,
    Descriptor,
    RowEndpoint,
    cell_names,
    entry_owners,
)

OWNER = "owner"
BUFFERED = 1 << 17  # rows that a task buffers before it delivers them
REMEMBERED = 1 << 20  # values that a task remembers having sent
REPORT = "attempt string, rows bigint, entries bigint, bad bigint, reason string, example string, failure binary"
REPORT_SCHEMA = pa.schema(
    [("attempt", pa.string())]
    + [(name, pa.int64()) for name in ("rows", "entries", "bad")]
    + [("reason", pa.string()), ("example", pa.string()), ("failure", pa.binary())]
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a task processes its rows; a value, because it is sent to the tasks."""

    relation: str
    arity: int
    kinds: tuple[tuple[int, bool], ...]  # columns of ids, and whether they are lists
    endpoints: tuple[RowEndpoint, ...]
    stage: str
    owned: bool = False  # rows have an owner; otherwise all are sent to partition 0
    mirrored: bool = False  # all rows are sent to every partition

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Deliver the rows of one task and report."""
        run, failure = Run(self, uuid.uuid4().hex), None
        try:
            for batch in batches:
                run.take(batch)
            run.flush()
        except TidelogError as error:  # of a partition; repeating the task would not help
            failure = encode_error(error, traced=False)
        yield run.report(failure)


@dataclass(slots=True)
class Run:
    """One attempt of a task: the pending and the delivered rows."""

    delivery: Delivery
    attempt: str
    waiting: dict[tuple[int, int], list[pa.Table]] = field(default_factory=dict)
    held: int = 0
    known: dict[int, set[bytes]] = field(default_factory=dict)
    entries: list[pa.Table] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: {"rows": 0, "entries": 0, "bad": 0})
    first_bad: tuple[str | None, str | None] = (None, None)  # why it is bad, and the row

    def take(self, batch: pa.RecordBatch) -> None:
        """Sort a batch by owner and sign; after a bad row, only bad rows are counted."""
        table = self._without_bad(pa.Table.from_batches([batch]))
        if self.counts["bad"] or not table.num_rows:
            return
        for place, is_list in self.delivery.kinds:
            self._note_entries(place, is_list, table)
        cells = table.select(cell_names(self.delivery.arity))
        self._share(cells, table)
        self.held += table.num_rows
        self.counts["rows"] += table.num_rows
        if self.held >= BUFFERED:
            self.flush()

    def _without_bad(self, table: pa.Table) -> pa.Table:
        reasons = table.column(BAD)
        bad = len(reasons) - reasons.null_count
        if not bad:
            return table
        if not self.counts["bad"]:
            first = reasons.is_valid().index(True).as_py()
            self.first_bad = (reasons[first].as_py(), table.column(EXAMPLE)[first].as_py())
        self.counts["bad"] += bad
        return table.slice(0, 0)

    def _share(self, cells: pa.Table, table: pa.Table) -> None:
        signs = to_vector(table.column(SIGN), np.int64)
        owners = to_vector(table.column(OWNER), np.int32) if self.delivery.owned else np.zeros(len(signs), np.int32)
        for sign in np.unique(signs).tolist():
            for owner in np.unique(owners[signs == sign]).tolist():
                chosen = np.flatnonzero((owners == owner) & (signs == sign))
                part = cells if len(chosen) == len(signs) else cells.take(from_vector(chosen, pa.int64()))
                self.waiting.setdefault((owner, sign), []).append(part)

    def _note_entries(self, place: int, is_list: bool, table: pa.Table) -> None:
        """Add the entries of values not sent before; by value, not by id, so that the owner sees colliding ids."""
        coded = table.column(f"v{place}").combine_chunks().dictionary_encode()
        if isinstance(coded, pa.ChunkedArray):
            coded = coded.chunk(0)
        known = self.known.setdefault(place, set())
        values = coded.dictionary.to_pylist()
        fresh = [i for i, value in enumerate(values) if value not in known]
        if not fresh:
            return
        _, firsts = np.unique(to_vector(coded.indices, np.int32), return_index=True)
        ids = from_vector(to_vector(table.column(f"c{place}"), np.int64)[firsts[fresh]], pa.int64())
        lists = pa.Array.from_buffers(pa.bool_(), len(fresh), [None, _bits(len(fresh), is_list)])
        texts = coded.dictionary.take(from_vector(np.array(fresh, np.int64), pa.int64())).cast(pa.large_binary())
        self.entries.append(pa.Table.from_arrays([ids, lists, texts], schema=ENTRY_SCHEMA))
        self.counts["entries"] += len(fresh)
        if len(known) + len(fresh) > REMEMBERED:
            known.clear()  # sending an entry again is harmless
        known.update(values[i] for i in fresh)

    def flush(self) -> None:
        """Deliver pending data: entries first, so that a partition has the entries that the rows need."""
        if self.counts["bad"]:
            return
        self._deliver_entries()
        for (owner, sign), parts in sorted(self.waiting.items()):
            self._deliver_rows(owner, sign, pa.concat_tables(parts))
        self.waiting.clear()
        self.held = 0

    def _deliver_entries(self) -> None:
        if not self.entries:
            return
        table, endpoints = pa.concat_tables(self.entries), self.delivery.endpoints
        owners = entry_owners(table.column("cell").to_pylist(), len(endpoints))
        for owner in np.unique(owners).tolist():
            owned = from_vector(np.flatnonzero(owners == owner), pa.int64())
            endpoints[owner].deliver(self._label("entries"), table.take(owned))
        self.entries.clear()

    def _deliver_rows(self, owner: int, sign: int, table: pa.Table) -> None:
        label = {**self._label("rows"), "relation": self.delivery.relation, "sign": sign}
        for endpoint in self.delivery.endpoints if self.delivery.mirrored else (self.delivery.endpoints[owner],):
            endpoint.deliver(label, table)

    def _label(self, kind: str) -> Descriptor:
        return {"kind": kind, "stage": self.delivery.stage, "attempt": self.attempt}

    def report(self, failure: bytes | None) -> pa.RecordBatch:
        """The report of the attempt: one row for the driver."""
        reason, example = self.first_bad
        row = {"attempt": self.attempt, **self.counts, "reason": reason, "example": example, "failure": failure}
        arrays = [_single(row[field.name], field.type) for field in REPORT_SCHEMA]
        return pa.RecordBatch.from_arrays(arrays, schema=REPORT_SCHEMA)


def _single(value: str | bytes | int | None, type_: pa.DataType) -> pa.Array:
    """An array of one value, or of one null."""
    if isinstance(value, int):
        return from_vector(np.array([value], np.int64), type_)
    data = value.encode() if isinstance(value, str) else value or b""
    ends = pa.py_buffer(np.array([0, len(data)], np.int32))
    present = None if value is not None else pa.py_buffer(b"\0")
    return pa.Array.from_buffers(type_, 1, [present, ends, pa.py_buffer(data)])


def _bits(count: int, value: bool) -> pa.Buffer:
    return pa.py_buffer((b"\xff" if value else b"\0") * (count // 8 + 1))
