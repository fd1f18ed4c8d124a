"""What an epoch does to the records of a relation, and how that is laid out in Arrow.

Law: a delta is physical: it contains row numbers and the cells of these rows afterwards, so that replaying it evaluates
nothing. Inserted and deleted facts include their columns: read as changes of facts, the same delta is the change feed
of the relation. A snapshot is the delta from nothing.

    changed   row, state, counts          of facts that stay
    inserted  columns, state, counts      of new facts, in the rows that ``rows`` names
    deleted   row, columns

In the files the last two are called ``added`` and ``removed``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tidelog.store.base.corruption import ImpossibleError
from tidelog.store.base.frame import Bytes
from tidelog.store.base.header import MOST_COLUMNS
from tidelog.store.base.message import read_batch

Cells = npt.NDArray[np.int64]
CELLS = pa.large_list(pa.int64())
MOST_ROWS = 1 << 31  # of a relation: row numbers have 31 bits
SCHEMA = pa.schema(
    [
        ("relation", pa.utf8()),
        ("types", pa.utf8()),
        ("arity", pa.int32()),
        ("base", pa.int64()),
        ("changed", CELLS),
        ("rows", CELLS),
        ("added", CELLS),
        ("removed", CELLS),
    ]
)


@dataclass(frozen=True, slots=True)
class Delta:
    """The changes of one relation. ``types`` are those of its columns then; ``base`` is what its ranks count from.

    Consecutive rows, the usual case if many facts are inserted, are represented by the first alone. Where an epoch
    changes the types of columns, ``types_before`` are those of the deleted facts, if there are any.
    """

    relation: str
    types: tuple[str | None, ...]
    arity: int
    base: int
    changed: Cells
    rows: Cells
    inserted: Cells
    deleted: Cells
    types_before: tuple[str | None, ...] | None = None

    def places(self) -> Cells | slice:
        """The rows of the inserted records."""
        if len(self.rows) == len(self.inserted) != 1:
            return self.rows
        first = int(self.rows[0])
        return slice(first, first + len(self.inserted))


def named(rows: Cells) -> Cells:
    """The rows as a delta stores them.

    >>> named(np.array([4, 5, 6])), named(np.array([4, 6]))
    (array([4]), array([4, 6]))
    """
    consecutive = len(rows) > 1 and rows[-1] - rows[0] + 1 == len(rows) and (np.diff(rows) == 1).all()
    return rows[:1] if consecutive else rows


def encode_deltas(deltas: Sequence[Delta]) -> Bytes:
    """One Arrow IPC message with a line per relation."""
    columns = [
        pa.array([d.relation for d in deltas], pa.utf8()),
        pa.array([_types_text(d) for d in deltas], pa.utf8()),
        pa.array([d.arity for d in deltas], pa.int32()),
        pa.array([d.base for d in deltas], pa.int64()),
        *(_lists([getattr(d, part) for d in deltas]) for part in ("changed", "rows", "inserted", "deleted")),
    ]
    return memoryview(pa.record_batch(columns, schema=SCHEMA).serialize())


def _types_text(delta: Delta) -> str:
    type_lists = (delta.types,) if delta.types_before is None else (delta.types, delta.types_before)
    return "|".join(",".join(t or "" for t in types) for types in type_lists)


def _read_types(text: str, arity: int) -> tuple[str | None, ...]:
    return tuple(t or None for t in text.split(",")) if text or arity else ()


def _lists(parts: list[Cells]) -> pa.Array:
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([part.size for part in parts], out=offsets[1:])
    cells = parts[0].ravel() if len(parts) == 1 else np.concatenate([p.ravel() for p in parts])
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(cells))


def decode_deltas(message: memoryview) -> Iterator[Delta]:
    """The deltas of a message; their cells are views of it.

    Inserted records that make up most of what was read are writable, and can be used without a copy.
    """
    batch = read_batch(message, SCHEMA, "deltas")
    names, types, arities, bases = (batch.column(i).to_pylist() for i in range(4))
    lists = [(c.offsets.to_numpy(), _values(c)) for c in (batch.column(i) for i in range(4, 8))]
    for i, name in enumerate(names):
        arity = arities[i]
        if not 0 <= arity < MOST_COLUMNS:
            raise ImpossibleError(f"`{name}` has {arity} columns")
        changed, rows, inserted, deleted = (cells[offsets[i] : offsets[i + 1]] for offsets, cells in lists)
        after, bar, before = types[i].partition("|")
        delta = Delta(
            name,
            _read_types(after, arity),
            arity,
            bases[i],
            _table(changed, 3, name),
            rows,
            _table(_writable(inserted, message), arity + 2, name),
            _table(deleted, arity + 1, name),
            _read_types(before, arity) if bar and len(deleted) else None,
        )
        _check(delta)
        yield delta


def _values(column: pa.Array) -> Cells:
    if column.values.null_count:
        raise ImpossibleError("it contains null cells")
    found: Cells = column.values.to_numpy()
    return found


def _table(cells: Cells, width: int, name: str) -> Cells:
    """Cells as rows of a table."""
    if len(cells) % width:
        raise ImpossibleError(f"records of `{name}` are incomplete")
    return cells.reshape(-1, width)


def _check(delta: Delta) -> None:
    """Check that rows occur once each, with valid row numbers, and that there are as many types as columns, or none."""
    name = delta.relation
    if len(delta.rows) not in (len(delta.inserted), min(1, len(delta.inserted))):
        raise ImpossibleError(f"`{name}` has {len(delta.inserted)} new records, but {len(delta.rows)} rows for them")
    for rows in (delta.rows, delta.changed[:, 0], delta.deleted[:, 0]):
        if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) + len(delta.inserted) < MOST_ROWS:
            raise ImpossibleError(f"`{name}` has no row {int(rows.min())} to {int(rows.max())}")
        if not _are_distinct(rows):
            raise ImpossibleError(f"`{name}` refers to a row twice")
    for types in (delta.types, delta.types_before if len(delta.deleted) else None):
        if types and any(types) and len(types) != delta.arity:
            raise ImpossibleError(f"`{name}` has {delta.arity} columns, but {len(types)} types")


def _are_distinct(rows: Cells) -> bool:
    return bool((np.diff(rows) > 0).all()) or len(np.unique(rows)) == len(rows)


def _writable(cells: Cells, message: memoryview) -> Cells:
    """The same cells, writable if their memory is, and if keeping that memory wastes less than half of it."""
    if message.readonly or 2 * cells.nbytes < memoryview(message.obj).nbytes:
        return cells
    whole = np.frombuffer(message, np.uint8)
    start = cells.ctypes.data - whole.ctypes.data
    return whole[start : start + cells.nbytes].view(np.int64)
