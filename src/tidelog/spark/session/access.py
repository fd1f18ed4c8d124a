"""What Tidelog needs from a session in addition to DataFrames, on a classic session and over Spark Connect.

Law: everything that depends on the kind of a session is behind `Access`, and only `classic` accesses the JVM. Nothing
in a session is changed, except that its progress bar in the console ends.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tidelog.spark.session.master import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")


class Access(Protocol):
    """A running session."""

    @property
    def master(self) -> str:
        """The master of the session, empty if unknown."""

    @property
    def is_here(self) -> bool:
        """Whether tasks certainly run on this machine, as this user."""

    @property
    def home(self) -> Hashable:
        """Sessions with the same home share their slots."""

    def slots(self) -> int:
        """The number of tasks that the current executors can run at once."""

    def end_progress_bar(self) -> None:
        """Stop drawing Spark's progress in this console: the stage of the partitions never ends."""

    def addresses(self, loopback: str) -> tuple[str, str]:
        """Where this process listens, and the name under which executors reach it."""

    def tag_jobs(self, tag: str, words: str) -> None:
        """Tag the jobs of this thread, and describe them on Spark's pages, if ``words`` is not empty."""

    def cancel_jobs(self, tag: str) -> None:
        """Ask Spark to end the jobs that have a tag."""

    def in_another_thread(self, tag: str, act: Callable[[], T], words: str) -> Callable[[], T]:
        """The same action for a thread that may be reused: with the job settings of this thread, and a tag."""

    def interpreter(self) -> AbstractContextManager[None]:
        """Spark functions that are created in the block run in the interpreter that workers should use."""

    def estimated_size(self, rows: DataFrame) -> int:
        """Catalyst's estimate of the bytes of a DataFrame; nothing is read for it."""

    def most_rows(self, rows: DataFrame) -> int | None:
        """The maximum number of rows of a DataFrame; None if its plan has no bound."""


def access(spark: Any) -> Access:
    """The access to a session.

    Raises:
        PreflightError: the session was stopped.
    """
    if is_connect(spark):
        from tidelog.spark.session.connect import ConnectAccess

        return ConnectAccess(spark)
    from tidelog.spark.session.classic import ClassicAccess

    return ClassicAccess(spark)
