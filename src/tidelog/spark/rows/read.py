"""Files of facts as DataFrames: text, CSV, Parquet, JSON, tables, N-Triples and N-Quads, read by Spark.

Law (D8, D16): the rows of a file are those that `io.files` reads from it. Spark does not know line numbers: a row that
does not fit is marked and, unless the file is too large, its line is found by the exact reader in Python. Only the
first line of a file is read in advance, for its header. Encoding is done by `encode`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tidelog.io.delimited import (
    DECIMAL,
    EMPTY_ROW,
    IDENTIFIERS,
    WHOLE,
    DelimitedShape,
    above_numbers,
    are_identifiers,
    first_row,
    keeps_empty_lines,
    possible_header,
    text_above_numbers,
    without_header,
)
from tidelog.io.files import InputFile, blank_node_file, check_term_columns, kind_of, read_input, shape_of
from tidelog.io.match_names import find_names, other_names, report_ignored
from tidelog.io.nulls import NullPolicy, read_policy
from tidelog.io.parameters import JSON, PARQUET, TERMS
from tidelog.program.values.term import Const
from tidelog.spark.rows.decode import SPARK_TYPES
from tidelog.spark.rows.encode import EncodedArrival, encode
from tidelog.spark.rows.rows_failures import JSON_FIELD, NOT_READ, PACKING
from tidelog.spark.rows.send import first_line
from tidelog.spark.rows.tables import COUNTED, LINE, WRONG
from tidelog.spark.rows.task_errors import error_of_task
from tidelog.spark.rows.texts import text_value
from tidelog.spark.rows.triples import read_statements

EXACT = 1 << 28  # maximum bytes of a file for the exact reader
Types = Sequence[str | None]
Bound = dict[tuple[str, int], str]


@dataclass(frozen=True, slots=True)
class FileRows:
    """The rows read from a file for a relation: columns in the relation's order, and the marks of rows that do not fit.

    In a ``raw`` reading, all columns are text, still to be converted to the types of the relation.
    """

    relation: str
    names: tuple[str, ...]
    frame: DataFrame
    raw: bool
    exact: Callable[[], object] | None = None
    typed: bool = False  # the source has its own types and names
    nulls: NullPolicy | None = None

    def encoded(self, names: Sequence[str] | None, types: Types | None) -> EncodedArrival:
        """The rows as cells; an error in them is reported with its place in the file."""
        names = self.names if names is None else names
        return encode(self.frame, self.relation, names, types, exact=self.exact, typed=self.typed, nulls=self.nulls)


def read_files(
    spark: SparkSession,
    files: Iterable[InputFile],
    names: Mapping[str, Sequence[str]],
    schema: Mapping[str, Types],
    check: Callable[[Bound], Mapping[str, Types]],
) -> list[FileRows]:
    """All files of a program, with types for all columns; ``check`` derives the schema from known types."""
    readings = [read_file(spark, file, names[file.relation], schema[file.relation]) for file in files]
    return settle_types(readings, schema, check)


def read_file(spark: SparkSession, file: InputFile, names: Sequence[str], types: Types) -> FileRows:
    """The rows of a file; those of a text file are still text, see `with_types`."""
    kind, where = kind_of(file), str(file.path)
    nulls = read_policy(file.layout.nulls, where)
    reading = FileRows(file.relation, tuple(names), spark.range(0), False, nulls=nulls)
    with failures(where):
        if kind == PARQUET:
            return replace(reading, frame=_select_columns(spark.read.parquet(where), file), typed=True)
        if kind == JSON:
            return replace(reading, frame=_read_json(spark, file, names, types))
        _check_packing(file.path)
        exact = _exact_reader(file, names, types)
        lines = _lines(spark, where)
        if kind in TERMS:
            check_term_columns(file, kind, len(types))
            own = read_statements(lines, names, blank_node_file(file, kind))
            return replace(reading, frame=own, exact=exact)
        shape = shape_of(file, kind, _head(file.path), names, types)
        frame = _read_delimited(spark, lines, shape, file.path)
        return replace(reading, frame=_with_nulls(frame, shape), raw=bool(types), exact=exact)


def read_table(spark: SparkSession, table: str, relation: str, names: Sequence[str]) -> FileRows:
    """The rows of a table that Spark knows."""
    with failures(f"table {table}"):
        return FileRows(relation, tuple(names), spark.table(table), False, typed=True)


def narrowed(reading: FileRows, constants: Mapping[int, Sequence[Const]]) -> FileRows:
    """Only the rows with one of these constants in each column; with them, Spark skips files and parts of files.

    Text files are read completely, because every error in them is reported. A null in one of these columns is an error,
    not a different value, so its row is kept; other errors in rows that no rule can use are not detected.
    """
    if not reading.typed or len(reading.frame.columns) != len(reading.names):
        return reading
    frame, own = reading.frame, list(reading.frame.columns)
    called = list(reading.names) if set(own) == set(reading.names) else own
    for place, consts in constants.items():
        kind = frame.schema[called[place]].dataType
        fits = T.StringType if consts[0].type == "symbol" else T.IntegralType
        if consts[0].type in ("symbol", "number") and isinstance(kind, fits):
            column = F.col(_quoted(called[place]))
            frame = frame.where(column.isin([const.value for const in consts]) | column.isNull())
    return replace(reading, frame=frame)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def failures(where: str) -> Iterator[None]:
    """Convert Spark errors to Tidelog errors that name the source; a Tidelog error that ended a task is kept."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        if (own := error_of_task(error)) is not None:
            raise own from error
        raise NOT_READ.error(where=where, error=first_line(error)) from error


