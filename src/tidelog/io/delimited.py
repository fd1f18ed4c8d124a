"""Rows in delimited text: tab-separated facts in Soufflé's format, and CSV.

Law: a line is a row, and its cells are read according to the types of the relation's columns; a row that does not fit
is an error that names file, line, column, text and expected type, and then nothing of the file is used. Text is read in
two ways that agree: Arrow's reader, and an exact one that defines the format and finds the place of a mistake.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from tidelog.errors import DataError
from tidelog.io import io_failures as failures
from tidelog.io.bad_rows import BadRows
from tidelog.io.columns import ARROW_TYPES
from tidelog.io.late import compute as pc
from tidelog.io.late import csv as csv_files
from tidelog.io.lent import read_lent
from tidelog.io.match_names import comparable_names, list_names, match_names, other_names, report_ignored
from tidelog.io.structure_texts import split_outside
from tidelog.io.texts import read_text, show_text, souffle_float

READ_TYPES = {**ARROW_TYPES, "symbol": pa.dictionary(pa.int32(), pa.string()), None: pa.string()}
EMPTY_ROW = "()"
WHOLE, DECIMAL = r"^[+-]?[0-9]+$", r"^[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]+)?$"
SHOWN = 80
SAMPLE, SAMPLED_LINES = 1 << 14, 20
WRITTEN = 1 << 15  # rows of a piece
BLOCK = 1 << 20  # bytes that Arrow reads at a time
Data: TypeAlias = "pa.Table | list[tuple[Any, ...]]"


@dataclass(frozen=True, slots=True)
class DelimitedShape:
    """The layout of a text: the relation's columns and how cells are separated. ``picked`` are positions in the file.

    ``headers`` is None if the first line may be a header or a row; ``nulls`` are the columns of the relation whose
    empty cells are nulls.
    """

    where: str
    relation: str
    names: tuple[str, ...]
    types: tuple[str | None, ...]
    delimiter: str = "\t"
    quoted: bool = False
    headers: bool | None = None
    picked: tuple[int, ...] | None = None
    souffle: bool = False
    nulls: tuple[int, ...] = ()


def read_delimited(data: bytes, shape: DelimitedShape) -> Data:
    """The rows of a text, as columns of the relation's types; columns of open type stay text.

    Columns of symbols are dictionary-encoded, which needs a fraction of the memory.

    >>> shape = DelimitedShape("edge.facts", "edge", ("x", "y"), ("number", "symbol"))
    >>> read_delimited(b"1\\ta\\n2\\tb\\n", shape).to_pylist()
    [{'x': 1, 'y': 'a'}, {'x': 2, 'y': 'b'}]
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not shape.types:
        return [()] * sum(1 for _ in _empty_rows(_decode(data, shape), shape))
    data, shape, skipped = without_header(data, shape)
    if not data:
        return _table(shape, [[] for _ in shape.types])
    table = _read_fast(data, shape)
    rows = _read_exactly(data, shape, skipped) if table is None else table
    if shape.headers is None and not skipped and isinstance(rows, pa.Table):
        check_first_row(rows, first_row(data, shape), shape)
    return rows


def read_in_pieces(pieces: Iterable[bytes], shape: DelimitedShape) -> Iterator[pa.Table]:
    """The same for a text without header and quotes in pieces of whole lines; a table for each of them."""
    for number, piece in enumerate(pieces):
        data = piece if number else piece.removeprefix(b"\xef\xbb\xbf")
        table = _read_fast(data, shape, threads=False)
        yield _read_exactly(data, shape, 0) if table is None else table


