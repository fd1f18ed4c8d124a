"""The Spark session of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog.spark.session.packages import require_packages
from tidelog.spark.session.session_failures import NO_SESSION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def active_session() -> SparkSession:
    """The session in use.

    Raises:
        PreflightError: PySpark is not installed.
        DataError: there is no session.
    """
    require_packages()
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession()
    if found is None:
        raise NO_SESSION.error()
    return found
