"""Places of files: local paths and URIs.

Law: all code that reads or writes files gets the file system here, so that every place is named in the same way.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import fs

from tidelog.io import io_failures as failures


def open_files(folder: str) -> tuple[fs.FileSystem, str]:
    """The file system of a local path or a URI, and the path in it."""
    if "://" in folder:
        try:
            opened: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(folder)
        except (OSError, pa.ArrowException) as error:
            raise failures.NO_FILE_SYSTEM.error(folder=folder, error=error) from error
        return opened
    return fs.LocalFileSystem(), folder
