"""Files and tables of a program on Spark: read as DataFrames on their way into an epoch, written from views.

Law: the rows and files are those of the embedded run. Facts go between files and partitions without passing through
this process; relations with a key are the exception, since their rows are looked up here before they are replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.frames import Frame
from tidelog.io.delimited import Data
from tidelog.io.files import InputFile, read_input
from tidelog.io.parameters import TABLE, Layout
from tidelog.program.check import Checked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Types = Sequence[str | None]
Check = Callable[[dict[tuple[str, int], str]], Mapping[str, Types]]
Input = Data | Frame


def read_frames(
    spark: SparkSession,
    checked: Checked,
    files: Sequence[InputFile],
    columns: Callable[[str], tuple[str, ...]],
    check: Check,
) -> list[tuple[str, Input]]:
    """All facts of all files, with types for all columns; ``check`` gives the types that follow from some."""
    from tidelog.io.spark.read import Reading, read_file, read_table, settle_types

    def read(file: InputFile) -> Reading:
        names = columns(file.relation)
        if file.layout.kind == TABLE:
            return read_table(spark, file.layout.table or file.relation, file.relation, names)
        return read_file(spark, file, names, checked.schema[file.relation])

    keyed = {key.relation for key in checked.program.keys}
    found: list[tuple[str, Input]] = []
    for file, reading in zip(files, settle_types([read(f) for f in files], checked.schema, check), strict=True):
        if file.relation in keyed:
            types = reading.encoded(reading.names, None).types
            found.append((file.relation, read_input(file, reading.names, types)))
        else:
            found.append((file.relation, Frame(file.relation, reading.frame, encode=reading.encoded)))
    return found


def write_frame(rows: DataFrame, name: str, types: Types, layout: Layout, path: Path) -> None:
    """A view as the file or table that its layout asks for."""
    from tidelog.io.spark.write import write_table, write_view

    if layout.kind == TABLE:
        write_table(rows, layout.table or name)
    else:
        write_view(rows, name, types, layout, path)
