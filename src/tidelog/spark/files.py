"""Files and tables of a program on Spark: read as DataFrames for an epoch, written from views.

Law: the rows and files are those of the embedded run. Facts move between files and partitions without passing through
this process, with these exceptions: relations with a key, because their rows are looked up here before they are
replaced; those with records or algebraic values; those from a path in JSON documents; and Turtle and TriG, which are
parsed here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pyarrow import fs

from tidelog.io.delimited import Data
from tidelog.io.files import InputFile, kind_of, read_input
from tidelog.io.nulls import read_policy
from tidelog.io.parameters import JSON, TABLE, TRIG, TURTLE, Layout
from tidelog.io.unread import UnreadRows
from tidelog.program.check import CheckedProgram
from tidelog.program.graph.usable_rows import usable_constants
from tidelog.program.values.shape import Shape
from tidelog.spark.arrivals import Arrival
from tidelog.spark.spark_failures import KEYED_JSON

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.rows.encode import EncodedArrival
    from tidelog.spark.rows.read import FileRows

Types = Sequence[str | None]
Check = Callable[[dict[tuple[str, int], str]], Mapping[str, Types]]
Input: TypeAlias = "Data | UnreadRows | Arrival | DataFrame"


def read_frames(
    spark: SparkSession,
    checked: CheckedProgram,
    files: Sequence[InputFile],
    columns: Callable[[str], tuple[str, ...]],
    check: Check,
    hidden: Collection[str] = (),
) -> list[tuple[str, Input]]:
    """All facts of all files, with types for all columns; ``check`` derives types from those of some columns.

    For ``hidden`` relations, whose rows are never shown, only the rows that a rule can use are read.
    """
    from tidelog.spark.rows.read import narrowed, read_file, read_table, settle_types

    def read(file: InputFile) -> FileRows:
        names = columns(file.relation)
        if file.layout.kind == TABLE:
            table = read_table(spark, file.layout.table or file.relation, file.relation, names)
            found = replace(table, nulls=read_policy(file.layout.nulls, file.relation))
        else:
            found = read_file(spark, file, names, checked.schema[file.relation])
        needed = usable_constants(checked.program, file.relation) if file.relation in hidden else {}
        return narrowed(found, needed)

    keyed = {key.relation for key in checked.program.keys}
    read_here = [file for file in files if _is_document(file) or _is_structured(file, checked)]
    files = [file for file in files if file not in read_here]
    found: list[tuple[str, Input]] = [
        (file.relation, read_input(file, columns(file.relation), checked.schema[file.relation])) for file in read_here
    ]
    for file, reading in zip(files, settle_types([read(f) for f in files], checked.schema, check), strict=True):
        if file.relation in keyed:
            found.append((file.relation, _through_here(file, reading)))
        else:
            found.append(
                (file.relation, Arrival(file.relation, reading.frame, encode=_encoder(reading), nulls=reading.nulls))
            )
    return found


def _is_document(file: InputFile) -> bool:
    """Whether a file cannot be split into rows by lines: Turtle, TriG, and JSON of which a path selects rows."""
    return file.layout.path is not None or kind_of(file) in (TURTLE, TRIG)


def _is_structured(file: InputFile, checked: CheckedProgram) -> bool:
    """Whether a file contains records or variants: these are read here, where they are split into their parts."""
    structured = any(isinstance(type_, Shape) for type_ in checked.schema[file.relation])
    return structured and file.layout.kind != TABLE and kind_of(file) != JSON


def _encoder(reading: FileRows) -> Callable[[Sequence[str] | None, Types | None], EncodedArrival]:
    """A function that encodes a reading, which knows its columns even before the relation is created."""
    return lambda _, types: reading.encoded(reading.names, types)


def _through_here(file: InputFile, reading: FileRows) -> Data | DataFrame:
    """The rows of a relation with a key, read by this process; a table is returned unchanged."""
    if file.layout.kind == TABLE:
        return reading.frame
    if kind_of(file) == JSON:
        raise KEYED_JSON.error(path=file.path, relation=file.relation)
    return read_input(file, reading.names, reading.encoded(reading.names, None).types)


def write_frame(rows: DataFrame, name: str, types: Types, layout: Layout, path: Path) -> None:
    """Write a view to the file or table of its layout; the files that partitions wrote for it are removed."""
    from tidelog.spark.rows.write import write_table, write_view

    try:
        if layout.kind == TABLE:
            write_table(rows, layout.table or name)
        else:
            write_view(rows, name, types, layout, path)
    finally:
        _remove_files(rows)


def _remove_files(rows: DataFrame) -> None:
    """Remove the folder that a DataFrame is read from; a folder that cannot be removed does no harm."""
    with suppress(OSError, ValueError):  # errors of Arrow are of both classes
        for file in rows.inputFiles()[:1]:
            place, path = fs.FileSystem.from_uri(file)
            place.delete_dir(path.rpartition("/")[0])
