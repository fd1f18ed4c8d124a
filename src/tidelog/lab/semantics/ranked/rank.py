"""Ranks: a depth and a clock, compared in that order.

Law: a fact that becomes present has a greater depth than the body of the support that made it present; the clock orders
facts of equal depth by the time at which they became present at their node. Facts of lower strata and assertions count
as `GROUND`, which is below every rank that is assigned.
"""

from __future__ import annotations

from typing import NamedTuple


class Rank(NamedTuple):
    """The rank of a fact.

    >>> Rank(1, 9) < Rank(2, 3) < Rank(2, 4)
    True
    >>> str(Rank(2, 3))
    '2:3'
    """

    depth: int
    clock: int

    def __str__(self) -> str:
        return f"{self.depth}:{self.clock}"


GROUND = Rank(0, 0)