def _empty_rows(text: str, shape: DelimitedShape) -> Iterator[None]:
    """The rows of a relation without columns: `()`, as Soufflé writes them, or empty lines."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() not in ("", EMPTY_ROW):
            raise failures.NO_COLUMNS.error(
                where=shape.where, number=number, shown=line[:SHOWN], relation=shape.relation
            )
        yield


def _decode(data: bytes, shape: DelimitedShape) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_text(error, data, shape.where) from None


_NOT_TEXTS = {
    b"PK\x03\x04": "a ZIP archive or an Excel workbook: unpack it, or save its sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save its sheet as CSV",
    b"BZh": "compressed with bzip2: unpack it, or compress it with gzip",
    b"\xfd7zXZ": "compressed with xz: unpack it, or compress it with gzip",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it, or compress it with gzip",
    b"PAR1": "a Parquet file: name it `.parquet`, or set IO=parquet",
    b"SQLite format 3": "an SQLite database: export its tables as CSV",
}  # by their first bytes
_NULL_WORDS = frozenset(("null", "na", "n/a", "#n/a", "none", "-"))


def not_text(error: UnicodeDecodeError, data: bytes, where: str) -> DataError:
    """The error for bytes that are not UTF-8, with the line and the probable encoding."""
    line = data.count(b"\n", 0, error.start) + 1
    kind = next((kind for mark, kind in _NOT_TEXTS.items() if data.startswith(mark)), None)
    iconv = f"Convert the file, for example with `iconv -f {probable_encoding(data)} -t utf-8`."
    return failures.NOT_TEXT.error(
        where=where, line=line, byte=data[error.start], advice=iconv if kind is None else f"The file is {kind}."
    )


def probable_encoding(data: bytes) -> str:
    """The probable encoding of text that is not UTF-8: UTF-16 by its mark or zero bytes, otherwise Latin-1.

    >>> probable_encoding("a,b".encode("utf-16")), probable_encoding("é".encode("latin1"))
    ('utf-16', 'latin1')
    """
    return "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:SHOWN] else "latin1"


def without_header(data: bytes, shape: DelimitedShape) -> tuple[bytes, DelimitedShape, int]:
    """The data after a header line, and the columns selected by its names (D36).

    If it is unknown whether there is a header, a first line that equals the names is one, and a line that equals
    them up to case is refused; other lines that look like a header are detected after the rows have been read
    (`check_first_row`).
    """
    if shape.headers is False or not data:
        return data, shape, 0
    first, _, rest = data.partition(b"\n")
    header = next(_split(_decode(first, shape), shape), (0, []))[1]
    if shape.headers is None and sorted(header) != sorted(shape.names):
        own, names = comparable_names(header, shape.names)
        if sorted(own) == sorted(names):
            raise possible_header(shape, header, f"it equals the column names {list_names(shape.names)} up to case")
        return data, shape, 0
    if shape.picked is not None:
        return rest, shape, 1
    picked = match_names(shape.where, shape.names, header)
    if picked is not None:
        report_ignored(shape.where, shape.relation, other_names(shape.names, header))
    return rest, replace(shape, picked=picked), 1


def possible_header(shape: DelimitedShape, cells: Sequence[str], reason: str) -> DataError:
    """The error for a first line that may be a header."""
    line = shape.delimiter.join(cells)
    abbreviated = line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."
    return failures.POSSIBLE_HEADER.error(where=shape.where, line=abbreviated, reason=reason, relation=shape.relation)


def first_row(data: bytes, shape: DelimitedShape) -> list[str]:
    """The cells of the first line that the relation reads."""
    cells = next(_split(_decode(data.partition(b"\n")[0], shape), shape), (0, []))[1]
    return [cells[place] for place in shape.picked] if shape.picked and max(shape.picked) < len(cells) else cells


def are_identifiers(cells: Sequence[str], shape: DelimitedShape) -> bool:
    """Whether a first line may be a header of columns of text: each cell is an identifier."""
    texts = all(type_ in ("symbol", None) for type_ in shape.types)
    return texts and bool(cells) and all(cell.strip().isidentifier() for cell in cells)


def text_above_numbers(cells: Sequence[str], shape: DelimitedShape) -> list[int]:
    """The columns of open type whose first cell is not a number."""
    pairs = enumerate(zip(cells, shape.types, strict=False))
    return [place for place, (cell, type_) in pairs if type_ is None and cell and not re.match(DECIMAL, cell)]


def check_first_row(table: pa.Table, cells: Sequence[str], shape: DelimitedShape) -> None:
    """Refuse a first line that looks like a header (D36): identifiers none of which recurs in its column.

    A text above a column of numbers counts as a name, too; as a value it would turn the column into symbols.
    """
    if len(cells) != table.num_columns:
        return
    if are_identifiers(cells, shape) and not any(map(_recurs, table.columns, cells)):
        raise possible_header(shape, cells, IDENTIFIERS)
    for place in text_above_numbers(cells, shape):
        rest = table.column(place).slice(1)
        if len(rest) and pc.all(pc.match_substring_regex(rest, DECIMAL)).as_py():
            raise possible_header(shape, cells, above_numbers(place))


def check_semicolons(data: bytes, shape: DelimitedShape) -> None:
    """Refuse lines that have the expected number of commas, but look as if semicolons separated the columns (D36)."""
    lines = [line.strip() for line in data[:SAMPLE].split(b"\n")[:SAMPLED_LINES] if line.strip()]
    columns = len(shape.types)
    if columns > 1 and lines and all(line.count(b";") == line.count(b",") == columns - 1 for line in lines):
        raise failures.SEMICOLONS.error(where=shape.where, line=_decode(lines[0], shape), relation=shape.relation)


IDENTIFIERS = "its cells are identifiers that do not occur again in their columns"


def above_numbers(place: int) -> str:
    """The reason why a line whose text is above a column of numbers may be a header."""
    return f"column {place + 1} has only numbers below it"


def _recurs(column: pa.ChunkedArray, cell: str) -> bool:
    """Whether a text occurs in a column more than once; a column of symbols holds each distinct text once per chunk."""
    count = 0
    for chunk in column.chunks:
        if not pa.types.is_dictionary(chunk.type):
            count += pc.sum(pc.equal(chunk, cell)).as_py() or 0
        elif (place := pc.index(chunk.dictionary, cell).as_py()) >= 0:
            count += pc.sum(pc.equal(chunk.indices, place)).as_py() or 0
    return count > 1


def keeps_empty_lines(shape: DelimitedShape) -> bool:
    """Whether an empty line is a row: only in a single column of symbols, where the empty text is a value."""
    return len(shape.types) == 1 and shape.types[0] in ("symbol", None) and shape.picked is None


def _has_lone_returns(data: bytes) -> bool:
    return b"\r" in data and data.count(b"\r") != data.count(b"\r\n")


def _read_fast(data: bytes, shape: DelimitedShape, *, threads: bool = True) -> pa.Table | None:
    """The rows as Arrow's reader reads them; None if it cannot, or would not read each line as one row."""
    if len(shape.delimiter) != 1 or "list" in shape.types or "record" in shape.types or _has_lone_returns(data):
        return None
    places = shape.picked if shape.picked is not None else tuple(range(len(shape.types)))
    names = [f"f{place}" for place in places]
    types = {n: READ_TYPES[t] for n, t in zip(names, shape.types, strict=False)}
    options = {"quote_char": '"', "double_quote": True} if shape.quoted else {"quote_char": False}

    def read(stream: pa.BufferReader) -> pa.Table | None:
        try:
            return csv_files.read_csv(
                stream,
                read_options=csv_files.ReadOptions(
                    autogenerate_column_names=True, use_threads=threads, block_size=BLOCK
                ),
                parse_options=csv_files.ParseOptions(
                    delimiter=shape.delimiter,
                    newlines_in_values=shape.quoted,
                    ignore_empty_lines=not keeps_empty_lines(shape),
                    **options,
                ),
                convert_options=csv_files.ConvertOptions(
                    column_types=types,
                    null_values=[""] if shape.nulls else [],
                    strings_can_be_null=bool(shape.nulls),
                    include_columns=names if shape.picked else [],
                ),
            )
        except (pa.ArrowException, KeyError):
            return None

    table = read_lent(data, read)
    if table is None:
        return None
    if table.num_columns != len(shape.types):
        return None
    columns = [_without_other_nulls(column, place, shape) for place, column in enumerate(table.columns)]
    return None if None in columns else pa.table(columns, names=list(shape.names))


