"""The Spark job that holds the resident tasks, in a thread of its own.

Law: the job ends when its tasks do; Spark does not repeat a barrier stage whose results go straight to the driver. The
tasks are submitted through the DataFrame API. The job carries a tag, so that it can be cancelled without touching the
session's other jobs.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from tidelog.spark.resident.resident import Assignment, reside
from tidelog.spark.session.interpreter import map_in_arrow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")


class Job:
    """One submission of the resident stage."""

    def __init__(self, spark: SparkSession, assignment: Assignment) -> None:
        self._spark = spark
        self._assignment = assignment
        self._tag = f"tidelog-{secrets.token_hex(4)}"
        self.ended = threading.Event()
        self.said = ""
        threading.Thread(target=self._run, name="tidelog-job", daemon=True).start()

    def cancel(self) -> None:
        """Ask Spark to end the job."""
        cancel_jobs(self._spark, self._tag)

    def _run(self) -> None:
        assignment = self._assignment

        def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for _ in batches:  # the one number of this task: read, so that Spark is done with sending
                pass
            return reside(assignment)

        try:
            last, start = assignment.partitions - 1, assignment.generation
            tag_jobs(self._spark, self._tag, f"tidelog: partitions 0 to {last}, start {start}")
            numbers = self._spark.range(0, assignment.partitions, 1, assignment.partitions)
            map_in_arrow(numbers, task, "none long", barrier=True).collect()
            self.said = "the tasks ended"
        except BaseException as error:
            self.said = reason(error)
        finally:
            self.ended.set()


def tag_jobs(spark: SparkSession, tag: str, words: str = "") -> None:
    """Tag the jobs of this thread, and say on Spark's pages what they do, if there are words for it.

    The tags of the session itself would be seen by the thread that set them only.
    """
    spark.sparkContext.addJobTag(tag)
    if words:
        spark.sparkContext.setJobDescription(words)
    spark.sparkContext.setInterruptOnCancel(True)


def cancel_jobs(spark: SparkSession, tag: str) -> None:
    """Ask Spark to end the jobs that carry a tag."""
    with contextlib.suppress(Exception):  # a session that was stopped has no jobs left
        spark.sparkContext.cancelJobsWithTag(tag)


def in_another_thread(spark: SparkSession, tag: str, act: Callable[[], T], words: str = "") -> Callable[[], T]:
    """What does the same in a thread that may be used again: with this thread's job group and pool, and a tag."""
    scala = spark.sparkContext._jsc.sc()  # as PySpark's own threads do it
    given = scala.getLocalProperties().clone()

    def run() -> T:
        before = scala.getLocalProperties()
        scala.setLocalProperties(given)
        try:
            tag_jobs(spark, tag, words)
            return act()
        finally:
            scala.setLocalProperties(before)

    return run


def reason(error: BaseException) -> str:
    """What Spark said, without the stacks of the Java and the Python side.

    >>> reason(ValueError("Job aborted: x\\n\\tat org.apache.A\\nValueError: bad\\n\\nDriver stacktrace:\\n more"))
    'Job aborted: x | ValueError: bad'
    """
    text = str(error).split("Driver stacktrace", 1)[0]
    lines = [line.strip() for line in text.splitlines()]
    return " | ".join(line for line in lines if _tells(line))[:1200] or type(error).__name__


def _tells(line: str) -> bool:
    return bool(line.strip("^~")) and not line.startswith(
        ("at ", "...", "File ", "Traceback", "An error occurred while calling", "SQLSTATE")
    )
