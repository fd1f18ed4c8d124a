"""Net changes: what an epoch changes in a relation, and the sum of its signs for each base fact.

Law: a net change has two signs, *inserted* and *deleted*, and no fact has both. The signs of a base fact in an epoch
are summed (D3): above 0 it is asserted, below 0 retracted, at 0 it stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tidelog.kernel.cells import Cells

T = TypeVar("T")


class NetChange(NamedTuple, Generic[T]):
    """What an epoch changes in one relation: rows, records or numbers of facts, by sign."""

    inserted: T
    deleted: T


def net_rows(signed: Mapping[str, Sequence[tuple[int, Cells]]]) -> tuple[dict[str, Cells], dict[str, Cells]]:
    """Rows to assert and rows to retract, per relation."""
    inserts: dict[str, Cells] = {}
    deletes: dict[str, Cells] = {}
    for name, parts in signed.items():
        signs = {sign for sign, _ in parts}
        rows = parts[0][1] if len(parts) == 1 else np.concatenate([cells for _, cells in parts])
        if len(signs) == 1:
            (inserts if signs == {1} else deletes)[name] = rows
            continue
        weights = np.concatenate([np.full(len(cells), sign, np.int64) for sign, cells in parts])
        unique, sums = _summed(rows, weights)
        if (sums > 0).any():
            inserts[name] = unique[sums > 0]
        if (sums < 0).any():
            deletes[name] = unique[sums < 0]
    return inserts, deletes


def _summed(rows: Cells, weights: Cells) -> tuple[Cells, Cells]:
    """Distinct rows and the sum of the weights of each."""
    if rows.shape[1] == 0:
        return rows[:1], np.array([weights.sum()], np.int64)
    unique, places = np.unique(rows, axis=0, return_inverse=True)
    sums = np.zeros(len(unique), np.int64)
    np.add.at(sums, places.reshape(-1), weights)
    return np.ascontiguousarray(unique), sums
