"""The classes whose objects may be sent in calls, registered in advance.

Law: objects of classes that are not registered are neither written nor created; a name received over the network is
only looked up. This module knows none of the classes: the package that makes the calls registers them (`carried`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from operator import attrgetter
from typing import Any

import numpy as np

_NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?")
DTYPES = {dtype.str: dtype for dtype in map(np.dtype, _NUMBERS)}  # of the arrays in calls


@dataclass(frozen=True, slots=True)
class Kind:
    """How an object of a registered class is split into parts and created from them."""

    name: bytes
    parts: Callable[[Any], Sequence[object]]
    make: Callable[..., object]
    by_columns: bool = False  # long lists of them are written by columns, without looking for repeated objects


OF_CLASS: dict[type, Kind] = {}
OF_NAME: dict[bytes, Kind] = {}


def carry(
    cls: type,
    parts: Callable[[Any], Sequence[object]],
    make: Callable[..., object],
    *,
    by_columns: bool = False,
) -> None:
    """Register a class: its objects are sent as parts, from which the other side creates them."""
    kind = Kind(f"{cls.__module__}.{cls.__qualname__}".encode(), parts, make, by_columns)
    OF_CLASS[cls] = OF_NAME[kind.name] = kind


def carry_fields(*classes: type) -> None:
    """Register data classes and named tuples; their objects are sent as their fields."""
    for cls in classes:
        names = [f.name for f in fields(cls) if f.init] if is_dataclass(cls) else list(vars(cls)["_fields"])
        carry(cls, _getter(names), cls)


def _getter(names: Sequence[str]) -> Callable[[Any], Sequence[object]]:
    if len(names) == 1:
        (only,) = names
        return lambda value: (getattr(value, only),)
    return attrgetter(*names) if names else lambda value: ()
