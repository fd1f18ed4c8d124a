"""Views: what a user reads of a relation, and of its changes.

Law (D5): a view is a handle that reads the last committed epoch; whatever it returns (a list, a started iteration,
Arrow, pandas, numpy) shows the epoch at which it was read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tidelog.engine.base.asyncio_thread import finished
from tidelog.engine.core.core import Core
from tidelog.engine.read.look_up import matching, size
from tidelog.engine.read.pickling import restore_rows, rows_state
from tidelog.errors import DataError, EngineError
from tidelog.errors.counts import counted
from tidelog.io import html
from tidelog.io.columns import decode_column, encode_value
from tidelog.io.data_frame import to_data_frame
from tidelog.io.fact_text import FactWriter
from tidelog.io.io_failures import NARROWER
from tidelog.io.outside import give_back, is_own
from tidelog.io.rows import Data
from tidelog.io.strings import packed_strings
from tidelog.io.texts import show_text
from tidelog.io.view_files import FileColumns, Kinds, changes_writer, rows_writer
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.ids import symbol_id
from tidelog.program.values.shape import Shape
from tidelog.program.values.source_types import NATURAL, merge
from tidelog.runtime.base.outcome import RowChanges
from tidelog.spark.views import new_folder, remove_old_files, session_or_active
from tidelog.spark.views import to_data_frame as to_spark_frame

if TYPE_CHECKING:
    import pandas as pd

    from tidelog.explain.history import ViewHistory
    from tidelog.spark.types import DataFrame, SparkSession

SHOWN = 10
NUMBERS = ("number", "unsigned", "float")
AS_TEXT = ("list", "record")
DECODED = 1 << 12  # rows converted to Python values at a time
SLICE = 1 << 9  # the same while epochs run concurrently


class Table(Sequence[tuple[Any, ...]]):
    """Rows of cells with names and types of their columns: the part that views, changes and query results share.

    Pickling it, or copying it with `copy.deepcopy`, creates `Rows` with its contents at that moment.
    """

    is_ordered = False  # whether the order of the rows belongs to the answer

    def __init__(
        self,
        names: Sequence[str],
        types: Sequence[str | None],
        dictionary: Dictionary,
        outside: Sequence[str] = (),
    ) -> None:
        self.columns = tuple(names)
        self.types = tuple(types)
        self.outside = tuple(outside) if len(outside) == len(self.types) else (NATURAL,) * len(self.types)
        self._dictionary = dictionary

    def _cells(self) -> Cells:
        raise TypeError("a table has cells")

    def _cells_by_column(self) -> Cells:
        """All cells, for a reader of columns, which may be contiguous in memory."""
        return self._cells()

    def rows(self) -> list[tuple[Any, ...]]:
        """All rows as tuples of Python values."""
        return self._decode(self._cells())

    def head(self, count: int = SHOWN) -> list[tuple[Any, ...]]:
        """A few rows, without reading the others."""
        return self[: max(0, count)]

    def _some_cells(self, first: int, count: int) -> Cells:
        """The cells of ``count`` rows, starting with row ``first``."""
        return self._cells()[first : first + count]

    def _decode(self, cells: Cells) -> list[tuple[Any, ...]]:
        if not self.types:
            return [()] * len(cells)
        decoded = [decode_column(cells[:, i], t, self._dictionary) for i, t in enumerate(self.types)]
        return list(zip(*decoded, strict=True))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._decode_in_turn(self._cells())

    def _decode_in_turn(self, cells: Cells) -> Iterator[tuple[Any, ...]]:
        """Decode rows of cells, some thousands at a time: an iteration that stops early does not pay for the rest."""
        for first in range(0, len(cells), DECODED):
            yield from self._decode(cells[first : first + DECODED])

    async def __aiter__(self) -> AsyncIterator[tuple[Any, ...]]:
        rows = self._decode_in_turn(await finished(self._cells))
        while some := await finished(lambda: list(islice(rows, DECODED))):
            for row in some:
                yield row

    @overload
    def __getitem__(self, place: int) -> tuple[Any, ...]: ...

    @overload
    def __getitem__(self, place: slice) -> list[tuple[Any, ...]]: ...

    def __getitem__(self, place: int | slice) -> tuple[Any, ...] | list[tuple[Any, ...]]:
        """One row or a slice, in the order of `rows`, which is stable until the rows change."""
        if isinstance(place, slice):
            return self._slice(place)
        where = place.__index__()
        found = self._some_cells(where, 1) if where >= 0 else self._cells()[where:][:1]
        if not len(found) or where < -len(self):
            raise IndexError("row index out of range")
        return named_row(self.columns)(self._decode(found)[0])

    def _slice(self, place: slice) -> list[tuple[Any, ...]]:
        first, last = place.start or 0, place.stop
        if place.step in (None, 1) and last is not None and first >= 0 and last >= 0:
            return self._decode(self._some_cells(first, max(0, last - first)))
        return self._decode(self._cells()[place])

    def __len__(self) -> int:
        return len(self._cells())

    def __contains__(self, row: object) -> bool:
        if not isinstance(row, tuple) or len(row) != len(self.types):
            return False
        try:
            wanted = [self._cell(v, t) for v, t in zip(row, self.types, strict=True)]
        except DataError:
            return False
        return self._has(wanted) and ("symbol" not in self.types or self._has_symbols(wanted, row))

    def _has_symbols(self, cells: list[int], row: tuple[object, ...]) -> bool:
        """Whether the symbols behind the found cells are those of the requested row."""
        pairs = zip(cells, self.types, row, strict=True)
        return all(type_ != "symbol" or self._dictionary.decode(cell, type_) == value for cell, type_, value in pairs)

    def _cell(self, value: object, type_: str | None) -> int:
        """The cell of a value to look for; an unknown symbol is not entered into the dictionary."""
        if type_ == "symbol" and isinstance(value, str):
            return symbol_id(value)
        return encode_value(value, type_ or "any", self._dictionary)

    def _has(self, cells: list[int]) -> bool:
        """Whether there is a row of these cells."""
        return bool((self._cells() == np.array(cells, np.int64)).all(axis=1).any())

    def __reduce__(self) -> tuple[Any, ...]:
        kept = rows_state(self._title(), self.columns, self.types, self._dictionary, self._cells(), self.outside)
        return rows_from_state, tuple(kept)

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table; columns have the types of the data that was inserted, if it had types."""
        return self._to_arrow(give_back)

    def _to_arrow(self, convert: Callable[[Cells, str | None, str, Dictionary], pa.Array]) -> pa.Table:
        cells = self._cells_by_column()
        arrays = [
            convert(np.ascontiguousarray(cells[:, i]), t, outside, self._dictionary)
            for i, (t, outside) in enumerate(zip(self.types, self.outside, strict=True))
        ]
        return pa.table(arrays, names=list(self.columns)) if arrays else pa.table({"present": [True] * len(cells)})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as a stream of the Arrow PyCapsule protocol, which DuckDB, Polars, pandas and Arrow accept."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame."""
        return to_data_frame(self.to_arrow())

    def to_spark(self, spark: SparkSession | None = None, *, lists_as_text: bool = False) -> DataFrame:
        """The rows as a Spark DataFrame of the engine's session, the given one, or the active one.

        Lists whose elements have one type become arrays, other lists JSON. With ``lists_as_text`` all are texts in the
        notation of programs.
        """
        return self._spark_frame(spark, lists_as_text)

    def _spark_frame(self, spark: SparkSession | None, as_text: bool) -> DataFrame:
        return self._written_frame(spark, as_text, new_folder(None))

    def _written_frame(self, spark: SparkSession | None, as_text: bool, folder: str) -> DataFrame:
        cells = self._cells()
        outside = () if as_text else self.outside
        write = rows_writer(cells, self.columns, self.types, self._dictionary, lists_as_text=as_text, outside=outside)
        session = session_or_active(spark)
        shown = FileColumns(self.columns, self.types, lists_as_text=as_text, outside=outside)
        return to_spark_frame(session, folder, write, shown)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """The rows as a two-dimensional array: of int64 if all columns are numbers, otherwise of Python values."""
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
        try:
            count = len(self)
        except EngineError as error:
            return f"{self._title()}: {error}"
        lines = [f"{self._title()}: {counted(count, 'row')}"]
        shown = [[str(v) for v in row] for row in self.head()]
        widths = [max(len(r[i]) for r in [list(self.columns), *shown]) for i in range(len(self.columns))]
        if self.columns:
            lines += [
                "  " + "  ".join(v.ljust(w) for v, w in zip(r, widths, strict=True)).rstrip()
                for r in [list(self.columns), *shown]
            ]
        if count > SHOWN:
            lines.append(f"  ... {count - SHOWN:,} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        count = len(self)
        title = html.line(html.text(f"{self._title()}: {counted(count, 'row')}"))
        numbers = [place for place, type_ in enumerate(self.types) if type_ in NUMBERS]
        texts = [tuple(map(show_text, row, self.types)) for row in self.head()]
        rows = html.table(self.columns, texts, numbers=numbers) if self.columns and count else ""
        more = html.line(html.faint(f"... {count - SHOWN:,} more")) if count > SHOWN else ""
        return html.page(title, rows, more)


@lru_cache(maxsize=1000)
def named_row(columns: tuple[str, ...]) -> type[tuple[Any, ...]]:
    """A function that makes one row a tuple with column names, which is where pandas looks for them.

    >>> row = named_row(("src", "dst"))((1, 2))
    >>> row, row == (1, 2), row._fields
    ((1, 2), True, ('src', 'dst'))
    """
    return type("Row", (tuple,), {"__slots__": (), "_fields": columns, "__reduce__": lambda row: (tuple, ([*row],))})


def table_data(table: Table) -> Data:
    """The rows as named columns, as input of an epoch; lists are kept unchanged."""
    cells = table._cells()
    columns = [np.ascontiguousarray(cells[:, i]) for i in range(len(table.types))]
    found = map(partial(_column_data, table._dictionary), columns, table.types, table.outside)
    return Data(tuple(found), len(cells), table.columns)


def _column_data(dictionary: Dictionary, cells: Cells, type_: str | None, outside: str) -> Any:
    if type_ in ("list", "symbol", None) and not is_own(type_, outside):
        return decode_column(cells, type_, dictionary)
    return pa.chunked_array([give_back(cells, type_, outside, dictionary)])


def fact_writer(table: Table, relation: str, convention: str | None) -> FactWriter:
    """The writer of a table's rows as facts of a relation."""
    return FactWriter(relation, table.types, table.outside, convention)


def natural(table: Table) -> Table:
    """The same rows with the natural types of their values, as text files have them."""
    made = object.__new__(type(table))
    made.__dict__.update(table.__dict__)
    made.outside = (NATURAL,) * len(table.types)
    return made


def text_table(table: Table, *, packed: bool = False) -> pa.Table:
    """The rows as an Arrow table for text files, with lists and records in the notation of programs.

    With ``packed``, columns of symbols are dictionary-encoded.
    """
    shown = natural(table)._to_arrow(_packed if packed else give_back)
    if any(type_ in AS_TEXT for type_ in table.types):
        found = table.rows()
        for place, type_ in enumerate(table.types):
            if type_ in AS_TEXT:
                texts = pa.array([show_text(row[place], type_) for row in found], pa.string())
                shown = shown.set_column(place, table.columns[place], texts)
    return shown


def _packed(cells: Cells, type_: str | None, outside: str, dictionary: Dictionary) -> pa.Array:
    found = packed_strings(cells, dictionary) if type_ == "symbol" else None
    return give_back(cells, type_, outside, dictionary) if found is None else found


class View(Table):
    """A relation at the last committed epoch."""

    def __init__(
        self,
        core: Core,
        name: str,
        names: Sequence[str],
        types: Sequence[str | None],
        frame: Callable[[bool, Sequence[str]], DataFrame] | None = None,
    ) -> None:
        super().__init__(names, types, core.dictionary, core.outside(name))
        self.name = name
        self._core = core
        self._frame = frame

    def contains(self, rows: object) -> npt.NDArray[np.bool_]:
        """For each of many rows, in any form that an epoch accepts, whether it is in the view.

        All answers belong to one epoch. A value of the wrong type is an error, while ``row in view`` is then false.
        """
        from tidelog.engine.read.membership import contains_rows

        return contains_rows(self._core, self.name, rows)

    def plot(self) -> ViewHistory:
        """How the view changed, epoch by epoch: a plot in notebooks and from its method `svg`, a table from ``str``.

        With a state folder, the epochs are those in its log. Without one, counting starts at the first call.
        """
        from tidelog.engine.read.epoch_counts import history_of

        return history_of(self._core, self.name)

    def _spark_frame(self, spark: SparkSession | None, as_text: bool) -> DataFrame:
        if self._frame is not None:
            return self._frame(as_text, () if as_text else self.outside)
        folder = new_folder(None)
        self._core.folders.append(folder)
        return self._written_frame(spark, as_text, folder)

    def _cells(self) -> Cells:
        return read_rows(self._core, self.name)

    def _cells_by_column(self) -> Cells:
        return read_rows(self._core, self.name, by_column=True)

    def _decode(self, cells: Cells) -> list[tuple[Any, ...]]:
        """Decode in slices: an epoch that waits for the interpreter can run after each of them."""
        turn = self._core.writing
        if len(cells) <= SLICE or not turn.was_taken_lately:
            return super()._decode(cells)
        found: list[tuple[Any, ...]] = []
        for first in range(0, len(cells), SLICE):
            found += super()._decode(cells[first : first + SLICE])
            turn.read()
        return found

    def _some_cells(self, first: int, count: int) -> Cells:
        self._core.must_be_open()
        self._core.writing.read()
        return self._core.read(lambda facts: facts.some_rows(self.name, first, count))

    def _has(self, cells: list[int]) -> bool:
        return len(matching(self._core, self.name, self._all_columns, cells)) > 0 if cells else len(self) > 0

    def __len__(self) -> int:
        self._core.writing.read()
        return size(self._core, self.name)

    @cached_property
    def _all_columns(self) -> tuple[int, ...]:
        return tuple(range(len(self.types)))

    def _title(self) -> str:
        return self.name


class Rows(Table):
    """Immutable rows; ``cells`` may be a function, which is called when they are first read."""

    def __init__(
        self,
        title: str,
        names: Sequence[str],
        types: Sequence[str | None],
        dictionary: Dictionary,
        cells: Cells | Callable[[], Cells],
        outside: Sequence[str] = (),
    ) -> None:
        super().__init__(names, types, dictionary, outside)
        self._name = title
        self._content = cells
        self.own_texts = 0  # bytes of texts that only these rows hold

    def _cells(self) -> Cells:
        if callable(self._content):
            self._content = self._content()
        return self._content

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


def rows_from_state(*state: Any) -> Rows:
    """Rows that were pickled."""
    return Rows(*restore_rows(*state))


class ChangeSet:
    """What one epoch changed in one relation."""

    def __init__(
        self, inserted: Rows, deleted: Rows, frame: Callable[[bool, Sequence[str]], DataFrame] | None = None
    ) -> None:
        self.inserted = inserted
        self.deleted = deleted
        self._frame = frame

    def to_spark(self, spark: SparkSession | None = None) -> DataFrame:
        """The changes as a Spark DataFrame with a column ``change``: +1 for inserted rows, -1 for deleted ones."""
        if self._frame is not None:
            return self._frame(False, self.inserted.outside)
        plus, minus = self.inserted, self.deleted
        shown = FileColumns(plus.columns, plus.types, signed=True, outside=plus.outside)
        write = changes_writer(plus._cells(), minus._cells(), plus.columns, plus.types, plus._dictionary, plus.outside)
        return to_spark_frame(session_or_active(spark), new_folder(None), write, shown)

    def _section(self, name: str, *, is_open: bool) -> str:
        """A collapsible section of a page, with the counts and a few of the rows."""
        sides = (("+", self.inserted), ("−", self.deleted))
        counts = " ".join(f"{sign}{len(rows):,}" for sign, rows in sides)
        few = [(sign, *map(str, row)) for sign, rows in sides for row in rows.head()]
        more = len(self.inserted) + len(self.deleted) - len(few)
        inside = html.table(("", *self.inserted.columns), few)
        if more:
            inside += html.line(html.faint(f"... {more:,} more"))
        return html.fold(f"{html.code(name)} {html.text(counts)}", inside, is_open=is_open)

    def _repr_html_(self) -> str:
        return html.page(self._section(self.inserted._name, is_open=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return ChangeSet, (self.inserted, self.deleted)

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
    return View(core, name, names, types, frame)


def read_rows(core: Core, name: str, *, by_column: bool = False) -> Cells:
    """The facts of a relation at the last committed epoch."""
    core.must_be_open()
    core.writing.read()
    return core.read(lambda facts: facts.rows(name, by_column=by_column))


def data_frame_maker(
    core: Core, name: str, names: Sequence[str], types: Sequence[str | None], changes: RowChanges | None = None
) -> Callable[[bool, Sequence[str]], DataFrame] | None:
    """On Spark, a function that makes a DataFrame of a relation (lists as text on request) or its changes."""
    if core.closed or core.runtime.session is None or any(isinstance(type_, Shape) for type_ in types):
        return None  # records are assembled in this process

    def make(as_text: bool, outside: Sequence[str]) -> DataFrame:
        def write(folder: str) -> list[Kinds]:
            return core.read(
                lambda facts: facts.write_view(
                    folder, name, names, types, changes, lists_as_text=as_text, outside=outside
                )
            )

        core.must_be_open()
        core.writing.read()
        session, folder = session_or_active(core.runtime.session), new_folder(core.opened.lasting)
        if core.durable is not None and core.durable.writable:
            remove_old_files(session, core.opened.lasting)
        shown = FileColumns(tuple(names), tuple(types), changes is not None, as_text, tuple(outside))
        try:
            return to_spark_frame(session, folder, write, shown, by_partitions=True)
        except DataError as error:
            wider = tuple(merge(type_, NATURAL) for type_ in outside)
            if error.code != NARROWER.code or wider == tuple(outside):
                raise
        finally:
            if core.opened.lasting is None:
                core.folders.append(folder)
        return make(as_text, wider)  # rows of an epoch whose rules widened the column; zones stay

    return make
