"""The order of the values of a type, given their cells.

Law (D11): NaN comes last, symbols are compared by their text; cells of types that have no order by their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tidelog.partition.texts.dictionary import Dictionary, cell_float


def order_of(type_: str, dictionary: Dictionary) -> Callable[[int], Any]:
    """The sort key of cells of a type (D11): NaN comes last, symbols are ordered by their text."""
    if type_ == "float":
        return lambda cell: (math.isnan(value := cell_float(cell)), value)
    if type_ == "unsigned":
        return lambda cell: cell % (1 << 64)
    if type_ == "symbol":
        return lambda cell: dictionary.decode(cell, type_)
    return int
