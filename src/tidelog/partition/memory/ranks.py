"""The ranks of all facts of some relations: operations for merging strata and closing up ranks.

Law: ranks are compared inside a stratum only, and only their order counts. A relation's ranks count from a base, so
that raising all of them costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.kernel import layout as at
from tidelog.partition.memory import records
from tidelog.partition.memory.relations import Relations


def highest_rank(relations: Relations, names: Iterable[str]) -> int:
    """The highest rank of the facts of some relations; 0 if there are none."""
    numbers = [relations.numbers[name] for name in names]
    found = (records.ranks(relations.records(n), records.rank_base(relations, n)) for n in numbers)
    return max((int(ranks.max(initial=0)) for ranks in found), default=0)


def raise_ranks(relations: Relations, names: Iterable[str], offset: int) -> None:
    """Merge of strata: all facts of these relations rank higher by ``offset``."""
    relations.directory[[relations.numbers[name] for name in names], at.RANK_BASE] += offset


def close_ranks(relations: Relations, names: Iterable[str]) -> int:
    """Renumber the ranks of a stratum's facts from 1, in the same order; no count changes. Returns the highest rank."""
    numbers = [relations.numbers[name] for name in names]
    highest = records.close_ranks([(relations.records(n), records.rank_base(relations, n)) for n in numbers])
    relations.directory[numbers, at.RANK_BASE] = 0
    return highest