def _exact_reader(file: InputFile, names: Sequence[str], types: Types) -> Callable[[], object] | None:
    """The reader in Python, which finds the line of an error, for files that are not too large for it."""
    if file.path.stat().st_size > EXACT:
        return None
    return lambda: read_input(file, names, types)


def _check_packing(path: Path) -> None:
    """Check the compression of a file: Spark uses its name, whereas `io.files` examines its contents."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    if packed != (path.suffix == ".gz"):
        problem = (
            "is compressed with gzip, but its name does not end in .gz"
            if packed
            else "is named .gz, but is not compressed with gzip"
        )
        raise PACKING.error(path=path, problem=problem)


def _head(path: Path) -> bytes:
    """The first line of a file."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        return bytes(file.readline())


def _lines(spark: SparkSession, where: str) -> DataFrame:
    raw = spark.read.option("lineSep", "\n").text(where)
    line = F.regexp_replace("value", r"\r\z", "")
    # Tested on the original bytes: regular expressions silently replace invalid UTF-8.
    wrong = F.when(~F.is_valid_utf8("value"), F.lit("not UTF-8 text"))
    return raw.select(line.alias(LINE), wrong.alias(WRONG))


def _read_delimited(spark: SparkSession, lines: DataFrame, shape: DelimitedShape, path: Path) -> DataFrame:
    head = _head(path)
    mark = b"\xef\xbb\xbf"
    if head.startswith(mark):
        head = head.removeprefix(mark)
        lines = lines.withColumn(LINE, F.regexp_replace(LINE, "^\ufeff", ""))
    if not shape.types:
        return _read_empty_rows(lines)
    _, shape, skipped = without_header(head, shape)
    if skipped and not shape.quoted:
        lines = _without_first(lines, head.decode("utf-8").removesuffix("\n").removesuffix("\r"))
    found = _read_quoted(spark, shape, path, skipped, head) if shape.quoted else _split_lines(lines, shape)
    if shape.headers is None and not skipped and head:
        _check_first_row(found, first_row(head.removesuffix(b"\n").removesuffix(b"\r"), shape), shape)
    return found


def _check_first_row(frame: DataFrame, cells: Sequence[str], shape: DelimitedShape) -> None:
    """Apply the law of `delimited.check_first_row`, in one job over the file, and only if the line may be a header."""
    named, may_be_header = text_above_numbers(cells, shape), are_identifiers(cells, shape)
    if len(cells) != len(shape.names) or not (named or may_be_header):
        return
    columns = [F.col(_quoted(name)) for name in shape.names]
    counts = [
        F.count_if(column == cell).alias(f"r{i}") for i, (column, cell) in enumerate(zip(columns, cells, strict=True))
    ]
    texts = [F.count_if(~columns[i].rlike(DECIMAL.removesuffix("$") + r"\z")).alias(f"t{i}") for i in named]
    found = frame.agg(F.count("*").alias("rows"), *counts, *texts).first()
    assert found is not None
    if may_be_header and all(found[f"r{i}"] <= 1 for i in range(len(cells))):
        raise possible_header(shape, cells, IDENTIFIERS)
    for place in named:
        if found["rows"] > 1 and found[f"t{place}"] == 1:
            raise possible_header(shape, cells, above_numbers(place))


