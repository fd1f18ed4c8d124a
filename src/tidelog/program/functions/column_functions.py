"""User functions that take a column of values for each parameter, and return a column of results.

Law: the result of a row depends on the values of that row only, so that results are the same however rows are divided
into columns; a single row is a column of one value. Numbers are passed as arrays of numpy (int64, uint64, float64),
other values as lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidelog.program.values.term import FLOAT, NUMBER, UNSIGNED, Value

_ARRAYS = {NUMBER: "int64", UNSIGNED: "uint64", FLOAT: "float64"}


def column_of(values: Sequence[Value], type_: str) -> Any:
    """A column as it is passed to a function.

    >>> column_of([1, 2], "number").dtype, column_of(["a"], "symbol")
    (dtype('int64'), ['a'])
    """
    if type_ not in _ARRAYS:
        return list(values)
    import numpy as np

    return np.array(values, _ARRAYS[type_])


def listed_results(found: object, rows: int) -> Sequence[object]:
    """The results of a function for some rows; an error unless there is one for each.

    >>> import numpy as np
    >>> listed_results(np.array([1, 2]), 2), listed_results(("a",), 1)
    ([1, 2], ('a',))
    """
    listed = found.tolist() if hasattr(found, "tolist") else found
    if not isinstance(listed, list | tuple):
        raise TypeError(f"it takes columns, and must return a list or an array, not {type(found).__name__}")
    if len(listed) != rows:
        raise ValueError(f"it returned {len(listed)} results for {rows} rows")
    return listed
