"""Cells: what the kernel computes with, 64-bit integers in numpy arrays.

Law: a row of a relation is a row of cells; their meaning is known to the layers above.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.int64]


def address(array: npt.NDArray[Any]) -> int:
    """The address of the array's data."""
    return int(array.__array_interface__["data"][0])
