"""Views and changes as Spark DataFrames.

Law (D5): a DataFrame reads files that are written when it is requested and never change, so that it shows its epoch
after later epochs and after the engine is closed. On Spark every partition writes its own rows; facts do not pass
through this process. Files are in the state folder, or in a folder that exists as long as this process. Spark reads the
files of this process only if its tasks certainly run on this machine; elsewhere the rows are sent. If the session
limits the age of such files, older ones are removed when another DataFrame is requested.
"""

from __future__ import annotations

import time
import uuid
from functools import cache
from typing import TYPE_CHECKING, cast

from tidelog.io.view_files import FileColumns, Write
from tidelog.spark.session.access import access
from tidelog.spark.session.run_folder import RunFolder
from tidelog.spark.session.timeouts import read_view_age

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


SWEEPS = 10  # per age, so that a folder is not listed at every request
_SWEPT: dict[str, float] = {}  # by folder, when it is listed again


@cache
def _lasting() -> RunFolder:
    return RunFolder()


def new_folder(state: str | None) -> str:
    """A folder for the files of one DataFrame."""
    return f"{state or _lasting().name}/views/{uuid.uuid4().hex}"


def remove_old_files(spark: SparkSession, state: str | None) -> None:
    """Remove the files of DataFrames that are older than the session allows."""
    age, place = read_view_age(spark), state or _lasting().name
    now = time.monotonic()
    if age is None or now < _SWEPT.get(place, 0.0):
        return
    _SWEPT[place] = now + age / SWEEPS
    from tidelog.io.sweep import sweep_views  # and with it Arrow's file systems

    sweep_views(place, age)


def to_data_frame(
    spark: SparkSession,
    folder: str,
    write: Write,
    columns: FileColumns,
    *,
    by_partitions: bool = False,
) -> DataFrame:
    """Write the files of a view, or of signed changes, and read them as a DataFrame.

    ``by_partitions``: partitions write them, if the session can read them.
    """
    from tidelog.spark.rows.decode import ViewSchema, read_view, send_view

    kinds = write(folder)
    schema = ViewSchema(
        columns.names, columns.types, tuple(kinds), columns.signed, columns.lists_as_text, columns.outside
    )
    if by_partitions or access(spark).is_here:
        return read_view(spark, folder, schema)
    return send_view(spark, folder, schema)


def session_or_active(session: object | None) -> SparkSession:
    """The Spark session of an engine's partitions; if they are in this process, the active session."""
    if session is None:
        from tidelog.spark.session.active import active_session

        session = active_session()
    return cast("SparkSession", session)
