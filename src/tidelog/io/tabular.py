"""The accepted forms of rows, for type checkers.

Law: these names serve type checkers only; `rows` decides what is accepted and reports the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt


class HasArrowStream(Protocol):
    """An Arrow table, record batch or reader, or any other object with the Arrow PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with a stream of record batches."""


class HasArrowArray(Protocol):
    """A record batch with the Arrow PyCapsule protocol."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        """Two capsules: schema and array."""


class HasColumns(Protocol):
    """A data frame of pandas, of Spark or of another library."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


Row: TypeAlias = tuple[Any, ...] | list[Any] | Mapping[str, Any]
Tabular: TypeAlias = Iterable[Row] | HasArrowStream | HasArrowArray | HasColumns | npt.NDArray[Any]