def _without_other_nulls(column: pa.ChunkedArray, place: int, shape: DelimitedShape) -> pa.ChunkedArray | None:
    """A column whose empty cells are nulls or empty texts; None if they are not values of its type."""
    if not column.null_count or place in shape.nulls:
        return column
    return column.cast(pa.string()).fill_null("") if shape.types[place] in ("symbol", None) else None


def _read_exactly(data: bytes, shape: DelimitedShape, skipped: int) -> Data:
    """The rows according to the definition of the format; bad rows are reported."""
    columns: list[list[Any]] = [[] for _ in shape.types]
    bad = BadRows()
    for number, cells in _split(_decode(data, shape), shape):
        empty = not cells if shape.quoted else cells == [""]  # with quotes, `""` is a cell and not an empty line
        if empty and not keeps_empty_lines(shape):
            continue
        try:
            for place, text in enumerate(_select_cells(cells or [""], shape, number + skipped)):
                columns[place].append(_value(text, place, shape, number + skipped))
        except DataError as error:
            bad.add(error)
    bad.raise_if_any()
    return _table(shape, columns)


def _split(text: str, shape: DelimitedShape) -> Iterator[tuple[int, list[str]]]:
    """Each line as its number and its cells."""
    if not shape.quoted:
        lines, structured = text.split("\n"), "record" in shape.types
        if lines[-1] == "":
            lines.pop()
        for number, line in enumerate(lines, 1):
            whole = line.removesuffix("\r")
            yield number, split_outside(whole, shape.delimiter) if structured else whole.split(shape.delimiter)
        return
    if len(shape.delimiter) != 1:
        raise failures.QUOTED_DELIMITER.error(where=shape.where, delimiter=shape.delimiter)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=shape.delimiter, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise failures.QUOTES.error(where=shape.where, line=reader.line_num, error=error) from None


