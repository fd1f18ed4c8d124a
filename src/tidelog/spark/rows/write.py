"""Views as files and tables, written by Spark: text, CSV, Parquet, JSON, tables, N-Triples and N-Quads.

Law (D8): a file has the rows and the form that `io.files` writes, text in order of all columns, and appears completely
or not at all. Tasks write parts into a hidden folder next to the file; there they are joined, byte by byte, so that no
row is decoded in the driver. All tasks have to be able to reach that folder (D20).
"""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
from pyspark.sql import DataFrame

from tidelog.io.files import output_bytes
from tidelog.io.io_failures import NOT_WRITTEN
from tidelog.io.parameters import CSV, JSON, PARQUET, TERMS, TRIG, TURTLE, Layout
from tidelog.spark.rows.read import failures
from tidelog.spark.rows.rows_failures import TURTLE_PARTS
from tidelog.spark.rows.task_errors import carried
from tidelog.spark.session.interpreter import map_in_arrow

Types = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Printer:
    """How a task converts rows to text; a value, because it is sent to the tasks."""

    relation: str
    types: tuple[str | None, ...]
    layout: Layout
    where: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One text per batch, without the last line break, which Spark writes."""
        for batch in batches:
            if batch.num_rows:
                with carried():
                    raw = output_bytes(self.relation, _plain(batch), self.types, self.layout, self.where)
                yield pa.RecordBatch.from_pydict({"value": [raw.removesuffix(b"\n").decode("utf-8")]})


def _plain(batch: pa.RecordBatch) -> pa.Table:
    """Times without a zone, as they are written: in UTC."""
    table = pa.Table.from_batches([batch])
    for place, column in enumerate(table.columns):
        if pa.types.is_timestamp(column.type):
            table = table.set_column(place, table.column_names[place], column.cast(pa.timestamp("us")))
    return table


def write_table(df: DataFrame, table: str) -> None:
    """Write the rows to a table that Spark knows; an existing table of that name is replaced."""
    with failures(f"table {table}"):
        df.write.mode("overwrite").saveAsTable(table)


def write_view(df: DataFrame, relation: str, types: Types, layout: Layout, path: Path) -> None:
    """Write a view to one file; for text, its lists have to be text already (`ViewSchema.lists_as_text`)."""
    if layout.kind in (TURTLE, TRIG):
        raise TURTLE_PARTS.error(path=path, kind=layout.kind, other="ntriples" if layout.kind == TURTLE else "nquads")
    parts = path.with_name(f".{path.name}.{os.getpid()}.parts")
    half = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with failures(str(path)):
            _write_parts(df, relation, tuple(types), layout, path, parts)
        with _opened(half, layout, path) as file:
            if layout.kind not in (PARQUET, JSON):
                file.write(_header(df, relation, tuple(types), layout, path))
            for part in sorted(parts.glob("part-*")):
                with part.open("rb") as source:
                    shutil.copyfileobj(source, file)
        os.replace(half, path)
    except OSError as error:
        raise NOT_WRITTEN.error(path=path, reason=error.strerror or error) from None
    finally:
        shutil.rmtree(parts, ignore_errors=True)
        with suppress(OSError):  # a missing file need not be removed
            half.unlink()


def _write_parts(
    df: DataFrame, relation: str, types: tuple[str | None, ...], layout: Layout, path: Path, parts: Path
) -> None:
    if layout.kind == PARQUET:  # one part: Parquet files cannot be joined byte by byte
        df.coalesce(1).write.parquet(str(parts))
        return
    if layout.kind == JSON:
        df.write.json(str(parts))
        return
    numbered = df.toDF(*(f"f{place}" for place in range(len(df.columns))))  # Spark does not distinguish x from X
    ordered = numbered.orderBy(*numbered.columns)
    if layout.kind in TERMS:
        printer = Printer(relation, types, layout, str(path))
    else:
        names = layout.names or tuple(df.columns)
        quoted = layout.kind == CSV if layout.quoted is None else layout.quoted
        printer = Printer(relation, types, replace(layout, headers=False, quoted=quoted, names=names), str(path))
    map_in_arrow(ordered, printer, "value string").write.text(str(parts))


def _header(df: DataFrame, relation: str, types: tuple[str | None, ...], layout: Layout, path: Path) -> bytes:
    """The bytes before the rows: the text of a view without rows."""
    empty = pa.table({name: pa.array([], pa.string()) for name in df.columns})
    return output_bytes(relation, empty, types, layout, str(path))


@contextmanager
def _opened(half: Path, layout: Layout, path: Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    with half.open("wb") as plain:
        if path.suffix != ".gz" or layout.kind == PARQUET:
            yield plain
            return
        with gzip.GzipFile("", "wb", fileobj=plain, mtime=0) as packed:  # without the name and time of the file
            yield packed
