"""What a partition knows about its relations: sizes, distinct keys, and the lengths of the keys' chains.

Law: an estimate only chooses between plans that find the same supports. Keys are counted when a planner first asks for
them, in a sample of the records, and again when the relation has grown or shrunk by a factor since; an existing index
provides their number at no cost.

How many rows does a look-up meet? For a key drawn from all keys it is n / D; for a key drawn from the rows themselves,
as when hubs meet hubs, it is the sum of squares F2 / n. Since it is not known where a key comes from, the geometric
mean of the two is used: without skew they are the same, and a relation with a few heavy keys is estimated to cost more
than its average suggests.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.kernel.layout import LIVE, LIVE_ROWS, ROWS
from tidelog.partition.memory.records import STATE
from tidelog.partition.memory.relations import Relations

GROWING = 1000  # the least size that a relation of the own stratum is assumed to reach
AGAIN = 4  # the factor by which a relation must have changed before its keys are counted again
SAMPLE = 1 << 15  # rows that are examined, if there are more; they are drawn from all parts of the relation


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of ``rows`` facts: how many are distinct, and how many facts a look-up meets."""

    rows: int
    distinct: float
    chain: float


def count_keys(records: Cells, columns: tuple[int, ...]) -> Keys:
    """Count the keys that records have in some columns: exactly, or estimated from a sample if there are many.

    Of d keys in a sample of n of N rows, f of which occur once in it, about d / (1 - (1 - n/N) f/n) exist (the
    first-order jackknife of Haas and Stokes, 1998): d if all occur often, N if none occurs twice.

    >>> found = count_keys(np.array([[1, 1], [1, 2], [1, 3], [2, 1]]), (0,))
    >>> found.distinct, round(found.chain, 2)
    (2.0, 2.24)
    """
    rows = len(records)
    drawn = slice(None) if rows <= SAMPLE else _drawn(rows)
    counts = np.unique(_mixed([records[drawn, column] for column in columns]), return_counts=True)[1]
    if rows <= SAMPLE:
        return _keys(rows, float(len(counts)), _squares(counts))
    part, once = SAMPLE / rows, int(np.count_nonzero(counts == 1))
    pairs = (_squares(counts) - SAMPLE) / part**2
    return _keys(rows, len(counts) / (1 - (1 - part) * once / SAMPLE), rows + pairs)


def _drawn(rows: int) -> Cells:
    """The rows of a sample: one of each interval of equal length, anywhere in it, so that no period is met."""
    return ((np.arange(SAMPLE) + np.random.default_rng(rows).random(SAMPLE)) * (rows / SAMPLE)).astype(np.int64)


def _keys(rows: int, distinct: float, squares: float) -> Keys:
    distinct = min(max(1.0, distinct), max(1.0, float(rows)))
    average = rows / distinct
    return Keys(rows, distinct, sqrt(average * max(average, squares / max(1, rows))))


def _mixed(columns: Sequence[Cells]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A hash of every key."""
    mixed = np.full(len(columns[0]), 0x2545F4914F6CDD1D, np.uint64)
    for column in columns:
        mixed ^= column.astype(np.uint64)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(32))


class Statistics:
    """The statistics of a partition; what was counted is remembered."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._known: dict[tuple[int, tuple[int, ...]], Keys] = {}

    def live(self, name: str) -> int:
        """The number of facts of a relation."""
        number = self._relations.numbers.get(name)
        return 0 if number is None else self._relations.live(number)

    def keys(self, name: str, columns: tuple[int, ...]) -> Keys:
        """The keys that a relation has in some columns."""
        relations = self._relations
        number = relations.numbers[name]
        rows, known = relations.live(number), self._known.get((number, columns))
        if known is None or not known.rows <= rows * AGAIN or not rows <= known.rows * AGAIN:
            known = self._known[number, columns] = count_keys(self._live_records(number), columns)
        counted = relations.distinct_keys(number, columns)
        return known if not counted else _with_distinct(known, rows, counted)

    def distinct(self, name: str, columns: tuple[int, ...]) -> float:
        """How many keys a relation has in some columns; an index provides it at no cost."""
        counted = self._relations.distinct_keys(self._relations.numbers[name], columns)
        return float(counted) if counted else self.keys(name, columns).distinct

    def is_linked(self, name: str, columns: tuple[int, ...]) -> bool:
        """Whether an index on the columns, or on one of them, has been read."""
        relations, number = self._relations, self._relations.numbers.get(name)
        if number is None:
            return False
        some = (columns, *((column,) for column in columns))
        return any(relations.distinct_keys(number, each) is not None for each in some)

    def seen_from(self, own: Collection[str], *, counted: bool = True) -> PlannerStatistics:
        """The statistics as the rules of a stratum with these relations see them; keys are counted if ``counted``."""
        return PlannerStatistics(self, own, counted)

    def _live_records(self, number: int) -> Cells:
        records, row = self._relations.records(number), self._relations.directory[number]
        return records if row[LIVE_ROWS] == row[ROWS] else records[records[:, STATE] & LIVE != 0]


def _with_distinct(known: Keys, rows: int, distinct: int) -> Keys:
    """Keys counted a while ago, with the present number of distinct ones from an index."""
    heavier = known.chain * known.distinct / max(1, known.rows)  # than the average
    return Keys(rows, float(distinct), heavier * rows / distinct)


class PlannerStatistics:
    """The statistics for the planner; relations of the own stratum are expected to grow."""

    def __init__(self, statistics: Statistics, own: Collection[str], counted: bool) -> None:
        self._statistics, self._own, self._counted = statistics, own, counted

    def matching(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """The approximate number of facts that agree on the columns, given values that occur there."""
        size = self._size(relation)
        if not columns:
            return size
        if len(columns) == arity:
            return min(1.0, size)
        if self._is_known(relation):
            return self._statistics.keys(relation, columns).chain
        return float(size ** (1 - len(columns) / arity))

    def distinct(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """The approximate number of different values in the columns, at least one."""
        if len(columns) == arity:
            return max(1.0, self._size(relation))
        if self._is_known(relation):
            return self._statistics.distinct(relation, columns)
        return float(max(1.0, self._size(relation) ** (len(columns) / arity)))

    def is_linked(self, relation: str, columns: tuple[int, ...]) -> bool:
        """Whether an index that a look-up by these columns can use exists and has been read."""
        return self._statistics.is_linked(relation, columns)

    def _is_known(self, relation: str) -> bool:
        live = self._statistics.live(relation)
        return self._counted and live > 0 and (live >= GROWING or relation not in self._own)

    def _size(self, relation: str) -> float:
        live = self._statistics.live(relation)
        return float(max(live, GROWING) if relation in self._own else live)


def _squares(counts: Cells) -> float:
    """The sum of the squares. Not a product of vectors: the threads that compute those stay active long after it."""
    return float(np.square(counts, dtype=np.float64).sum())
