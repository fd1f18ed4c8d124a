"""Heavy columns: one of their values has enough facts that its owner would have far more than its share.

Law: this is only advice; a placement determines what is sent, never what is derived. Facts are sampled evenly, so that
the cost does not grow with the state, and the same facts lead to the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tidelog.rewrite.place.heavy import HeavyColumns
from tidelog.store.image.delta import Cells
from tidelog.store.image.reshare import MergedRecords

SAMPLE = 1 << 12  # facts that are examined
FEW = 1 << 10  # facts of a relation whose placement does not matter
SMALL = 1 << 16  # the most facts of a relation that is mirrored for the benefit of another
UNEVEN = 1.4  # the fullest partition, as a multiple of the mean, from which on the placement matters


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
    """By relation, the relations that have no more facts on all partitions together than it has once."""
    sizes = {name: 0 if (facts := whole.sample(name, SMALL, 1)) is None else len(facts) for name in names}
    copied = {name: size * partitions for name, size in sizes.items() if size < SMALL}
    return {large: {n for n, facts in copied.items() if whole.sample(large, 1, facts) is not None} for large in beside}


def unevenness(cells: Cells, partitions: int) -> float:
    """The load of the partition that owns the most frequent value, divided by the mean, if the others spread evenly.

    >>> unevenness(np.array([7, 7, 7, 7, 1, 2, 3, 4]), 4)
    2.5
    """
    _, counts = np.unique(cells, return_counts=True)
    share = float(counts.max(initial=0)) / max(1, len(cells))
    return share * partitions + 1 - share
