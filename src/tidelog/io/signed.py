"""Rows with a change column: +1 for inserted rows, -1 for deleted rows, or the kind of change as a text.

Law: every row has one of the two signs, or all are refused: a null, a 0 or a 2 is a mistake in the data, and skipping
such rows would lose changes. The texts are those of the change feeds of tables (Delta, Iceberg and Spark's own): an
update is the deletion of a row and the insertion of another. Columns that such a feed adds to those of its table are
not part of the relation. Spark tasks refuse the same rows with the same message (`spark.rows.check`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tidelog.io.io_failures import CHANGE_COLUMN, CHANGE_TYPE, ROWS_REFUSED
from tidelog.io.late import compute as pc

if TYPE_CHECKING:
    from tidelog.errors import DataError
    from tidelog.io.rows import Data

NO_SIGN = "the change column contains neither +1 nor -1 nor a kind of change"
KINDS = {  # of change, in small letters
    "insert": 1,
    "update_postimage": 1,
    "update_after": 1,
    "delete": -1,
    "update_preimage": -1,
    "update_before": -1,
}
FEED_CHANGE = "_change_type"  # the name of the change column in the feeds of Delta, Iceberg and Spark
FEED_COLUMNS = ("_commit_version", "_commit_timestamp", "_change_ordinal", "_commit_snapshot_id")  # their other columns
Mask = npt.NDArray[np.bool_]


def by_sign(relation: str, rows: Data, change: str) -> list[tuple[int, Data]]:
    """The inserted and the deleted rows, without the change column.

    >>> from tidelog.io.rows import read_rows
    >>> rows = read_rows("p", [{"x": 4, "sign": 1}, {"x": 5, "sign": -1}])
    >>> [(sign, part.columns) for sign, part in by_sign("p", rows, "sign")]
    [(1, ([4],)), (-1, ([5],))]
    """
    if not rows.length and rows.names is None:
        return []
    names = rows.names or ()
    if names.count(change) != 1:
        raise CHANGE_COLUMN.error(relation=relation, change=change, there=", ".join(names) or "no names")
    place = names.index(change)
    masks = _signs(relation, rows.columns[place], change)
    aside = aside_names(change)
    rest = tuple(column for column, name in zip(rows.columns, names, strict=True) if name not in aside)
    other_names = tuple(name for name in names if name not in aside)
    wrong = np.flatnonzero(~(masks[1] | masks[-1]))
    if len(wrong):
        example = {name: _value(column, int(wrong[0])) for name, column in zip(other_names, rest, strict=True)}
        example_text = json.dumps(example, separators=(",", ":"), default=str, ensure_ascii=False)
        raise refusal(relation, len(wrong), example_text, NO_SIGN)
    return [
        (sign, replace(rows, columns=tuple(_filter(c, mask) for c in rest), length=int(mask.sum()), names=other_names))
        for sign, mask in masks.items()
    ]


def aside_names(change: str) -> tuple[str, ...]:
    """The columns that are not part of the relation.

    >>> aside_names("op")
    ('op',)
    """
    return (change, *FEED_COLUMNS) if change == FEED_CHANGE else (change,)


def refusal(relation: str, bad: int, example: str, reason: str) -> DataError:
    """The error for rows that do not fit."""
    count = "1 row does" if bad == 1 else f"{bad:,} rows do"
    return ROWS_REFUSED.error(relation=relation, count=count, example=example, reason=reason)


def _signs(relation: str, column: Any, change: str) -> dict[int, Mask]:
    """Masks of the inserted and the deleted rows."""
    if isinstance(column, pa.ChunkedArray):
        if is_text(column.type):
            kinds = pc.utf8_lower(column.cast(pa.string()))
            named = {sign: [kind for kind, known in KINDS.items() if known == sign] for sign in (1, -1)}
            return {sign: pc.is_in(kinds, value_set=pa.array(found)).to_numpy() for sign, found in named.items()}
        if not pa.types.is_integer(column.type):
            raise CHANGE_TYPE.error(relation=relation, change=change, type=column.type)
        return {sign: _equal(column, sign) for sign in (1, -1)}
    if isinstance(column, np.ndarray):
        if column.dtype.kind != "i":
            raise CHANGE_TYPE.error(relation=relation, change=change, type=column.dtype)
        return {sign: column == sign for sign in (1, -1)}
    if column and all(isinstance(value, str | None) for value in column):
        column = [None if value is None else KINDS.get(value.lower()) for value in column]
    for value in column:
        if isinstance(value, bool) or not isinstance(value, int | np.integer | None):
            raise CHANGE_TYPE.error(relation=relation, change=change, type=type(value).__name__)
    return {sign: np.array([value == sign for value in column], bool) for sign in (1, -1)}


def is_text(kind: pa.DataType) -> bool:
    """Whether a column contains texts."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return any((pa.types.is_string(kind), pa.types.is_large_string(kind), pa.types.is_string_view(kind)))


def _equal(column: pa.ChunkedArray, sign: int) -> Mask:
    """The rows whose value equals a sign; nulls do not, and unsigned numbers are never -1."""
    if sign < 0 and pa.types.is_unsigned_integer(column.type):
        return np.zeros(len(column), bool)
    mask: Mask = pc.is_in(column, value_set=pa.array([sign], column.type)).to_numpy()
    return mask


def _filter(column: Any, mask: Mask) -> Any:
    if isinstance(column, pa.ChunkedArray):
        return column.filter(pa.array(mask))
    return column[mask] if isinstance(column, np.ndarray) else list(compress(column, mask))


def _value(column: pa.ChunkedArray | npt.NDArray[Any] | Sequence[Any], place: int) -> Any:
    value = column[place]
    return value.as_py() if isinstance(value, pa.Scalar) else value.item() if isinstance(value, np.generic) else value
