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
        with self._failures("read"):
            if not self.spark.catalog.tableExists(self.table):
                return 0
            found = self.spark.table(self.table).agg({"epoch": "max"}).first()
            return 0 if found is None or found[0] is None else int(found[0])

    def names(self, epoch: int) -> tuple[str, ...]:
        """The names in the table; its last columns are the change and the epoch."""
        with self._failures("read"):
            return tuple(self.spark.table(self.table).columns[:-2])

    def put(self, epoch: int, write: Write, frame: MakeDataFrame) -> None:
        """Add an epoch."""
        with self._failures("written"), frame() as rows:
            rows.selectExpr("*", f"cast({epoch} as bigint) as epoch").write.mode("append").saveAsTable(self.table)

    @contextlib.contextmanager
    def _failures(self, what: str) -> Iterator[None]:
        try:
            yield
        except TidelogError:
            raise
        except Exception as error:  # of Spark or of Java: they have no common base class
            first_line = str(error).split("\n", 1)[0][:300]
            raise TABLE_FEED.error(view=self.view, table=self.table, what=what, error=first_line) from error
