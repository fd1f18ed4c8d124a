"""Views and changes as Spark DataFrames.

Law (D5): a DataFrame reads files that are written when it is asked for and never change, so that it shows its epoch
after later epochs and after the engine is closed. On Spark every partition writes its own rows; facts do not pass
through this process. Files lie in the state folder, or in a folder that lasts as long as this process.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from tidelog.io.view_files import Kinds, Types, Write
from tidelog.rewrite.place.placement import MIRRORED
from tidelog.runtime.coordinator import Coordinator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@cache
def _lasting() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="tidelog-views-")


def new_folder(state: str | None) -> str:
    """A folder for the files of one DataFrame."""
    return f"{state or _lasting().name}/views/{uuid.uuid4().hex}"


def to_frame(
    spark: SparkSession,
    folder: str,
    write: Write,
    names: Sequence[str],
    types: Types,
    *,
    signed: bool = False,
    lists_as_text: bool = False,
) -> DataFrame:
    """Write the files of a view, or of signed changes, and read them as a DataFrame."""
    from tidelog.spark.rows.decode import ViewSchema, read_view

    kinds = write(folder)
    return read_view(spark, folder, ViewSchema(tuple(names), tuple(types), tuple(kinds), signed, lists_as_text))


def partition_writer(
    runtime: Coordinator,
    name: str,
    names: Sequence[str],
    types: Types,
    run: int | None,
    *,
    lists_as_text: bool = False,
) -> Write:
    """Lets every partition write its rows of a relation, or of what the epoch ``run`` changed in it."""

    def write(folder: str) -> list[Kinds]:
        numbers = [0] if runtime.places.get(name) == MIRRORED else range(runtime.partitions)
        args = [
            (f"{folder}/part-{n}.parquet", name, tuple(types), tuple(names), run, lists_as_text)
            for n in range(runtime.partitions)
        ]
        return runtime.write_views(args, numbers)

    return write


def session_of(runtime: object) -> SparkSession:
    """The Spark session of an engine's partitions, or the one that is active."""
    if isinstance(runtime, Coordinator) and (found := getattr(runtime.hosts, "spark", None)) is not None:
        session: SparkSession = found
        return session
    from tidelog.spark.session.active import active_session

    return active_session()
