"""The tables that Spark tasks and partitions exchange: tables of cells and tables of dictionary entries.

Law: rows of a relation are sent as int64 columns c0, c1, ...; a relation without columns is sent as one column that
only counts. An entry consists of the id, whether it is a list, and its value: the UTF-8 of a symbol, the JSON of a
list, in the form that state folders use, too. This module does not need PySpark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import xxhash

from tidelog.io.vectors import to_vector
from tidelog.partition.texts.ids import SEED, to_signed
from tidelog.partition.texts.texts import from_bytes
from tidelog.program.values.term import Value

ENTRY_SCHEMA = pa.schema([("cell", pa.int64()), ("list", pa.bool_()), ("value", pa.large_binary())])
COUNTED = "present"
BAD, EXAMPLE, SIGN = "bad", "example", "sign"  # columns sent to the tasks in addition to the cells
WRONG, LINE = "__wrong", "__line"  # the problem that a reader of files found in a row, and the row as written there
Cells = npt.NDArray[np.int64]
Descriptor = dict[str, Any]


class RowEndpoint(Protocol):
    """The connection to one partition, as a value that can be sent to a task."""

    def deliver(self, descriptor: Descriptor, table: pa.Table) -> None:
        """Deliver a table; raises if that fails."""


def cell_names(arity: int) -> list[str]:
    """The names of the columns of a table of cells.

    >>> cell_names(2), cell_names(0)
    (['c0', 'c1'], ['present'])
    """
    return [f"c{i}" for i in range(arity)] or [COUNTED]


def cells_of(table: pa.Table) -> Cells:
    """The rows of a table of cells: one line per row, without columns for a relation that has none."""
    if table.column_names == [COUNTED]:
        return np.zeros((table.num_rows, 0), np.int64)
    matrix: Cells = np.empty((table.num_rows, table.num_columns), np.int64)
    for place, column in enumerate(table.columns):
        matrix[:, place] = to_vector(column, np.int64)
    return matrix


def entries_of(table: pa.Table) -> list[tuple[int, Value]]:
    """The entries of a table of entries.

    >>> entries_of(pa.table([[7, 8], [False, True], [b"a", b'[1, ["b"]]']], schema=ENTRY_SCHEMA))
    [(7, 'a'), (8, (1, ('b',)))]
    """
    cells, kinds, values = (column.to_pylist() for column in table.columns)
    return [(cell, from_bytes(raw, is_list)) for cell, is_list, raw in zip(cells, kinds, values, strict=True)]


def entry_owners(cells: Sequence[int], partitions: int) -> Cells:
    """The owner of each id, by the law of `partition.owner`; without a kernel, for tasks that start quickly."""
    digest = xxhash.xxh64_intdigest
    return np.array([to_signed(digest(_bytes(cell), SEED)) % partitions for cell in cells], np.int64)


def _bytes(cell: int) -> bytes:
    return cell.to_bytes(8, "little", signed=True)
