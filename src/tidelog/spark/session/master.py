"""The kind of a session, and its settings.

Law: only values are read; what a kind of session provides in addition to DataFrames is behind `access`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def is_local(master: str) -> bool:
    """Whether the tasks run in the driver's own process.

    >>> is_local("local[4]"), is_local("local-cluster[2,1,1024]"), is_local("spark://host:7077")
    (True, False, False)
    """
    return master == "local" or master.startswith("local[")


def is_connect(part: object) -> bool:
    """Whether a session, or a DataFrame, uses a Spark Connect server."""
    return "connect" in type(part).__module__.split(".")


def is_session(spark: object) -> bool:
    """Whether a value is a Spark session, of either kind; one of Connect has no context."""
    return is_connect(spark) or hasattr(spark, "sparkContext")


def setting(spark: SparkSession, name: str, default: str = "") -> str:
    """A setting of the session, stripped and in lower case."""
    return str(spark.conf.get(name, default)).strip().lower()


def own_version() -> str:
    """The version of Tidelog in this process; `tidelog` itself imports this package."""
    return str(sys.modules["tidelog"].__version__)
