"""Read rows of a database in Spark tasks, through its JDBC driver.

Law: every task prepares its connection in the same way before it reads, so that all of them can read one snapshot. The
driver is in the session's `spark.jars`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FETCHED = "10000"  # rows fetched at a time; without it the driver reads outside a transaction


def read_query(
    session: SparkSession, url: str, properties: Mapping[str, str], query: str, parts: Sequence[str], prepare: str
) -> DataFrame:
    """The rows of a query, one task for each condition of ``parts``; ``prepare`` is run first on every connection."""
    options = {**properties, "fetchsize": FETCHED, "preferTimestampNTZ": "true", "sessionInitStatement": prepare}
    return session.read.jdbc(url, f"({query}) AS followed", predicates=list(parts), properties=options)
