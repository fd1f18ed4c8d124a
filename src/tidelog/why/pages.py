"""Pages of facts that a question visits.

Law: pages are kept for the rest of the question, and pages that will be needed soon are requested together, so that on
several partitions a step takes a few calls. All pages belong to one state: the last committed epoch, or the one that
ran and is not committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tidelog.kernel.cells import Cells
from tidelog.partition.reading.fact_pages import ALL, FactPage, FactPattern
from tidelog.runtime.protocol.facts import Facts

REMEMBERED = 1 << 16  # pages


class Pages:
    """The pages that one question has read; if facts are not ``far`` away, nothing is requested in advance."""

    def __init__(self, facts: Facts, *, running: bool, far: bool) -> None:
        self._facts, self._running, self.far = facts, running, far
        self._seen: dict[FactPattern, FactPage] = {}

    def ahead(self, patterns: Iterable[FactPattern]) -> None:
        """Request what is needed next, all at once."""
        if self.far:
            missing = [one for one in dict.fromkeys(patterns) if one not in self._seen]
            if missing:
                self._remember(missing)

    def page(self, pattern: FactPattern) -> FactPage:
        """One page of the requested facts."""
        if pattern not in self._seen:
            self._remember([pattern])
        return self._seen[pattern]

    def facts(self, pattern: FactPattern) -> Iterator[tuple[tuple[int, ...], int]]:
        """The requested facts with their ranks, page by page; within each partition, the oldest records first."""
        while True:
            found = self.page(pattern)
            yield from zip(map(tuple, found.cells.tolist()), found.ranks.tolist(), strict=True)
            if not found.more:
                return
            pattern = pattern.following()

    def all_cells(self, pattern: FactPattern) -> tuple[Cells, Cells]:
        """The columns of all requested facts, and the rows that each stands for."""
        (found,) = self._facts.find([replace(pattern, count=ALL)], running=self._running)
        return found.cells, found.weights

    def _remember(self, patterns: list[FactPattern]) -> None:
        if len(self._seen) > REMEMBERED:
            self._seen.clear()
        self._seen.update(zip(patterns, self._facts.find(patterns, running=self._running), strict=True))
