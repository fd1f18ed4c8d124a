"""Parts of Arrow that are imported at their first use: they take longer to import than a small program to run."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Late:
    """A module that is imported when one of its attributes is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


compute = _Late("pyarrow.compute")
csv = _Late("pyarrow.csv")
files = _Late("pyarrow.fs")
parquet = _Late("pyarrow.parquet")
