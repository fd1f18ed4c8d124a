"""A table that is kept equal to a view: every epoch is a MERGE.

Law: after every epoch that is written the table has the rows of the view, each once. The table's property
`tidelog.epoch` is the epoch that it shows; it is set after the MERGE. If a driver is lost in between, the MERGE of that
epoch is repeated, which changes nothing: it inserts only rows that are missing and deletes only rows that exist.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidelog.io.feed import MakeDataFrame
from tidelog.io.match_names import match_names
from tidelog.io.view_files import Write
from tidelog.spark.spark_failures import MERGED_COLUMNS
from tidelog.spark.table_feed import feed_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EPOCH = "tidelog.epoch"
CHANGE = "change"


@dataclass(slots=True)
class MergedTable:
    """A table whose format supports MERGE, with the columns of the view and no others."""

    view: str
    table: str
    spark: SparkSession

    def last(self) -> int:
        """The epoch that the table shows, 0 if it was never written."""
        with feed_failures(self.view, f"table {self.table}", "read"):
            found = self.spark.sql(f"SHOW TBLPROPERTIES {self.table}").where(f"key = '{EPOCH}'").first()
            return 0 if found is None else int(found["value"])

    def names(self, epoch: int) -> tuple[str, ...]:
        """The names in the table."""
        with feed_failures(self.view, f"table {self.table}", "read"):
            return tuple(self.spark.table(self.table).columns)

    def put(self, epoch: int, write: Write, frame: MakeDataFrame) -> None:
        """Merge the changes of an epoch."""
        with feed_failures(self.view, f"table {self.table}", "written"), frame() as rows:
            deleted = f"WHEN MATCHED AND s.`{CHANGE}` < 0 THEN DELETE"
            self._merge(rows, rows.columns[:-1], epoch, f"{deleted} WHEN NOT MATCHED AND s.`{CHANGE}` > 0 THEN INSERT")

    def replace(self, rows: DataFrame, epoch: int) -> None:
        """Make the table equal to the view at an epoch, whatever it contains; equal rows are not written again."""
        with feed_failures(self.view, f"table {self.table}", "written"):
            self._merge(
                rows, rows.columns, epoch, "WHEN NOT MATCHED THEN INSERT", "WHEN NOT MATCHED BY SOURCE THEN DELETE"
            )

    def _merge(self, rows: DataFrame, names: list[str], epoch: int, insert: str, last: str = "") -> None:
        columns = self.names(epoch)
        if len(columns) != len(names):
            raise MERGED_COLUMNS.error(
                view=self.view, table=self.table, names=", ".join(names), there=", ".join(columns)
            )
        places = match_names(self.table, columns, names) or range(len(columns))
        pairs = [(quoted(column), f"s.{quoted(names[place])}") for column, place in zip(columns, places, strict=True)]
        equal = " AND ".join(f"t.{column} = {value}" for column, value in pairs) or "true"
        values = ", ".join(value for _, value in pairs)
        actions = f"{insert} ({', '.join(column for column, _ in pairs)}) VALUES ({values}) {last}"
        with _temporary_view(rows) as source:
            self.spark.sql(f"MERGE INTO {self.table} t USING {source} s ON {equal} {actions}")
        self.spark.sql(f"ALTER TABLE {self.table} SET TBLPROPERTIES ('{EPOCH}' = '{epoch}')")


def quoted(name: str) -> str:
    """A name of a column in SQL.

    >>> quoted("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


@contextlib.contextmanager
def _temporary_view(rows: DataFrame) -> Iterator[str]:
    """The name of rows in SQL."""
    name = f"tidelog_{uuid.uuid4().hex}"
    rows.createOrReplaceTempView(name)
    try:
        yield name
    finally:
        rows.sparkSession.catalog.dropTempView(name)
