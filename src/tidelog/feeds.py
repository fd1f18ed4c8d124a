"""The change feed of a view in a folder or table, every epoch exactly once.

Law: what a feed holds tells which epochs it has, so that after any failure it goes on where it stands: an epoch that is
there is not written again, and one that is missing is written from the history of the state folder. A folder has one
subfolder per epoch that changed the view, ``epoch=12``, which appears whole; Spark and Arrow read the name as a column.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
from pyarrow import fs

from tidelog.errors import EngineError, StateError
from tidelog.spark_views import Write

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

PART = re.compile(r"epoch=(\d+)$")


class Feed(Protocol):
    """Where the changes of one view go."""

    view: str

    def last(self) -> int:
        """The last epoch that it holds, 0 if none."""

    def put(self, epoch: int, write: Write, frame: Callable[[], DataFrame]) -> None:
        """Add an epoch: by writing files, or as a DataFrame of signed rows."""


@dataclass(slots=True)
class FolderFeed:
    """Parquet files in a folder, local or behind a URI."""

    view: str
    folder: str

    def last(self) -> int:
        """The last epoch that it holds."""
        files, place = _files(self.folder)
        selector = fs.FileSelector(place, allow_not_found=True)
        found = [PART.search(info.path) for info in files.get_file_info(selector)]
        return max((int(match[1]) for match in found if match), default=0)

    def put(self, epoch: int, write: Write, frame: Callable[[], DataFrame]) -> None:
        """Add an epoch; other readers see its files all at once."""
        files, place = _files(self.folder)
        hidden = f".epoch-{epoch}-{uuid.uuid4().hex}"
        try:
            files.create_dir(f"{place}/{hidden}", recursive=True)
            write(f"{self.folder}/{hidden}")
            files.move(f"{place}/{hidden}", f"{place}/epoch={epoch}")
        except (OSError, pa.ArrowException) as error:
            raise StateError(f"the feed of `{self.view}` in {self.folder} was not written: {error}") from error


@dataclass(slots=True)
class TableFeed:
    """A table that Spark knows, with the epoch as its last column."""

    view: str
    table: str
    spark: SparkSession

    def last(self) -> int:
        """The last epoch that it holds."""
        if not self.spark.catalog.tableExists(self.table):
            return 0
        found = self.spark.table(self.table).agg({"epoch": "max"}).first()
        return 0 if found is None or found[0] is None else int(found[0])

    def put(self, epoch: int, write: Write, frame: Callable[[], DataFrame]) -> None:
        """Add an epoch."""
        frame().selectExpr("*", f"cast({epoch} as bigint) as epoch").write.mode("append").saveAsTable(self.table)


def make_feed(view: str, folder: str | None, table: str | None, spark: Callable[[], SparkSession]) -> Feed:
    """The feed that a user asks for."""
    if (folder is None) == (table is None):
        raise EngineError(f"the feed of `{view}` goes to a folder or to a table: give one of `folder` and `table`")
    if folder is not None:
        return FolderFeed(view, folder.rstrip("/"))
    assert table is not None
    return TableFeed(view, table, spark())


def _files(folder: str) -> tuple[fs.FileSystem, str]:
    if "://" in folder:
        found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(folder)
        return found
    return fs.LocalFileSystem(), folder