def _select_cells(cells: list[str], shape: DelimitedShape, number: int) -> list[str]:
    if shape.picked is not None and max(shape.picked) < len(cells):
        return [cells[place] for place in shape.picked]
    if shape.picked is None and len(cells) == len(shape.types):
        return cells
    expected = len(shape.types) if shape.picked is None else max(shape.picked) + 1
    line = shape.delimiter.join(cells)
    abbreviated = line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."
    separator = {"\t": "tabs"}.get(shape.delimiter, f"`{shape.delimiter}`")
    least = "at least " if shape.picked is not None else ""
    raise failures.CELLS.error(
        where=shape.where,
        number=number,
        cells=f"{len(cells)} {'column' if len(cells) == 1 else 'columns'}",
        separator=separator,
        relation=shape.relation,
        names=", ".join(shape.names),
        least=least,
        wanted=expected,
        shown=abbreviated,
        guess=_hint(line, shape),
    )


def _hint(line: str, shape: DelimitedShape) -> str:
    """A suggestion of another delimiter that would fit."""
    for other in ("\t", ",", ";", "|", " "):
        if other != shape.delimiter and line.count(other) + 1 == len(shape.types) > 1:
            return f' (did you mean delimiter="{other}"?)'.replace("\t", "\\t")
    return ""


def _value(text: str, place: int, shape: DelimitedShape, number: int) -> Any:
    type_ = shape.types[place]
    if not text and place in shape.nulls:
        return None
    if type_ in (None, "symbol"):
        return text
    try:
        return read_text(text, type_ or "symbol")
    except DataError as error:
        header = shape.headers is None and number == 1
        hint = "; if the first line contains names, set headers=true" if header else ""
        hint += _cell_hint(text, type_)
        column = f"column {place + 1} (`{shape.names[place]}`) of `{shape.relation}`"
        raise error.reworded(f"{shape.where}:{number}: {column}: {error}{hint}; nothing was read") from None


def _cell_hint(text: str, type_: str | None) -> str:
    """What to do about a cell that is not of the type of its column.

    >>> _cell_hint("1,5", "float"), _cell_hint("1.0", "number")
    ('; numbers have a decimal point and no separators of thousands', '; declare the column as float')
    """
    if not text:
        return "; if an empty cell is a null, set nulls=skip or replace it"
    if text.strip().casefold() in _NULL_WORDS:
        return "; if it is a null, leave the cell empty, and set nulls=skip or replace it"
    if type_ in ("number", "unsigned", "float") and re.fullmatch(r"\s*-?\d[\d.,' ]*\s*", text):
        if re.fullmatch(r"-?\d+\.\d*", text):
            return "; declare the column as float"
        return "; numbers have a decimal point and no separators of thousands" if re.search("[,' ]", text) else ""
    return ""


