"""Removal of the files behind DataFrames of views.

Law (D5): a file behind a DataFrame is kept until `release` is called, or until it is older than `KEPT` when a writer
opens the state folder: other readers may still need it, so it is kept for a guaranteed time. Files that cannot be
listed or removed are left in place.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

import pyarrow as pa
from pyarrow import fs

from tidelog.errors import StateError
from tidelog.io.place import open_files

KEPT = 7 * 24 * 3600.0  # seconds that files behind DataFrames are kept
VIEWS = "views"  # the folder of a state that holds them


def sweep_views(state: str, older: float = KEPT) -> int:
    """Remove the files of DataFrames that are older than a number of seconds; returns the number of DataFrames."""
    try:
        files, place = open_files(f"{state}/{VIEWS}")
        entries = files.get_file_info(fs.FileSelector(place, allow_not_found=True, recursive=True))
    except (OSError, StateError, pa.ArrowException):
        return 0
    limit = time.time() - older
    written: dict[str, float] = {}
    for info in entries:
        folder = info.path.removeprefix(place).lstrip("/").split("/", 1)[0]
        written[folder] = max(written.get(folder, 0.0), (info.mtime_ns or 0) / 1e9)
    return sum(_remove(files, f"{place}/{folder}") for folder, last in written.items() if last <= limit)


def remove_folders(folders: Iterable[str]) -> int:
    """Remove the folders of some DataFrames; returns how many existed."""
    return sum(_remove(*open_files(folder)) for folder in folders)


def _remove(files: fs.FileSystem, folder: str) -> bool:
    try:
        files.delete_dir(folder)
    except OSError:
        return False
    return True
