"""The delay before the next attempt.

Law: the delay doubles up to a maximum, with some jitter so that many clients do not reconnect at once; after a success
it starts again with the first delay.
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
        """The seconds to wait before the next attempt."""
        wait = min(self.most, self.first * 2.0 ** min(self.failures, 30))
        self.failures += 1
        return wait * (1 + random.uniform(-self.spread, self.spread))

    def reset(self) -> None:
        """Start again with the first delay, after a success."""
        self.failures = 0
