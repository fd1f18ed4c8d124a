"""The change feed of a view in a table that Spark knows.

Law: the table records which epochs it contains, so that each is written once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidelog.errors import TidelogError
from tidelog.io.feed import MakeDataFrame
from tidelog.io.view_files import Write
from tidelog.spark.spark_failures import TABLE_FEED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(slots=True)
class TableFeed:
    """A table that Spark knows, with the epoch as its last column."""

    view: str
    table: str
    spark: SparkSession

    def last(self) -> int:
        """The last epoch in the table."""
        with feed_failures(self.view, f"table {self.table}", "read"):
            if not self.spark.catalog.tableExists(self.table):
                return 0
            found = self.spark.table(self.table).agg({"epoch": "max"}).first()
            return 0 if found is None or found[0] is None else int(found[0])

    def names(self, epoch: int) -> tuple[str, ...]:
        """The names in the table; its last columns are the change and the epoch."""
        with feed_failures(self.view, f"table {self.table}", "read"):
            return tuple(self.spark.table(self.table).columns[:-2])

    def put(self, epoch: int, write: Write, frame: MakeDataFrame) -> None:
        """Add an epoch."""
        with feed_failures(self.view, f"table {self.table}", "written"), frame() as rows:
            rows.selectExpr("*", f"cast({epoch} as bigint) as epoch").write.mode("append").saveAsTable(self.table)


@contextlib.contextmanager
def feed_failures(view: str, target: str, what: str) -> Iterator[None]:
    """Report an error of Spark as one of the feed."""
    try:
        yield
    except TidelogError:
        raise
    except Exception as error:  # of Spark or of Java: they have no common base class
        from tidelog.spark.rows.send import first_line

        raise TABLE_FEED.error(view=view, target=target, what=what, error=first_line(error)) from error
