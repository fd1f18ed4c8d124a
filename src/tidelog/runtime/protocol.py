"""The seam between the engine and the place where partitions live.

Law: an epoch's work is a value; a runtime carries it out whole, or raises and is as it was before. Where there are
several partitions each gets the same work with its own share of the facts, and all take the same steps: a step ends
with a request that every partition makes at the same place, and goes on with the answer, which is the same for all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import or_

from tidelog.errors import TidelogError
from tidelog.partition.relations import Cells
from tidelog.plan.steps import Plan
from tidelog.program import Rule


@dataclass(frozen=True, slots=True)
class PlannedRule:
    """A core rule with its plans; ``value_type`` is the type of the values that an aggregate rule folds."""

    rule: Rule
    plans: tuple[Plan, ...]
    whole: Plan
    value_type: str = "number"
    everywhere: bool = False  # fires on every partition, and each keeps the heads that it owns
    sends: bool = False  # may send messages to other partitions


@dataclass(frozen=True, slots=True)
class Staged:
    """Rows that Spark tasks have sent to the partitions for an epoch: those of the attempts that were heard of."""

    relation: str
    arity: int
    stage: str
    attempts: tuple[str, ...]


class HostLost(TidelogError):
    """A partition went away; what it held is in the state folder."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"partition {number} is lost: {reason}")
        self.number, self.reason = number, reason

    def __reduce__(self) -> tuple[type[HostLost], tuple[int, str]]:
        return HostLost, (self.number, self.reason)


@dataclass(frozen=True, slots=True)
class EpochWork:
    """What an epoch is to do.

    ``strata`` are the relations evaluated together after the epoch, lower ones first; relations without rules stand
    alone. ``replanned`` rules keep their supports and get new plans.
    """

    arities: Mapping[str, int] = field(default_factory=dict)
    inserts: Mapping[str, Cells] = field(default_factory=dict)
    deletes: Mapping[str, Cells] = field(default_factory=dict)
    added: tuple[PlannedRule, ...] = ()
    removed: tuple[str, ...] = ()
    replanned: tuple[PlannedRule, ...] = ()
    strata: tuple[frozenset[str], ...] | None = None
    places: Mapping[str, int] = field(default_factory=dict)  # of the relations in ``arities``, with several partitions
    staged: tuple[Staged, ...] = ()
    signed: Mapping[str, Sequence[tuple[int, Cells]]] = field(default_factory=dict)  # beside staged rows
    keys: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # of base relations, for staged rows and signed

    @property
    def changes_rules(self) -> bool:
        """Whether more than facts change."""
        return bool(self.added or self.removed or self.replanned) or self.strata is not None


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


@dataclass(frozen=True, slots=True)
class Request:
    """What a partition wants to know of all: how their values join (``any``: bits, ``highest``, ``union``).

    What it sent to the others since its last request has been delivered when the answer comes. ``facts`` and ``bytes``
    are what the epoch has used so far on this partition.
    """

    kind: str
    value: int | frozenset[str]
    sent: int = 0
    facts: int = 0
    bytes: int = 0
    stratum: tuple[str, ...] = ()  # the relations that are being evaluated


Answer = int | frozenset[str]


def join_answers(requests: Sequence[Request]) -> Answer:
    """The answer to requests that all partitions made at the same place.

    >>> join_answers([Request("any", 1), Request("any", 2)])
    3
    >>> join_answers([Request("highest", 1), Request("highest", 2)])
    2
    """
    kinds = {request.kind for request in requests}
    assert len(kinds) == 1, f"partitions are at different places: {sorted(kinds)}"
    values = [request.value for request in requests]
    if kinds == {"union"}:
        return frozenset().union(*(value for value in values if isinstance(value, frozenset)))
    numbers = [value for value in values if isinstance(value, int)]
    return max(numbers) if kinds == {"highest"} else reduce(or_, numbers)
