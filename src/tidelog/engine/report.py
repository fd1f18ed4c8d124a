"""What an epoch did, told to the user.

Law: rows are read when they are asked for; relations that did not change have an empty change set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tidelog.engine.view import ChangeSet
from tidelog.runtime.outcome import StratumStatistics


@dataclass(frozen=True, slots=True)
class EpochStatistics:
    """What an epoch cost. ``supports`` counts the supports found or lost per rule; times are in seconds.

    With several partitions ``messages`` counts the supports sent from one to another, and ``exchanges`` how often all
    of them waited for each other.
    """

    seconds: float = 0.0
    supports: Mapping[str, int] = field(default_factory=dict)
    suspended: int = 0
    revived: int = 0
    strata: tuple[StratumStatistics, ...] = ()
    messages: int = 0
    exchanges: int = 0


class Changes(Mapping[str, ChangeSet]):
    """What an epoch changed, by relation; relations that did not change have an empty change set."""

    def __init__(
        self, changed: Iterable[str], make: Callable[[str], ChangeSet], empty: Callable[[str], ChangeSet]
    ) -> None:
        self._changed: dict[str, ChangeSet | None] = dict.fromkeys(changed)
        self._make = make
        self._empty = empty

    def __getitem__(self, name: str) -> ChangeSet:
        if name not in self._changed:
            return self._empty(name)
        change = self._changed[name]
        if change is None:
            change = self._changed[name] = self._make(name)
        return change

    def __iter__(self) -> Iterator[str]:
        return iter(self._changed)

    def __len__(self) -> int:
        return len(self._changed)

    def __repr__(self) -> str:
        return ", ".join(f"{name}: {change!r}" for name, change in self.items()) or "no change"
