"""The change feed of a view in a folder or table, every epoch exactly once.

Law: what a feed holds tells which epochs it has, so that after any failure it goes on where it stands: an epoch that is
there is not written again, and one that is missing is written from the history of the state folder. A folder has one
subfolder per epoch that changed the view, ``epoch=12``, which appears whole; Spark and Arrow read the name as a column.
"""

from __future__ import annotations

import contextlib
import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
from pyarrow import fs

from tidelog.errors import EngineError, StateError, TidelogError
from tidelog.spark_views import Write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame, SparkSession

    Frame = Callable[[], AbstractContextManager[DataFrame]]

PART = re.compile(r"epoch=(\d+)$")


class Feed(Protocol):
    """Where the changes of one view go."""

    view: str

    def last(self) -> int:
        """The last epoch that it holds, 0 if none."""

    def put(self, epoch: int, write: Write, frame: Frame) -> None:
        """Add an epoch: by writing files, or as a DataFrame of signed rows, which is there inside a `with` block."""


@dataclass(slots=True)
class FolderFeed:
    """Parquet files in a folder, local or behind a URI."""

    view: str
    folder: str

    def last(self) -> int:
        """The last epoch that it holds."""
        files, place = open_files(self.folder)
        selector = fs.FileSelector(place, allow_not_found=True)
        try:
            found = [PART.search(info.path) for info in files.get_file_info(selector)]
        except OSError as error:
            raise StateError(f"the feed of `{self.view}` in {self.folder} was not read: {error}") from error
        return max((int(match[1]) for match in found if match), default=0)

    def put(self, epoch: int, write: Write, frame: Frame) -> None:
        """Add an epoch; other readers see its files all at once."""
        files, place = open_files(self.folder)
        hidden = f".epoch-{epoch}-{uuid.uuid4().hex}"
        try:
            files.create_dir(f"{place}/{hidden}", recursive=True)
            write(f"{self.folder}/{hidden}")
            files.move(f"{place}/{hidden}", f"{place}/epoch={epoch}")
        except BaseException as error:
            with contextlib.suppress(OSError):  # half an epoch is of no use to anybody
                files.delete_dir(f"{place}/{hidden}")
            if isinstance(error, OSError | pa.ArrowException):
                raise StateError(f"the feed of `{self.view}` in {self.folder} was not written: {error}") from error
            raise


@dataclass(slots=True)
class TableFeed:
    """A table that Spark knows, with the epoch as its last column."""

    view: str
    table: str
    spark: SparkSession

    def last(self) -> int:
        """The last epoch that it holds."""
        with self._failures("read"):
            if not self.spark.catalog.tableExists(self.table):
                return 0
            found = self.spark.table(self.table).agg({"epoch": "max"}).first()
            return 0 if found is None or found[0] is None else int(found[0])

    def put(self, epoch: int, write: Write, frame: Frame) -> None:
        """Add an epoch."""
        with self._failures("written"), frame() as rows:
            rows.selectExpr("*", f"cast({epoch} as bigint) as epoch").write.mode("append").saveAsTable(self.table)

    @contextlib.contextmanager
    def _failures(self, what: str) -> Iterator[None]:
        try:
            yield
        except TidelogError:
            raise
        except Exception as error:  # of Spark or of Java: they have no root in common
            told = str(error).split("\n", 1)[0][:300]
            raise StateError(f"the feed of `{self.view}` in table {self.table} was not {what}: {told}") from error


def make_feed(view: str, folder: str | None, table: str | None, spark: Callable[[], SparkSession]) -> Feed:
    """The feed that a user asks for."""
    if (folder is None) == (table is None):
        raise EngineError(f"the feed of `{view}` goes to a folder or to a table: give one of `folder` and `table`")
    if folder is not None:
        return FolderFeed(view, folder.rstrip("/"))
    assert table is not None
    return TableFeed(view, table, spark())


def open_files(folder: str) -> tuple[fs.FileSystem, str]:
    """The file system of a local path or a URI, and the path in it."""
    if "://" in folder:
        try:
            found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(folder)
        except (OSError, pa.ArrowException) as error:
            raise StateError(f"{folder}: {error}; give a local folder or a URI that Arrow reads") from error
        return found
    return fs.LocalFileSystem(), folder
