"""The Spark session of this process."""

from __future__ import annotations

from pyspark.sql import SparkSession

from tidelog.errors import DataError


def active_session() -> SparkSession:
    """The session in use; a DataError if there is none."""
    found = SparkSession.getActiveSession()
    if found is None:
        raise DataError("no Spark session: make one, or give it (`to_spark(session)`)")
    return found
