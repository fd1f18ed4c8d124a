"""Views: what a user reads of a relation, and of its changes.

Law (D5): a view is a handle that reads the last committed epoch; whatever it gives (a list, an iteration once begun,
Arrow, pandas, numpy) shows the epoch at which it was taken.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tidelog.engine.core import Core
from tidelog.errors import DataError
from tidelog.io.columns import decode_arrow, decode_column, encode_value
from tidelog.io.data_frame import to_data_frame
from tidelog.io.rows import Data
from tidelog.io.view_files import Kinds, changes_writer, rows_writer
from tidelog.kernel.cells import Cells
from tidelog.partition.dictionary import Dictionary
from tidelog.runtime.outcome import RowChanges
from tidelog.spark.views import new_folder, session_or_active
from tidelog.spark.views import to_data_frame as to_spark_frame

if TYPE_CHECKING:
    import pandas as pd

    from tidelog.spark.types import DataFrame, SparkSession

SHOWN = 10


class Table:
    """Rows of cells with names and types of their columns: the part that views, changes and query results share."""

    def __init__(self, names: Sequence[str], types: Sequence[str | None], dictionary: Dictionary) -> None:
        self.columns = tuple(names)
        self.types = tuple(types)
        self._dictionary = dictionary

    def _cells(self) -> Cells:
        raise TypeError("a table has cells")

    def rows(self) -> list[tuple[Any, ...]]:
        """All rows as tuples of Python values."""
        return self._decode(self._cells())

    def head(self, count: int = SHOWN) -> list[tuple[Any, ...]]:
        """A few rows, without decoding the others."""
        return self._decode(self._cells()[:count])

    def _decode(self, cells: Cells) -> list[tuple[Any, ...]]:
        if not self.types:
            return [()] * len(cells)
        decoded = [decode_column(cells[:, i], t, self._dictionary) for i, t in enumerate(self.types)]
        return list(zip(*decoded, strict=True))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows())

    def __len__(self) -> int:
        return len(self._cells())

    def __contains__(self, row: object) -> bool:
        if not isinstance(row, tuple) or len(row) != len(self.types):
            return False
        try:
            wanted = [encode_value(v, t or "any", self._dictionary) for v, t in zip(row, self.types, strict=True)]
        except DataError:
            return False
        return bool((self._cells() == np.array(wanted, np.int64)).all(axis=1).any())

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        cells = self._cells()
        arrays = [
            decode_arrow(np.ascontiguousarray(cells[:, i]), t, self._dictionary) for i, t in enumerate(self.types)
        ]
        return pa.table(arrays, names=list(self.columns)) if arrays else pa.table({"present": [True] * len(cells)})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as a stream of the Arrow PyCapsule protocol: DuckDB, Polars, pandas and Arrow take them so."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame."""
        return to_data_frame(self.to_arrow())

    def to_spark(self, spark: SparkSession | None = None, *, lists_as_text: bool = False) -> DataFrame:
        """The rows as a Spark DataFrame, of the engine's session, the one given, or the active one.

        Lists whose parts are of one type become arrays, others JSON; with ``lists_as_text`` all are text as programs
        write it.
        """
        return self._spark_frame(spark, lists_as_text)

    def _spark_frame(self, spark: SparkSession | None, as_text: bool) -> DataFrame:
        cells = self._cells()
        write = rows_writer(cells, self.columns, self.types, self._dictionary, lists_as_text=as_text)
        session = spark or session_or_active(None)
        return to_spark_frame(session, new_folder(None), write, self.columns, self.types, lists_as_text=as_text)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """The rows as a two-dimensional array: of int64 where all columns are numbers, else of Python values."""
        cells = self._cells()
        if all(t == "number" for t in self.types):
            return cells
        values = np.empty(cells.shape, object)
        for i, type_ in enumerate(self.types):
            values[:, i] = decode_column(cells[:, i], type_, self._dictionary)
        return values

    def _title(self) -> str:
        return "rows"

    def __repr__(self) -> str:
        cells = self._cells()
        lines = [f"{self._title()}: {len(cells):,} {'row' if len(cells) == 1 else 'rows'}"]
        shown = [[str(v) for v in row] for row in self._decode(cells[:SHOWN])]
        widths = [max(len(r[i]) for r in [list(self.columns), *shown]) for i in range(len(self.columns))]
        if self.columns:
            lines += [
                "  " + "  ".join(v.ljust(w) for v, w in zip(r, widths, strict=True)).rstrip()
                for r in [list(self.columns), *shown]
            ]
        if len(cells) > SHOWN:
            lines.append(f"  ... {len(cells) - SHOWN:,} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cells = self._cells()
        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in row) + "</tr>"
            for row in self._decode(cells[:SHOWN])
        )
        more = f"<p>... {len(cells) - SHOWN:,} more</p>" if len(cells) > SHOWN else ""
        title = f"{html.escape(self._title())}: {len(cells):,} rows"
        return f"<table><caption>{title}</caption><tr>{head}</tr>{body}</table>{more}"


