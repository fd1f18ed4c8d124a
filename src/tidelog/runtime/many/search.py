"""Find the facts that a question looks for, on the partitions that hold them.

Law: a partition is asked only for what it may hold: only the owner if the location is known, one partition for a
mirrored relation unless ranks are compared (then the lowest rank of a fact counts), otherwise all. Look-ups made
together are one call, and nothing is moved that was not requested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tidelog.partition.base.owner import owners_of
from tidelog.partition.reading.fact_pages import ALL, FactPage, FactPattern, together
from tidelog.rewrite.place.placement import MIRRORED
from tidelog.runtime.base.call import Call
from tidelog.runtime.base.distribution import Distribution
from tidelog.runtime.protocol.facts import KeyCounts
from tidelog.runtime.protocol.nodes import Nodes
from tidelog.runtime.protocol.recovery import Recovery
from tidelog.runtime.protocol.service import Service


@dataclass(slots=True)
class MoveCounts:
    """What questions have read from partitions: the number of requests and of facts."""

    calls: int = 0
    facts: int = 0


class Search:
    """Look-ups for questions on the partitions of one engine."""

    def __init__(self, nodes: Nodes, recovery: Recovery, distribution: Callable[[], Distribution]) -> None:
        self._nodes, self._recovery, self._distribution = nodes, recovery, distribution
        self.moved = MoveCounts()

    def find(self, patterns: Sequence[FactPattern], *, running: bool = False) -> list[FactPage]:
        """The requested facts, each once."""
        asked = [replace(one, first=0, count=ALL) if self._has_copies(one) else one for one in patterns]
        holders = [self._holders(one) for one in asked]
        shares = [[w for w, who in zip(asked, holders, strict=True) if n in who] for n in range(self._nodes.partitions)]
        answers = [iter(answer) for answer in self._answers(shares, running)]
        parts = [[next(answers[number]) for number in who] for who in holders]
        self.moved.calls += 1
        self.moved.facts += sum(len(part.cells) for found in parts for part in found)
        return [together(found, copies=self._has_copies(one)) for one, found in zip(asked, parts, strict=True)]

    def _answers(self, shares: Sequence[Sequence[FactPattern]], running: bool) -> list[list[FactPage]]:
        """What each partition finds for its share of the patterns; if only one has a share, no other is asked."""
        busy = [number for number, share in enumerate(shares) if share]
        if len(busy) > 1:
            calls = [Call(Service.find, share, running) for share in shares]
            return self._recovery.ask(lambda: self._nodes.ask_each(calls))
        answers: list[list[FactPage]] = [[] for _ in shares]
        if busy:
            (one,) = busy
            answers[one] = self._recovery.ask(lambda: self._nodes.ask_one(one, Service.find, shares[one], running))
        return answers

    def _holders(self, pattern: FactPattern) -> list[int]:
        """The partitions that may hold requested facts, in order."""
        place, everyone = self._distribution().places.get(pattern.relation, 0), list(range(self._nodes.partitions))
        if self._has_copies(pattern):
            return everyone
        if place in pattern.columns:
            cell = np.array([pattern.key[pattern.columns.index(place)]], np.int64)
            return [int(owner) for owner in owners_of(cell, self._nodes.partitions)]
        return everyone if place >= 0 else [0]

    def _has_copies(self, pattern: FactPattern) -> bool:
        """Whether several partitions may return the same fact; their orders differ, so that there are no pages."""
        place = self._distribution().places.get(pattern.relation)
        return bool(pattern.shown_by) or (pattern.ranked and place == MIRRORED)

    def key_counts(self) -> KeyCounts:
        """A function that returns a lower bound of the number of keys of an index; one request counts all indexes."""
        counts: list[dict[tuple[str, tuple[int, ...]], int]] = []
        places = self._distribution().places

        def count(name: str, columns: tuple[int, ...]) -> int | None:
            if not counts:
                counts.extend(self._recovery.ask(lambda: self._nodes.ask(Service.key_counts)))
            found = [part[name, columns] for part in counts if (name, columns) in part]
            return (sum if places.get(name) in columns else max)(found) if found else None

        return count
