"""The change feed of a view in a folder or table, every epoch exactly once.

Law: the files of a feed show which epochs it has, so that it continues correctly after any failure: an existing epoch
is not written again, and a missing one is written from the history of the state folder. A folder has one
subfolder per epoch that changed the view, ``epoch=12``, which appears whole; Spark and Arrow read the name as a column.
"""

from __future__ import annotations

import contextlib
import re
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
from pyarrow import fs

from tidelog.io import io_failures as failures
from tidelog.io.late import parquet
from tidelog.io.place import open_files
from tidelog.io.view_files import Write

MakeDataFrame = Callable[[], AbstractContextManager[Any]]  # the signed rows of an epoch as a Spark DataFrame
PART = re.compile(r"epoch=(\d+)$")


class Feed(Protocol):
    """The destination of the changes of one view."""

    view: str

    def last(self) -> int:
        """The last epoch in the feed, 0 if there is none."""

    def names(self, epoch: int) -> tuple[str, ...]:
        """The names that the columns of the view have in the part of an epoch."""

    def put(self, epoch: int, write: Write, frame: MakeDataFrame) -> None:
        """Add an epoch: by writing files, or as a DataFrame of signed rows, which exists within a `with` block."""


@dataclass(slots=True)
class FolderFeed:
    """Parquet files in a folder, local or behind a URI."""

    view: str
    folder: str

    def last(self) -> int:
        """The last epoch in the feed."""
        files, place = open_files(self.folder)
        selector = fs.FileSelector(place, allow_not_found=True)
        try:
            matches = [PART.search(info.path) for info in files.get_file_info(selector)]
        except OSError as error:
            raise failures.FEED_NOT_READ.error(view=self.view, folder=self.folder, error=error) from error
        return max((int(match[1]) for match in matches if match), default=0)

    def names(self, epoch: int) -> tuple[str, ...]:
        """The names in the files of an epoch; the last column is the change."""
        files, place = open_files(self.folder)
        try:
            infos = files.get_file_info(fs.FileSelector(f"{place}/epoch={epoch}"))
            path = next(info.path for info in infos if info.path.endswith(".parquet"))
            return tuple(parquet.read_schema(path, filesystem=files).names[:-1])
        except (OSError, StopIteration, pa.ArrowException) as error:
            raise failures.FEED_NOT_READ.error(view=self.view, folder=self.folder, error=error) from error

    def put(self, epoch: int, write: Write, frame: MakeDataFrame) -> None:
        """Add an epoch; other readers see its files all at once."""
        files, place = open_files(self.folder)
        hidden = f".epoch-{epoch}-{uuid.uuid4().hex}"
        try:
            files.create_dir(f"{place}/{hidden}", recursive=True)
            write(f"{self.folder}/{hidden}")
            files.move(f"{place}/{hidden}", f"{place}/epoch={epoch}")
        except BaseException as error:
            with contextlib.suppress(OSError):  # an incomplete epoch is useless
                files.delete_dir(f"{place}/{hidden}")
            if isinstance(error, OSError | pa.ArrowException):
                raise failures.FEED_NOT_WRITTEN.error(view=self.view, folder=self.folder, error=error) from error
            raise
