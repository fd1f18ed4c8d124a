"""A task that inspects the environment of the future partitions, and reports what it found.

Law: the task needs only the standard library and the packages that it tries to import, so that a worker without tidelog
can still report that it is missing. It is pickled by value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "host string, python string, tidelog string, home string, folder string, driver string"
PATIENCE = 10.0  # seconds for a connection to the driver


def make_probe(
    folder: str | None, mark: str, driver: tuple[str, int] | None = None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The task: one row with the worker's host, Python, tidelog (or the error), its place, and the mark in the folder.

    The last column is the reason why the driver's endpoint cannot be reached, if so.
    """
    patience = PATIENCE

    def probe(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import importlib
        import socket
        import sys

        import pyarrow

        for _ in batches:
            pass
        version = home = ""
        try:
            importlib.import_module("pyarrow.flight")
            package = importlib.import_module("tidelog")
            version, home = package.__version__, str(package.__file__)
        except BaseException as error:  # reported to the driver, which writes the message
            version = f"!{type(error).__name__}: {error}"
        found = read() if folder is not None else ""
        python = ".".join(map(str, sys.version_info[:2]))
        row = {"host": socket.gethostname(), "python": python, "tidelog": version, "home": home, "folder": found}
        yield pyarrow.RecordBatch.from_pylist([{**row, "driver": call()}])

    def call() -> str:
        import socket

        try:
            if driver is not None:
                socket.create_connection(driver, timeout=patience).close()
        except OSError as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def read() -> str:
        from pyarrow import fs

        try:
            place, path = fs.FileSystem.from_uri(folder) if "://" in str(folder) else (fs.LocalFileSystem(), folder)
            with place.open_input_stream(f"{path}/{mark}") as stream:
                return bytes(stream.read()).decode()
        except Exception as error:  # reported to the driver, which writes the message
            return f"!{type(error).__name__}: {error}"

    for function in (probe, call, read):
        function.__module__ = "__main__"  # functions that belong to no module are pickled by value
    return probe
