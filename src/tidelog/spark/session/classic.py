"""Access to a classic session, whose driver is this process, through its JVM.

Law: `slots` counts as Spark's scheduler does, so that it is right for every master and for every number of cores per
task; with dynamic allocation, executors that may still be added are counted.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from tidelog.spark.session import session_failures as failures
from tidelog.spark.session.master import is_local, setting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")
NOT_CONFIGURED = "python3"  # the interpreter that PySpark uses by default
UNBOUNDED = 1 << 30
_MAKING = threading.Lock()  # functions are created in several threads, and a context has one interpreter


class ClassicAccess:
    """A running classic session."""

    def __init__(self, spark: SparkSession) -> None:
        running = spark.sparkContext
        if running._jsc is None or running._jsc.sc().isStopped():
            raise failures.STOPPED.error()
        self._spark, self._context = spark, running

    @property
    def master(self) -> str:
        """The master of the session."""
        return str(self._context.master)

    @property
    def is_here(self) -> bool:
        """Whether the session is in local mode, where tasks are children of this process."""
        return is_local(self.master)

    @property
    def home(self) -> Hashable:
        """The context, which sessions of this process share."""
        return id(self._context)

    def slots(self) -> int:
        """The number of tasks that can run at once, including those on executors that are added on demand."""
        scala = self._context._jsc.sc()
        there = int(scala.maxNumConcurrentTasks(scala.resourceProfileManager().defaultResourceProfile()))
        if setting(self._spark, "spark.dynamicAllocation.enabled") != "true" or self.is_here:
            return there
        most = setting(self._spark, "spark.dynamicAllocation.maxExecutors")
        cores, cpus = (setting(self._spark, f"spark.{name}", "1") for name in ("executor.cores", "task.cpus"))
        return max(there, int(most) * (int(cores) // int(cpus))) if most.isdecimal() else UNBOUNDED

    def end_progress_bar(self) -> None:
        """The bar is a timer of the context."""
        bar = self._context._jsc.sc().progressBar()
        if bar.isDefined():
            bar.get().stop()

    def addresses(self, loopback: str) -> tuple[str, str]:
        """The addresses of Spark's driver."""
        if self.is_here:
            return loopback, loopback
        host = str(self._spark.conf.get("spark.driver.host", loopback))
        return str(self._spark.conf.get("spark.driver.bindAddress", host)), host

    def tag_jobs(self, tag: str, words: str) -> None:
        """Tag through the context: the session's own tags would apply only to the thread that set them."""
        self._context.addJobTag(tag)
        if words:
            self._context.setJobDescription(words)
        self._context.setInterruptOnCancel(True)

    def cancel_jobs(self, tag: str) -> None:
        """Ask Spark to end the jobs that have a tag."""
        self._context.cancelJobsWithTag(tag)

    def in_another_thread(self, tag: str, act: Callable[[], T], words: str) -> Callable[[], T]:
        """Run with this thread's job group and pool, as PySpark's own threads do."""
        scala = self._context._jsc.sc()
        properties = scala.getLocalProperties().clone()

        def run() -> T:
            before = scala.getLocalProperties()
            scala.setLocalProperties(properties)
            try:
                self.tag_jobs(tag, words)
                return act()
            finally:
                scala.setLocalProperties(before)

        return run

    @contextlib.contextmanager
    def interpreter(self) -> Iterator[None]:
        """In local mode, the driver's own unless another was named: PySpark would use the `python3` on the path."""
        with _MAKING:
            if not self.is_here or self._context.pythonExec != NOT_CONFIGURED:
                yield
                return
            self._context.pythonExec = sys.executable
            try:
                yield
            finally:
                self._context.pythonExec = NOT_CONFIGURED

    def estimated_size(self, rows: DataFrame) -> int:
        """The size of the optimised plan; a very large number if Catalyst has no estimate."""
        return int(str(_plan(rows).stats().sizeInBytes()))

    def most_rows(self, rows: DataFrame) -> int | None:
        """The maximum number of rows according to the optimised plan, if known."""
        known = _plan(rows).maxRows()
        return int(known.get()) if known.isDefined() else None


def _plan(rows: DataFrame) -> Any:
    return rows._jdf.queryExecution().optimizedPlan()
