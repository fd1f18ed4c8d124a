"""Find a minimal set of changes that undoes something when it is undone, by trial.

Law: the set that is found was tried, and nothing can be left out: without any one of its changes the rest is not
sufficient. If undoing fewer changes never has a larger effect (no negation, no aggregate in between), no proper subset
is sufficient. Trials are counted; when they are used up, the set found so far still undoes the change and is reported
as not minimal.

    Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002: halves, quarters and so on are left
    out as long as the rest is sufficient.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from tidelog.blame.change import Change, order_of

UndoneChanges = frozenset[Change]


class OutOfTrialsError(Exception):
    """No more trials are left."""


@dataclass(slots=True)
class Search:
    """Tries sets of changes; ``undoes`` returns whether undoing a set alone suffices. No set is tried twice."""

    undoes: Callable[[UndoneChanges], bool]
    most: int
    trials: int = 0
    _known: dict[UndoneChanges, bool] = field(default_factory=dict)

    def does(self, undone: Collection[Change]) -> bool:
        """Whether undoing these changes alone is sufficient; raises `OutOfTrialsError` if no trial is left."""
        key = frozenset(undone)
        if not key:
            return False
        if key not in self._known:
            if self.trials >= self.most:
                raise OutOfTrialsError
            self.trials += 1
            self._known[key] = self.undoes(key)
        return self._known[key]

    def reduced(self, changes: Collection[Change]) -> tuple[tuple[Change, ...], bool]:
        """A sufficient set without the changes that can be left out, and whether the result is minimal.

        Facts are left out before rules, so that of two sets the one with the rule stays.

        >>> from tidelog.blame.change import FactChanged
        >>> facts = [FactChanged("p", (n,), None) for n in range(9)]
        >>> wanted = {facts[2], facts[7]}
        >>> found, minimal = Search(lambda undone: wanted <= undone, 100).reduced(facts)
        >>> set(found) == wanted, minimal
        (True, True)
        """
        left = sorted(changes, key=order_of, reverse=True)
        try:
            return self._halved(left), True
        except OutOfTrialsError:
            return tuple(reversed(left)), len(left) <= 1

    def _halved(self, left: list[Change]) -> tuple[Change, ...]:
        """Shorten the list in place, so that the result so far is kept if the trials run out."""
        parts = 2
        while len(left) > 1:
            for start, end in _chunks(len(left), parts):
                rest = left[:start] + left[end:]
                if self.does(rest):
                    left[:] = rest
                    parts = max(parts - 1, 2)
                    break
            else:
                if parts >= len(left):
                    break
                parts = min(2 * parts, len(left))
        return tuple(reversed(left))


def _chunks(length: int, parts: int) -> list[tuple[int, int]]:
    """The bounds of this number of parts, all of about the same length.

    >>> _chunks(7, 3)
    [(0, 3), (3, 5), (5, 7)]
    """
    size, more = divmod(length, parts)
    ends = [size * (number + 1) + min(number + 1, more) for number in range(parts)]
    return list(zip([0, *ends], ends, strict=False))
