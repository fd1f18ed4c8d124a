"""The Spark session of this process."""

from __future__ import annotations

from pyspark.sql import SparkSession

from tidelog.spark.failures import NO_SESSION


def active_session() -> SparkSession:
    """The session in use; a DataError if there is none."""
    found = SparkSession.getActiveSession()
    if found is None:
        raise NO_SESSION.error()
    return found
