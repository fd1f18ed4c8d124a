"""Heavy columns: one of their values has enough facts that its owner would have far more than its share.

Law: advice alone; a placement decides what is sent, never what is derived. Facts are sampled evenly, so that the cost
does not grow with the state, and the same facts give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tidelog.rewrite.place.heavy import HeavyColumns
from tidelog.store.image.delta import Cells
from tidelog.store.image.reshare import MergedRecords

SAMPLE = 1 << 12  # facts that are looked at
FEW = 1 << 10  # facts of a relation that live anywhere
SMALL = 1 << 16  # facts of a relation that is put on every partition for the sake of another, at most
UNEVEN = 1.4  # times the mean that the fullest partition holds before it matters


def heavy_columns(whole: MergedRecords, names: Sequence[str], partitions: int) -> HeavyColumns:
    """By relation, the columns that are heavy on this number of partitions, with the relations that are much smaller.

    For a relation whose columns are all heavy, none is returned.
    """
    found = {}
    for name in names:
        sample = whole.sample(name, SAMPLE, FEW)
        if sample is not None:
            columns = range(sample.shape[1])
            heavy = frozenset(c for c in columns if unevenness(sample[:, c], partitions) > UNEVEN)
            if heavy and len(heavy) < len(columns):
                found[name] = heavy
    return HeavyColumns(found, _small(whole, names, found, partitions) if found else {})


def _small(whole: MergedRecords, names: Iterable[str], beside: Iterable[str], partitions: int) -> dict[str, set[str]]:
    """By relation those that have, on all partitions together, no more facts than it has once."""
    sizes = {name: 0 if (facts := whole.sample(name, SMALL, 1)) is None else len(facts) for name in names}
    copied = {name: size * partitions for name, size in sizes.items() if size < SMALL}
    return {large: {n for n, facts in copied.items() if whole.sample(large, 1, facts) is not None} for large in beside}


def unevenness(cells: Cells, partitions: int) -> float:
    """How many times the mean the partition holds that owns the most frequent value, if the others spread evenly.

    >>> unevenness(np.array([7, 7, 7, 7, 1, 2, 3, 4]), 4)
    2.5
    """
    _, counts = np.unique(cells, return_counts=True)
    share = float(counts.max(initial=0)) / max(1, len(cells))
    return share * partitions + 1 - share
