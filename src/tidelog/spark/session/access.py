"""What Tidelog needs of a session beside its DataFrames, on a classic session and over Spark Connect.

Law: everything that depends on the kind of a session is behind `Access`, and only `classic` looks into the JVM. Nothing
of a session is changed.
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
        """The master of the session, empty where it is not known."""

    @property
    def is_here(self) -> bool:
        """Whether tasks certainly run on this machine, as this user."""

    @property
    def home(self) -> Hashable:
        """Sessions with the same home share their slots."""

    def slots(self) -> int:
        """How many tasks the executors that are there can run at once."""

    def addresses(self, loopback: str) -> tuple[str, str]:
        """Where this process listens, and the name under which executors reach it."""

    def tag_jobs(self, tag: str, words: str) -> None:
        """Tag the jobs of this thread, and describe them on Spark's pages, if there are words for it."""

    def cancel_jobs(self, tag: str) -> None:
        """Ask Spark to end the jobs that carry a tag."""

    def in_another_thread(self, tag: str, act: Callable[[], T], words: str) -> Callable[[], T]:
        """What does the same in a thread that may be used again: with what this thread set for its jobs, and a tag."""

    def interpreter(self) -> AbstractContextManager[None]:
        """Functions of Spark that are made in the block run in the interpreter that workers are to have."""

    def estimated_size(self, rows: DataFrame) -> int:
        """How many bytes Catalyst takes a DataFrame to have; nothing is read for it."""

    def most_rows(self, rows: DataFrame) -> int | None:
        """How many rows a DataFrame has at most, None where its plan does not bound them."""


def access(spark: Any) -> Access:
    """The way to a session.

    Raises:
        PreflightError: the session was stopped.
    """
    if is_connect(spark):
        from tidelog.spark.session.connect import ConnectAccess

        return ConnectAccess(spark)
    from tidelog.spark.session.classic import ClassicAccess

    return ClassicAccess(spark)
