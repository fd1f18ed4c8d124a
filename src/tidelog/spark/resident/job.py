"""The Spark job that holds the resident tasks, in a separate thread.

Law: the job ends when its tasks do. The tasks are those of an ordinary stage, submitted through the DataFrame API, both
on a classic session and over Spark Connect; Spark repeats a lost task, except in local mode, where the job fails with
it. The job has a tag, so that it can be cancelled without affecting the session's other jobs.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from tidelog.spark.resident.resident import Assignment, reside
from tidelog.spark.session.access import access
from tidelog.spark.session.interpreter import map_in_arrow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Job:
    """One submission of the resident stage."""

    def __init__(self, spark: SparkSession, assignment: Assignment) -> None:
        self._spark, self._session = spark, access(spark)
        self._assignment = assignment
        self._tag = f"tidelog-{secrets.token_hex(4)}"
        self.ended = threading.Event()
        self.end_reason = ""
        threading.Thread(target=self._run, name="tidelog-job", daemon=True).start()

    def cancel(self) -> None:
        """Ask Spark to end the job."""
        with contextlib.suppress(Exception):  # a stopped session has no jobs left
            self._session.cancel_jobs(self._tag)

    def _run(self) -> None:
        assignment = self._assignment

        def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for _ in batches:  # read the one number of this task, so that Spark has finished sending
                pass
            return reside(assignment)

        try:
            last, start = assignment.partitions - 1, assignment.generation
            self._session.tag_jobs(self._tag, f"tidelog: partitions 0 to {last}, start {start}")
            numbers = self._spark.range(0, assignment.partitions, 1, assignment.partitions)
            map_in_arrow(numbers, task, "none long").collect()
            self.end_reason = "the tasks ended"
        except BaseException as error:
            self.end_reason = reason(error)
        finally:
            self.ended.set()


def reason(error: BaseException) -> str:
    """The message of Spark, without the stack traces of Java and Python.

    >>> reason(ValueError("Job aborted: x\\n\\tat org.apache.A\\nValueError: bad\\n\\nDriver stacktrace:\\n more"))
    'Job aborted: x | ValueError: bad'
    """
    text = str(error).split("Driver stacktrace", 1)[0]
    lines = [line.strip() for line in text.splitlines()]
    return " | ".join(line for line in lines if _is_message(line))[:1200] or type(error).__name__


def _is_message(line: str) -> bool:
    return bool(line.strip("^~")) and not line.startswith(
        ("at ", "...", "File ", "Traceback", "An error occurred while calling", "SQLSTATE")
    )
