"""The interpreter that Spark's workers run.

Law: in local mode, where nobody named another, it is the driver's own: PySpark would take the `python3` of the path,
which may be any. What a user named (`PYSPARK_PYTHON`, or the launcher's setting) is left alone, and so is the session:
its other functions run where they ran before.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidelog.spark.session.master import is_local

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

NOBODY_SAID = "python3"  # what PySpark takes then
_MAKING = threading.Lock()  # functions are made in several threads, and a context has one interpreter

OnBatches = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


@contextmanager
def drivers_interpreter(context: Any) -> Iterator[None]:
    """Functions of Spark that are made in the block will run in the interpreter of the driver."""
    with _MAKING:
        if not is_local(context.master) or context.pythonExec != NOBODY_SAID:
            yield
            return
        context.pythonExec = sys.executable
        try:
            yield
        finally:
            context.pythonExec = NOBODY_SAID


def map_in_arrow(rows: DataFrame, function: OnBatches, schema: str, *, barrier: bool = False) -> DataFrame:
    """`mapInArrow` with a function for that interpreter; nothing runs yet."""
    with drivers_interpreter(rows.sparkSession.sparkContext):
        return rows.mapInArrow(function, schema, barrier=barrier)
