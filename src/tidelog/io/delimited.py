"""Rows in delimited text: tab-separated facts as Soufflé has them, and CSV.

Law: a line is a row, and its cells are read by the types of the relation's columns; a row that does not fit is an error
that names file, line, column, text and expected type, and then nothing of the file is taken. Text is read in two ways
that agree: Arrow's reader, and an exact one that defines the format and finds the place of a mistake.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pyarrow as pa

from tidelog.errors import DataError
from tidelog.io import failures
from tidelog.io.columns import ARROW_TYPES
from tidelog.io.late import compute as pc
from tidelog.io.late import csv as csv_files
from tidelog.io.lent import read_lent
from tidelog.io.structure_texts import split_outside
from tidelog.io.texts import read_text, show_text

READ_TYPES = {**ARROW_TYPES, "symbol": pa.dictionary(pa.int32(), pa.string()), None: pa.string()}
EMPTY_ROW = "()"
SHOWN = 80
Data: TypeAlias = "pa.Table | list[tuple[Any, ...]]"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a text holds: the relation's columns and how cells are told apart. ``picked`` are positions in the file."""

    where: str
    relation: str
    names: tuple[str, ...]
    types: tuple[str | None, ...]
    delimiter: str = "\t"
    quoted: bool = False
    headers: bool | None = None
    picked: tuple[int, ...] | None = None


def read_delimited(data: bytes, shape: Shape) -> Data:
    """The rows of a text, as columns of the relation's types; columns of open type stay text.

    Columns of symbols hold each distinct text once in a while, which is a fraction of the memory of all.

    >>> shape = Shape("edge.facts", "edge", ("x", "y"), ("number", "symbol"))
    >>> read_delimited(b"1\\ta\\n2\\tb\\n", shape).to_pylist()
    [{'x': 1, 'y': 'a'}, {'x': 2, 'y': 'b'}]
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not shape.types:
        return [()] * sum(1 for _ in _empty_rows(_decoded(data, shape), shape))
    data, shape, skipped = without_header(data, shape)
    if not data:
        return _table(shape, [[] for _ in shape.types])
    table = _read_fast(data, shape)
    return _read_exactly(data, shape, skipped) if table is None else table


def _empty_rows(text: str, shape: Shape) -> Iterator[None]:
    """Lines of a relation without columns: `()` as Soufflé writes it, or an empty line."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() not in ("", EMPTY_ROW):
            raise failures.NO_COLUMNS.error(
                where=shape.where, number=number, shown=line[:SHOWN], relation=shape.relation
            )
        yield


def _decoded(data: bytes, shape: Shape) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise failures.NOT_TEXT.error(where=shape.where, line=line, byte=data[error.start]) from None


def without_header(data: bytes, shape: Shape) -> tuple[bytes, Shape, int]:
    """The data behind a header line, and the columns picked by its names."""
    if shape.headers is False or not data:
        return data, shape, 0
    first, _, rest = data.partition(b"\n")
    header = next(_split(_decoded(first, shape), shape), (0, []))[1]
    same = sorted(header) == sorted(shape.names)
    if shape.headers is None and not same:
        return data, shape, 0
    picked = shape.picked
    if same and picked is None:
        picked = tuple(header.index(name) for name in shape.names)
    return rest, replace(shape, picked=picked), 1


def keeps_empty_lines(shape: Shape) -> bool:
    """An empty line is a row only where the empty text is a value: in a single column of symbols."""
    return len(shape.types) == 1 and shape.types[0] in ("symbol", None) and shape.picked is None


def _has_lone_returns(data: bytes) -> bool:
    return b"\r" in data and data.count(b"\r") != data.count(b"\r\n")


def _read_fast(data: bytes, shape: Shape) -> pa.Table | None:
    """The rows by Arrow's reader; None where it cannot read them or would read them otherwise than a line a row."""
    if len(shape.delimiter) != 1 or "list" in shape.types or "record" in shape.types or _has_lone_returns(data):
        return None
    places = shape.picked if shape.picked is not None else tuple(range(len(shape.types)))
    wanted = [f"f{place}" for place in places]
    types = {n: READ_TYPES[t] for n, t in zip(wanted, shape.types, strict=False)}
    options = {"quote_char": '"', "double_quote": True} if shape.quoted else {"quote_char": False}

    def read(stream: pa.BufferReader) -> pa.Table | None:
        try:
            return csv_files.read_csv(
                stream,
                read_options=csv_files.ReadOptions(autogenerate_column_names=True),
                parse_options=csv_files.ParseOptions(
                    delimiter=shape.delimiter,
                    newlines_in_values=shape.quoted,
                    ignore_empty_lines=not keeps_empty_lines(shape),
                    **options,
                ),
                convert_options=csv_files.ConvertOptions(
                    column_types=types,
                    null_values=[],
                    strings_can_be_null=False,
                    include_columns=wanted if shape.picked else [],
                ),
            )
        except (pa.ArrowException, KeyError):
            return None

    table = read_lent(data, read)
    if table is None:
        return None
    fits = table.num_columns == len(shape.types) and all(c.null_count == 0 for c in table.columns)
    return table.rename_columns(list(shape.names)) if fits else None


