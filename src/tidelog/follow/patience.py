"""How long to wait before the next try.

Law: twice as long each time up to a bound, a little at random so that many do not come at once; after a success from
the start again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(slots=True)
class Patience:
    """Seconds to wait, from ``first`` to ``most``.

    >>> patience = Patience(1, 5, spread=0)
    >>> [patience.next() for _ in range(4)]
    [1.0, 2.0, 4.0, 5.0]
    """

    first: float = 0.1
    most: float = 30.0
    spread: float = 0.2
    failures: int = 0

    def next(self) -> float:
        """The seconds before the next try."""
        wait = min(self.most, self.first * 2.0 ** min(self.failures, 30))
        self.failures += 1
        return wait * (1 + random.uniform(-self.spread, self.spread))

    def reset(self) -> None:
        """Something went well."""
        self.failures = 0
