"""The seam between the engine and the place where partitions live.

Law: an epoch's work is a value; a runtime carries it out whole, or raises and is as it was before. Where there are
several partitions each gets the same work with its own share of the facts, and all take the same steps: a step ends
with a request that every partition makes at the same place, and goes on with the answer, which is the same for all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from tidelog.kernel.cells import Cells


@dataclass(slots=True)
class StratumStatistics:
    """What an epoch did in one stratum."""

    relations: tuple[str, ...]
    seconds: float = 0.0
    supports: int = 0
    suspended: int = 0
    revived: int = 0


class RowChanges(Mapping[str, tuple[Cells, Cells]]):
    """The changed rows (inserted, deleted) of every relation that changed, read when they are asked for.

    Whoever moves records calls `settle` first, so that what is read is always what the epoch did.
    """

    def __init__(self, readers: Mapping[str, Callable[[], tuple[Cells, Cells]]]) -> None:
        self.run = 0  # the number under which several partitions keep them
        self._readers = readers
        self._read: dict[str, tuple[Cells, Cells]] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> tuple[Cells, Cells]:
        with self._lock:
            if name not in self._read:
                self._read[name] = self._readers[name]()
            return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def __reduce__(self) -> tuple[Callable[..., RowChanges], tuple[dict[str, tuple[Cells, Cells]]]]:
        return _row_changes, (dict(self),)

    def settle(self) -> None:
        """Read everything that was not read yet."""
        for name in self._readers:
            self[name]


def _row_changes(rows: Mapping[str, tuple[Cells, Cells]]) -> RowChanges:
    """Changes that were read elsewhere."""
    found = RowChanges({})
    found._read.update(rows)
    found._readers = {name: partial(found._read.__getitem__, name) for name in rows}
    return found


@dataclass(slots=True)
class EpochOutcome:
    """What an epoch did: changed rows of every relation (inserted, deleted), and statistics.

    ``supports`` counts supports found per core rule. Times are in seconds.
    """

    changes: RowChanges = field(default_factory=lambda: RowChanges({}))
    strata: list[StratumStatistics] = field(default_factory=list)
    supports: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    suspended: int = 0
    revived: int = 0
    rounds: int = 0
    facts: int = 0  # that became present, and bytes held, where there is a limit to them
    bytes: int = 0
    messages: int = 0  # supports sent to other partitions
    exchanges: int = 0  # times that all partitions waited for each other
    sizes: dict[str, int] = field(default_factory=dict)  # facts held of every relation that changed