def _table(shape: DelimitedShape, columns: Sequence[list[Any]]) -> Data:
    if (
        "list" in shape.types or "record" in shape.types
    ):  # the elements of a list may be of several kinds, which no Arrow type holds
        return list(zip(*columns, strict=True))
    arrays = [pa.array(c, READ_TYPES[t]) for c, t in zip(columns, shape.types, strict=True)]
    return pa.table(arrays, names=list(shape.names))


def write_delimited(table: pa.Table, types: Sequence[str | None], shape: DelimitedShape) -> bytes:
    """The rows of a table as text, after a header if the shape has one.

    >>> shape = DelimitedShape("", "edge", ("x", "y"), ("number", "symbol"))
    >>> write_delimited(pa.table({"x": [1, 2], "y": ["a", "b"]}), shape.types, shape)
    b'1\\ta\\n2\\tb\\n'
    """
    return b"".join(delimited_pieces(table, types, shape))


def delimited_pieces(table: pa.Table, types: Sequence[str | None], shape: DelimitedShape) -> Iterator[bytes]:
    """The same text in pieces of some thousands of rows, so that it is never in memory as a whole."""
    if not shape.types:
        yield f"{EMPTY_ROW}\n".encode() * int(table.num_rows)
        return
    if shape.headers:
        yield f"{shape.delimiter.join(shape.names)}\n".encode("utf-8", "surrogatepass")
    columns = [_shown_distinct(column, type_, shape) for column, type_ in zip(table.columns, types, strict=True)]
    for first in range(0, table.num_rows, WRITTEN):
        texts = [
            _cell_texts(column.slice(first, WRITTEN), type_, shape) if distinct is None
            else distinct.take(_indices(column.slice(first, WRITTEN)))
            for column, type_, distinct in zip(table.columns, types, columns, strict=True)
        ]  # fmt: skip
        lines = pc.binary_join_element_wise(*texts, shape.delimiter) if len(texts) > 1 else texts[0]
        lines = pc.binary_join_element_wise(lines, "", "\n")
        for chunk in lines.chunks if isinstance(lines, pa.ChunkedArray) else [lines]:
            yield _joined_bytes(chunk)


def _shown_distinct(column: pa.ChunkedArray, type_: str | None, shape: DelimitedShape) -> pa.Array | None:
    """The distinct texts of a column that refers to them by number; None for other columns."""
    if not pa.types.is_dictionary(column.type) or column.num_chunks != 1:
        return None
    texts = _cell_texts(pa.chunked_array([column.chunk(0).dictionary]), type_, shape)
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts


def _indices(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0).indices


def _joined_bytes(texts: pa.Array) -> bytes:
    """The bytes of all texts of an array, which are consecutive in its memory."""
    _, ends, data = texts.buffers()
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    offsets = np.frombuffer(ends, width)[texts.offset : texts.offset + len(texts) + 1]
    found: bytes = b"" if data is None else data.slice(int(offsets[0]), int(offsets[-1] - offsets[0])).to_pybytes()
    return found


def _cell_texts(column: pa.ChunkedArray, type_: str | None, shape: DelimitedShape) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        return column.cast(pa.string())
    if shape.souffle and pa.types.is_floating(column.type):
        return pa.chunked_array([pa.array([souffle_float(value) for value in column.to_pylist()], pa.string())])
    if not pa.types.is_string(column.type):
        return pa.chunked_array([pa.array([show_text(value, type_) for value in column.to_pylist()], pa.string())])
    if type_ == "record" and not shape.quoted:  # delimiters inside brackets belong to the record
        return column
    if shape.quoted:
        special = "[" + "".join("\\" + c for c in shape.delimiter) + '\\n\\r"]|^\ufeff'  # a BOM is not read as text
        special += "|^$" if len(shape.types) == 1 else ""  # an empty line would be skipped after a header
        quoted = pc.binary_join_element_wise('"', pc.replace_substring(column, '"', '""'), '"', "")
        return pc.if_else(pc.match_substring_regex(column, special), quoted, column)
    for bad, name in ((shape.delimiter, "the delimiter"), ("\n", "a line break")):
        place = pc.index(pc.match_substring(column, bad), True).as_py()
        if place >= 0:
            text = repr(column[place].as_py())
            raise failures.NOT_HELD.error(where=shape.where, text=text, relation=shape.relation, name=name)
    return column
