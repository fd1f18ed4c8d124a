"""Heavy columns: those one value of which so many facts have that their owner would hold far more than its share.

Law: advice alone; a placement decides what is sent, never what is derived. Facts are sampled evenly, so that the cost
does not grow with the state, and the same facts give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tidelog.store.delta import Cells
from tidelog.store.reshare import Whole

SAMPLE = 1 << 12  # facts that are looked at
FEW = 1 << 10  # facts of a relation that live anywhere
UNEVEN = 1.4  # times the mean that the fullest partition holds before it matters


def heavy_columns(whole: Whole, names: Iterable[str], partitions: int) -> dict[str, frozenset[int]]:
    """By relation the columns that are heavy on so many partitions; of one whose columns all are, none is told."""
    found = {}
    for name in names:
        sample = whole.sample(name, SAMPLE, FEW)
        if sample is not None:
            columns = range(sample.shape[1])
            heavy = frozenset(c for c in columns if unevenness(sample[:, c], partitions) > UNEVEN)
            if heavy and len(heavy) < len(columns):
                found[name] = heavy
    return found


def unevenness(cells: Cells, partitions: int) -> float:
    """How many times the mean the partition holds that owns the most frequent value, if the others spread evenly.

    >>> unevenness(np.array([7, 7, 7, 7, 1, 2, 3, 4]), 4)
    2.5
    """
    _, counts = np.unique(cells, return_counts=True)
    share = float(counts.max(initial=0)) / max(1, len(cells))
    return share * partitions + 1 - share