def _with_nulls(frame: DataFrame, shape: DelimitedShape) -> DataFrame:
    """Replace empty cells by nulls, in the columns that contain them."""
    for place in shape.nulls:
        name = _quoted(shape.names[place])
        frame = frame.withColumn(shape.names[place], F.when(F.col(name) != "", F.col(name)))
    return frame


def _read_empty_rows(lines: DataFrame) -> DataFrame:
    """The rows of a relation without columns: every line is `()` or empty."""
    fits = F.trim(LINE).isin("", EMPTY_ROW)
    wrong = F.coalesce(F.col(WRONG), F.when(~fits, F.lit("expected `()`, because the relation has no columns")))
    return lines.select(F.lit(True).alias(COUNTED), wrong.alias(WRONG), LINE)


def _without_first(lines: DataFrame, header: str) -> DataFrame:
    """The lines without the header; facts are sets, so it is enough to keep one of the lines that equal it."""
    others = lines.where(F.col(LINE) != header)
    alike = lines.where(F.col(LINE) == header)
    return others if alike.limit(2).count() < 2 else others.union(alike.limit(1))


def _split_lines(lines: DataFrame, shape: DelimitedShape) -> DataFrame:
    cells = F.split(LINE, rf"\Q{shape.delimiter}\E", -1)
    if not keeps_empty_lines(shape):
        lines = lines.where(F.col(LINE) != "")
    places = shape.picked if shape.picked is not None else tuple(range(len(shape.types)))
    size = F.size(cells)
    fits = size > max(places) if shape.picked is not None else size == len(places)
    message = F.concat(size.cast("string"), F.lit(f" columns, but `{shape.relation}` needs {_width(shape, places)}"))
    wrong = F.coalesce(F.col(WRONG), F.when(~fits, message))
    return lines.select(*_named([F.get(cells, F.lit(p)) for p in places], shape), wrong.alias(WRONG), LINE)


def _width(shape: DelimitedShape, places: Sequence[int]) -> str:
    return f"at least {max(places) + 1}" if shape.picked is not None else str(len(places))


def _named(columns: Sequence[Column], shape: DelimitedShape) -> list[Column]:
    return [column.alias(name) for column, name in zip(columns, shape.names, strict=True)]


def _read_quoted(spark: SparkSession, shape: DelimitedShape, path: Path, skipped: int, head: bytes) -> DataFrame:
    """Read CSV with Spark's reader, which reads an empty cell as null and marks rows of another length."""
    width = len(shape.types) if shape.picked is None else head.count(shape.delimiter.encode()) + 1
    places = shape.picked if shape.picked is not None else tuple(range(width))
    fields = [T.StructField(f"f{place}", T.StringType()) for place in range(width)]
    raw = spark.read.csv(
        str(path),
        schema=T.StructType([*fields, T.StructField(LINE, T.StringType())]),
        sep=shape.delimiter,
        quote='"',
        escape='"',
        header=bool(skipped),
        multiLine=True,
        columnNameOfCorruptRecord=LINE,
    )
    message = F.lit(f"the number of columns is not {width}, or a quote is not closed")
    cells = [F.coalesce(F.col(f"f{place}"), F.lit("")) for place in places]
    line_text = F.coalesce(F.col(LINE), F.concat_ws(shape.delimiter, *cells))
    return raw.select(
        *_named(cells, shape), F.when(F.col(LINE).isNotNull(), message).alias(WRONG), line_text.alias(LINE)
    )


def _select_columns(df: DataFrame, file: InputFile) -> DataFrame:
    """The columns that `columns=` selects, by position."""
    if file.layout.columns is None:
        return df
    return df.toDF(*(f"f{i}" for i in range(len(df.columns)))).select(
        *(F.col(f"f{place}") for place in file.layout.columns if place < len(df.columns))
    )


