"""Complete iterations of any size: the executions between pipelined and synchronous.

Law (PPDP 2011, discussion after Corollary 15): a node may take as many of its updates per iteration as it likes.
"""

from __future__ import annotations

import random

from tidelog.lab.semantics.annotation import PLAIN, Annotation
from tidelog.lab.semantics.executions.execution import Execution


class BatchedExecution(Execution):
    """Iterations of random size between 1 and ``most``, by seed."""

    name = "batched"

    def __init__(
        self,
        annotation: Annotation = PLAIN,
        *,
        most: int = 4,
        seed: int = 0,
        sets: bool = False,
        central: bool = False,
        record: bool = False,
    ) -> None:
        super().__init__(annotation, sets=sets, central=central, record=record)
        self._most, self._random = most, random.Random(seed)

    def size(self) -> int:
        """A new size for every iteration."""
        return self._random.randint(1, self._most)
