"""Access to a session of Spark Connect: this process is a client, and Spark's driver is a server, perhaps remote.

Law: nothing here needs a JVM. Slots and sizes are requested from the server, by a small job and by `explain`.
Partitions and tasks call this process directly, as they call the driver of a classic session; the address under which
they reach it is the one from which this process reaches the server, unless `spark.tidelog.host` names another.
"""

from __future__ import annotations

import contextlib
import copy
import re
import uuid
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

from tidelog.spark.session import session_failures as failures
from tidelog.spark.session.listen import own_address
from tidelog.spark.session.master import setting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")
HOST_SETTING = "spark.tidelog.host"
ANYWHERE = "0.0.0.0"
LARGE = 1 << 62  # bytes, if no size is estimated
_SIZE = re.compile(r"Statistics\(sizeInBytes=([\d.E+]+) (B|[KMGTPE]iB)")
_UNITS = {unit: 1 << (10 * place) for place, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))}
_LOCAL = re.compile(r"local(?:\[(\d+)(?:,\s*\d+)?\])?")


class ConnectAccess:
    """A session of Spark Connect that has not been stopped."""

    is_here = False  # a server at a loopback address may still be the end of a tunnel

    def __init__(self, spark: Any) -> None:
        if spark.is_stopped:
            raise failures.STOPPED.error()
        self._spark = spark

    @property
    def master(self) -> str:
        """The master of the server; some services do not reveal it."""
        return str(self._spark.conf.get("spark.master", ""))

    @property
    def home(self) -> Hashable:
        """The application of the server."""
        return str(self._spark.conf.get("spark.app.id", self._spark.client.host))

    def slots(self) -> int:
        """Spark's default parallelism, which is the number of cores of the executors.

        It is the number of tasks of a DataFrame that does not specify one.
        """
        cpus = max(1, int(setting(self._spark, "spark.task.cpus", "1")))
        named = _LOCAL.fullmatch(self.master)
        if named is not None:
            return int(named[1] or 1) // cpus
        last = self._spark.range(1 << 20).selectExpr("max(spark_partition_id())").collect()[0][0]
        return int(last + 1) // cpus

    def end_progress_bar(self) -> None:
        """Do nothing: a client's bar is drawn while it waits for a result, and only then."""

    def addresses(self, loopback: str) -> tuple[str, str]:
        """The address from which this process reaches the server; if a name was given, listen on all addresses."""
        named = str(self._spark.conf.get(HOST_SETTING, ""))
        if named:
            return ANYWHERE, named
        own = own_address(self._spark.client.host, loopback)
        return own, own

    def tag_jobs(self, tag: str, words: str) -> None:
        """Tag the jobs of this thread; Connect has no descriptions."""
        self._spark.addTag(tag)

    def cancel_jobs(self, tag: str) -> None:
        """Interrupt the operations with this tag."""
        self._spark.interruptTag(tag)

    def in_another_thread(self, tag: str, act: Callable[[], T], words: str) -> Callable[[], T]:
        """Run with the tags of this thread."""
        tags = {*self._spark.getTags(), tag}

        def run() -> T:
            for each in tags:
                self._spark.addTag(each)
            try:
                return act()
            finally:
                for each in tags:
                    self._spark.removeTag(each)

        return run

    def interpreter(self) -> AbstractContextManager[None]:
        """The server's interpreter; a client cannot choose."""
        return contextlib.nullcontext()

    def estimated_size(self, rows: DataFrame) -> int:
        """The size of the optimised plan, rounded, as `explain` prints it."""
        return size_in(rows._explain_string(mode="cost"))  # type: ignore[operator]  # PySpark declares it for Connect only

    def most_rows(self, rows: DataFrame) -> int | None:
        """None: `explain` prints no bound."""
        return None


@contextlib.contextmanager
def other_session(spark: Any, session_id: str | None = None) -> Iterator[Any]:
    """Another session of the same server and user: a new one, or the one with this id, which continues to exist."""
    builder = copy.deepcopy(spark.client._builder)
    builder.set("session_id", session_id or str(uuid.uuid4()))
    other = type(spark)(builder, spark.client._user_id)
    try:
        yield other
    finally:
        if session_id is None:
            other.client.release_session()
        other.client.close()  # `stop` would end a server that this process started


def size_in(text: str) -> int:
    """The size of the optimised plan in the output of `explain(mode="cost")`.

    >>> size_in("== Optimized Logical Plan ==\\nRange (0, 100), Statistics(sizeInBytes=1.5 KiB, rowCount=100)")
    1536
    """
    found = _SIZE.search(text)
    return LARGE if found is None else int(float(found[1]) * _UNITS[found[2]])
