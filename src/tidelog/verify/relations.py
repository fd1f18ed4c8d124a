"""Relations as the checker reads them: facts with ranks, found by hash indexes.

Law: an index lists every fact under the values of some of its columns; indexes are created on first use. The key of one
column is the value itself, of several a tuple (as returned by `operator.itemgetter`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, Protocol

from tidelog.program import Value

Row = tuple[Value, ...]
Match = tuple[Row, int]
Ranks = Mapping[Row, int]
NOTHING: tuple[Match, ...] = ()
LOWEST = -(2**64)  # below every rank: used if no fact of the stratum is involved


class Lookup(Protocol):
    """The look-up of a step of a join: the facts under a key."""

    def get(self, key: Any, default: Iterable[Match], /) -> Iterable[Match]:
        """The facts under the key, or the default."""
        ...


class Source(Protocol):
    """A relation, or something that can be read as one."""

    def __len__(self) -> int: ...

    def everything(self) -> Iterable[Match]:
        """All facts with their ranks."""
        ...

    def index(self, columns: tuple[int, ...]) -> Lookup:
        """The facts by some of their columns."""
        ...


class Relation:
    """The facts of one relation with their ranks."""

    def __init__(self, ranks: Ranks) -> None:
        self.ranks = ranks
        self._indexes: dict[tuple[int, ...], dict[Any, list[Match]]] = {}

    def __len__(self) -> int:
        return len(self.ranks)

    def everything(self) -> Iterable[Match]:
        """All facts with their ranks."""
        return self.ranks.items()

    def index(self, columns: tuple[int, ...]) -> dict[Any, list[Match]]:
        """The facts by some of their columns.

        >>> Relation({(1, 2): 5, (1, 3): 6}).index((0,))[1]
        [((1, 2), 5), ((1, 3), 6)]
        """
        found = self._indexes.get(columns)
        if found is None:
            found = self._indexes[columns] = {}
            key = itemgetter(*columns)
            for match in self.ranks.items():
                found.setdefault(key(match[0]), []).append(match)
        return found