def table_data(table: Table) -> Data:
    """The rows as columns with names, on their way into an epoch: lists stay what they are."""
    cells = table._cells()
    columns = [(np.ascontiguousarray(cells[:, i]), type_) for i, type_ in enumerate(table.types)]
    found = (_column_data(column, type_, table._dictionary) for column, type_ in columns)
    return Data(tuple(found), len(cells), table.columns)


def _column_data(cells: Cells, type_: str | None, dictionary: Dictionary) -> Any:
    if type_ in ("list", "symbol", None):
        return decode_column(cells, type_, dictionary)
    return pa.chunked_array([decode_arrow(cells, type_, dictionary)])


class View(Table):
    """A relation at the last committed epoch."""

    def __init__(
        self,
        name: str,
        names: Sequence[str],
        types: Sequence[str | None],
        dictionary: Dictionary,
        read: Callable[[], Cells],
        frame: Callable[[bool], DataFrame] | None = None,
    ) -> None:
        super().__init__(names, types, dictionary)
        self.name = name
        self._read = read
        self._frame = frame

    def _spark_frame(self, spark: SparkSession | None, as_text: bool) -> DataFrame:
        return super()._spark_frame(spark, as_text) if self._frame is None else self._frame(as_text)

    def _cells(self) -> Cells:
        return self._read()

    def _title(self) -> str:
        return self.name


class Rows(Table):
    """Rows that stay as they are; ``cells`` may be given by a function, which is called when they are first read."""

    def __init__(
        self,
        title: str,
        names: Sequence[str],
        types: Sequence[str | None],
        dictionary: Dictionary,
        cells: Cells | Callable[[], Cells],
    ) -> None:
        super().__init__(names, types, dictionary)
        self._name = title
        self._given = cells

    def _cells(self) -> Cells:
        if callable(self._given):
            self._given = self._given()
        return self._given

    def _title(self) -> str:
        return self._name

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rows):
            return sorted(map(repr, self.rows())) == sorted(map(repr, other.rows()))
        return (
            sorted(map(repr, self.rows())) == sorted(map(repr, other))
            if isinstance(other, list | set)
            else NotImplemented
        )

    __hash__ = None  # type: ignore[assignment]  # compared by content


class ChangeSet:
    """What one epoch changed in one relation."""

    def __init__(self, inserted: Rows, deleted: Rows, frame: Callable[[bool], DataFrame] | None = None) -> None:
        self.inserted = inserted
        self.deleted = deleted
        self._frame = frame

    def to_spark(self, spark: SparkSession | None = None) -> DataFrame:
        """The changes as a Spark DataFrame with a column ``change``: +1 for inserted rows, -1 for deleted ones."""
        if self._frame is not None:
            return self._frame(False)
        plus, minus = self.inserted, self.deleted
        names, types = plus.columns, plus.types
        write = changes_writer(plus._cells(), minus._cells(), names, types, plus._dictionary)
        return to_spark_frame(spark or session_or_active(None), new_folder(None), write, names, types, signed=True)

    def __bool__(self) -> bool:
        return len(self.inserted) > 0 or len(self.deleted) > 0

    @cached_property
    def signed(self) -> list[tuple[int, tuple[Any, ...]]]:
        """All changes as (+1 or -1, row)."""
        return [(1, r) for r in self.inserted] + [(-1, r) for r in self.deleted]

    def __repr__(self) -> str:
        return f"+{len(self.inserted):,} -{len(self.deleted):,}"


def open_view(core: Core, name: str) -> View:
    """The view of a relation."""
    core.must_be_open()
    if not isinstance(name, str) or name not in core.rules.schema:
        raise core.unknown_relation(name)
    names, types = core.columns(name), core.rules.schema[name]
    frame = data_frame_maker(core, name, names, types)
    return View(name, names, types, core.dictionary, lambda: read_rows(core, name), frame)


def read_rows(core: Core, name: str) -> Cells:
    """The facts of a relation at the last committed epoch."""
    core.must_be_open()
    return core.runtime.facts.rows(name)


def data_frame_maker(
    core: Core, name: str, names: Sequence[str], types: Sequence[str | None], changes: RowChanges | None = None
) -> Callable[[bool], DataFrame] | None:
    """On Spark: makes the DataFrame of a relation (lists as text if asked for), or of what an epoch changed."""
    if core.runtime.session is None:
        return None

    def make(as_text: bool) -> DataFrame:
        def write(folder: str) -> list[Kinds]:
            return core.runtime.facts.write_view(folder, name, names, types, changes, lists_as_text=as_text)

        with core.writing:
            core.must_be_open()
            session, folder = session_or_active(core.runtime.session), new_folder(core.opened.lasting)
            return to_spark_frame(
                session, folder, write, names, types, signed=changes is not None, lists_as_text=as_text
            )

    return make
