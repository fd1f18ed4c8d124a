"""How many resident partitions a session in local mode has room for.

Law: partitions use a slot each, and one is left for other jobs: those of DataFrames wait for it. On a cluster more
executors may be added, so this module reports nothing, and `preflight` waits and refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog.errors.counts import counted
from tidelog.spark.session.access import access
from tidelog.spark.session.master import is_local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def local_room(spark: SparkSession) -> int | None:
    """The number of partitions that fit into a session in local mode, perhaps 0; None on a cluster."""
    session = access(spark)
    return max(0, session.slots() - 1) if is_local(session.master) else None


def too_small(spark: SparkSession, partitions: int, room: int) -> str:
    """The log line for a session that has room for fewer partitions than requested."""
    session = access(spark)
    there, master = session.slots(), session.master
    few = f"this engine has {room}" if room else "this engine runs its only partition in the driver"
    wish = f"{partitions} partitions need {partitions + 1}" if partitions > 1 else "a resident partition needs 2"
    slots = counted(there, "task slot")
    return f"{master} has {slots}, but {wish}: {few}; use local[{partitions + 1}] for all"
