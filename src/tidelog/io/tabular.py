"""What rows may be given as, for type checkers.

Law: these are names for type checkers; what is really taken, and what is said of the rest, is up to `rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy.typing as npt


class HasArrowStream(Protocol):
    """An Arrow table, record batch or reader, or whatever else speaks the Arrow PyCapsule protocol."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with a stream of record batches."""


class HasArrowArray(Protocol):
    """A record batch that speaks the Arrow PyCapsule protocol."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        """Two capsules: schema and array."""


class HasColumns(Protocol):
    """A data frame of pandas, of Spark or of another library."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""


Row: TypeAlias = tuple[Any, ...] | list[Any] | Mapping[str, Any]
Tabular: TypeAlias = Iterable[Row] | HasArrowStream | HasArrowArray | HasColumns | npt.NDArray[Any]
