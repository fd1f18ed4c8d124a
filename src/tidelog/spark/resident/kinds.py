"""The classes whose objects calls carry, named beforehand.

Law: what is not named here is neither written nor made; a name that comes over the network is only looked up. This
module knows none of the classes: the package that makes the calls names them (`carried`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from operator import attrgetter
from typing import Any

import numpy as np

_NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?")
DTYPES = {dtype.str: dtype for dtype in map(np.dtype, _NUMBERS)}  # of the arrays that calls carry


@dataclass(frozen=True, slots=True)
class Kind:
    """How an object of a carried class is taken apart and made."""

    name: bytes
    parts: Callable[[Any], Sequence[object]]
    make: Callable[..., object]
    by_columns: bool = False  # long lists of them are written so; then none of them is met twice


OF_CLASS: dict[type, Kind] = {}
OF_NAME: dict[bytes, Kind] = {}


def carry(
    cls: type,
    parts: Callable[[Any], Sequence[object]],
    make: Callable[..., object],
    *,
    by_columns: bool = False,
) -> None:
    """Let objects of a class travel: as their parts, from which the other side makes them."""
    kind = Kind(f"{cls.__module__}.{cls.__qualname__}".encode(), parts, make, by_columns)
    OF_CLASS[cls] = OF_NAME[kind.name] = kind


def carry_fields(*classes: type) -> None:
    """Let objects of data classes and named tuples travel, as their fields."""
    for cls in classes:
        names = [f.name for f in fields(cls) if f.init] if is_dataclass(cls) else list(vars(cls)["_fields"])
        carry(cls, _getter(names), cls)


def _getter(names: Sequence[str]) -> Callable[[Any], Sequence[object]]:
    if len(names) == 1:
        (only,) = names
        return lambda value: (getattr(value, only),)
    return attrgetter(*names) if names else lambda value: ()
