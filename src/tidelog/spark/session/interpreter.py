"""Functions over Arrow batches, for the interpreter that Spark's workers should use.

Law: in local mode, unless another interpreter was named, it is the driver's own: PySpark would use the `python3` on the
path, which may be any. An interpreter that a user named (`PYSPARK_PYTHON`, or the launcher's setting) is respected, and
the session is not changed: its other functions run where they ran before. Over Spark Connect it is the server's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tidelog.spark.session.access import access

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

OnBatches = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


def map_in_arrow(rows: DataFrame, function: OnBatches, schema: str) -> DataFrame:
    """`mapInArrow` with a function for that interpreter; evaluated lazily."""
    with access(rows.sparkSession).interpreter():
        return rows.mapInArrow(function, schema)