def _read_json(spark: SparkSession, file: InputFile, names: Sequence[str], types: Types) -> DataFrame:
    """Read one object per line, with fields named after the columns. Spark infers the types of columns of unknown type.

    The first object determines the names of the fields: only its line is read in advance.
    """
    where = str(file.path)
    own = _first_fields(spark, where) or list(names)
    places = find_names(names, own)
    if places is None:
        raise JSON_FIELD.error(where=where, field=next(iter(other_names(own, names)), names[0]))
    called = [own[place] for place in places]
    report_ignored(where, file.relation, other_names(names, own))
    known = {n: SPARK_TYPES[t] for n, t in zip(called, types, strict=True) if t not in (None, "list")}
    if len(known) < len(called):
        known = {f.name: known.get(f.name, f.dataType) for f in spark.read.json(where).schema if f.name in called}
    missing = [name for name in called if name not in known]
    if missing:
        raise JSON_FIELD.error(where=where, field=missing[0])
    fields = [T.StructField(name, known[name]) for name in called]
    schema = T.StructType([*fields, T.StructField(LINE, T.StringType())])
    raw = spark.read.schema(schema).option("columnNameOfCorruptRecord", LINE).json(where)
    wrong = F.when(F.col(LINE).isNotNull(), F.lit("not an object with fields of the expected types"))
    columns = [F.col(_quoted(own)).alias(name) for own, name in zip(called, names, strict=True)]
    line_text = F.coalesce(F.col(LINE), F.to_json(F.struct(*columns)))
    return raw.select(*columns, wrong.alias(WRONG), line_text.alias(LINE))


def _first_fields(spark: SparkSession, where: str) -> list[str]:
    """The names of the fields of the first object; empty if the first line is not an object (detected later)."""
    first = spark.read.text(where).where(F.length(F.trim("value")) > 0).first()
    try:
        found = json.loads(first[0]) if first is not None else None
    except ValueError:
        found = None
    return list(found) if isinstance(found, dict) else []


def with_types(reading: FileRows, types: Sequence[str]) -> FileRows:
    """The reading with text converted to values of these types; cells that cannot be converted are marked."""
    if not reading.raw:
        return reading
    frame, columns, wrongs = reading.frame, [], [F.col(WRONG)]
    for place, (name, type_) in enumerate(zip(reading.names, types, strict=True)):
        text = F.col(f"`{name}`")
        value = text_value(text, type_)
        columns.append(value.alias(name))
        failed = (value["__cell"] if type_ == "list" else value).isNull() & text.isNotNull()
        message = F.concat(F.lit(f"column {place + 1} (`{name}`): `"), text, F.lit(f"` is not a {type_}"))
        wrongs += [] if type_ == "symbol" else [F.when(failed, message)]
    return replace(reading, raw=False, frame=frame.select(*columns, F.coalesce(*wrongs).alias(WRONG), LINE))


def settle_types(
    readings: Sequence[FileRows], schema: Mapping[str, Types], check: Callable[[Bound], Mapping[str, Types]]
) -> list[FileRows]:
    """Convert all text of readings; columns whose type is unknown get the types that `io.open_columns` chooses."""
    guesses = _guesses(readings, schema)
    bound: Bound = {}
    for kind in ("symbol", "float", "number"):
        chosen = {place: kind for place, guess in guesses.items() if guess == kind}
        if chosen:
            bound.update({p: kind for p in chosen if schema[p[0]][p[1]] is None})
            schema = check(bound)
    return [with_types(r, [_type_of(r, i, schema, bound) for i in range(len(r.names))]) for r in readings]


def _type_of(reading: FileRows, place: int, schema: Mapping[str, Types], bound: Bound) -> str:
    return bound.get((reading.relation, place)) or schema[reading.relation][place] or "symbol"


def _guesses(readings: Sequence[FileRows], schema: Mapping[str, Types]) -> Bound:
    """The type that each text column of unknown type would have alone; with several files, the widest."""
    found: Bound = {}
    order = ("symbol", "float", "number")
    for reading in readings:
        types = schema[reading.relation]
        places = [place for place in range(len(reading.names)) if types[place] is None] if reading.raw else []
        for place, guess in _guess(reading, places).items():
            known = found.get((reading.relation, place), guess)
            found[reading.relation, place] = min(guess, known, key=order.index)
    return found


def _guess(reading: FileRows, places: Sequence[int]) -> dict[int, str]:
    if not places:
        return {}
    tests = []
    for place in places:
        text = F.col(f"`{reading.names[place]}`")
        for name, pattern in (("w", WHOLE), ("d", DECIMAL)):
            looks = text.rlike(pattern.removesuffix("$") + r"\z")  # Java's $ matches before a final line break
            tests.append(F.bool_and(looks).alias(f"{name}{place}"))
    with failures(reading.relation):
        row = reading.frame.agg(*tests).first()
    assert row is not None
    return {
        place: "number" if row[f"w{place}"] else "float" if row[f"d{place}"] else "symbol"
        for place in places
        if row[f"w{place}"] is not None
    }
