"""How many resident partitions a session in local mode has room for.

Law: partitions take a slot each, and one is left for other jobs: those of DataFrames wait for it. On a cluster more
executors may come, so that nothing is said here about it, and `preflight` waits and refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog.spark.session.access import access
from tidelog.spark.session.master import is_local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def local_room(spark: SparkSession) -> int | None:
    """How many partitions fit into a session in local mode, perhaps none; None on a cluster."""
    session = access(spark)
    return max(0, session.slots() - 1) if is_local(session.master) else None


def too_small(spark: SparkSession, wanted: int, room: int) -> str:
    """The log line for a session that has room for fewer partitions than requested."""
    session = access(spark)
    there, master = session.slots(), session.master
    few = f"this engine has {room}" if room else "this engine runs its only partition in the driver"
    wish = f"{wanted} partitions need {wanted + 1}" if wanted > 1 else "a resident partition needs 2"
    return (
        f"{master} has {there} task slot{'' if there == 1 else 's'}, but {wish}: {few}; use local[{wanted + 1}] for all"
    )