def _read_exactly(data: bytes, shape: Shape, skipped: int) -> Data:
    """The rows by the definition of the format; raises at the first row that does not fit."""
    columns: list[list[Any]] = [[] for _ in shape.types]
    for number, cells in _split(_decoded(data, shape), shape):
        if cells in ([], [""]) and not keeps_empty_lines(shape):
            continue
        for place, text in enumerate(_picked(cells, shape, number + skipped)):
            columns[place].append(_value(text, place, shape, number + skipped))
    return _table(shape, columns)


def _split(text: str, shape: Shape) -> Iterator[tuple[int, list[str]]]:
    """The cells of every line with its number."""
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


def _picked(cells: list[str], shape: Shape, number: int) -> list[str]:
    if shape.picked is not None and max(shape.picked) < len(cells):
        return [cells[place] for place in shape.picked]
    if shape.picked is None and len(cells) == len(shape.types):
        return cells
    wanted = len(shape.types) if shape.picked is None else max(shape.picked) + 1
    line = shape.delimiter.join(cells)
    shown = line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."
    told = {"\t": "tabs"}.get(shape.delimiter, f"`{shape.delimiter}`")
    least = "at least " if shape.picked is not None else ""
    raise failures.CELLS.error(
        where=shape.where,
        number=number,
        cells=f"{len(cells)} {'column' if len(cells) == 1 else 'columns'}",
        told=told,
        relation=shape.relation,
        names=", ".join(shape.names),
        least=least,
        wanted=wanted,
        shown=shown,
        guess=_hint(line, shape),
    )


def _hint(line: str, shape: Shape) -> str:
    """Another delimiter that would fit."""
    for other in ("\t", ",", ";", "|", " "):
        if other != shape.delimiter and line.count(other) + 1 == len(shape.types) > 1:
            return f' (did you mean delimiter="{other}"?)'.replace("\t", "\\t")
    return ""


def _value(text: str, place: int, shape: Shape, number: int) -> Any:
    type_ = shape.types[place]
    if type_ in (None, "symbol"):
        return text
    try:
        return read_text(text, type_ or "symbol")
    except DataError as error:
        header = shape.headers is None and number == 1
        hint = "; if the first line holds names, say headers=true" if header else ""
        column = f"column {place + 1} (`{shape.names[place]}`) of `{shape.relation}`"
        raise error.reworded(f"{shape.where}:{number}: {column}: {error}{hint}; nothing was read") from None


def _table(shape: Shape, columns: Sequence[list[Any]]) -> Data:
    if (
        "list" in shape.types or "record" in shape.types
    ):  # the elements of a list may be of several kinds, which no Arrow type holds
        return list(zip(*columns, strict=True))
    arrays = [pa.array(c, READ_TYPES[t]) for c, t in zip(columns, shape.types, strict=True)]
    return pa.table(arrays, names=list(shape.names))


def write_delimited(table: pa.Table, types: Sequence[str | None], shape: Shape) -> bytes:
    """The rows of a table as text, a header before them where the shape has one.

    >>> shape = Shape("", "edge", ("x", "y"), ("number", "symbol"))
    >>> write_delimited(pa.table({"x": [1, 2], "y": ["a", "b"]}), shape.types, shape)
    b'1\\ta\\n2\\tb\\n'
    """
    if not shape.types:
        return f"{EMPTY_ROW}\n".encode() * int(table.num_rows)
    texts = [_cell_texts(column, type_, shape) for column, type_ in zip(table.columns, types, strict=True)]
    lines = pc.binary_join_element_wise(*texts, shape.delimiter) if len(texts) > 1 else texts[0]
    header = [shape.delimiter.join(shape.names)] if shape.headers else []
    text: str = "".join(line + "\n" for line in [*header, *lines.to_pylist()])
    return text.encode("utf-8", "surrogatepass")


def _cell_texts(column: pa.ChunkedArray, type_: str | None, shape: Shape) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        return column.cast(pa.string())
    if not pa.types.is_string(column.type):
        return pa.chunked_array([pa.array([show_text(value, type_) for value in column.to_pylist()], pa.string())])
    if type_ == "record" and not shape.quoted:  # delimiters inside brackets are its own
        return column
    special = "[" + "".join("\\" + c for c in shape.delimiter) + '\\n\\r"]' if shape.quoted else None
    if special is not None:
        quoted = pc.binary_join_element_wise('"', pc.replace_substring(column, '"', '""'), '"', "")
        return pc.if_else(pc.match_substring_regex(column, special), quoted, column)
    for bad, name in ((shape.delimiter, "the delimiter"), ("\n", "a line break")):
        found = pc.index(pc.match_substring(column, bad), True).as_py()
        if found >= 0:
            text = repr(column[found].as_py())
            raise failures.NOT_HELD.error(where=shape.where, text=text, relation=shape.relation, name=name)
    return column
