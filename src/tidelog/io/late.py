"""Parts of Arrow that are imported at their first use: they take longer to import than a small program to run."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _LateModule:
    """A module that is imported when one of its attributes is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


compute = _LateModule("pyarrow.compute")
csv = _LateModule("pyarrow.csv")
files = _LateModule("pyarrow.fs")
parquet = _LateModule("pyarrow.parquet")
