"""The planner's estimates of sizes.

Law: an estimate only chooses between plans that find the same supports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


class Sizes:
    """Sizes of relations, from existing and expected facts; derived relations that are empty count as large."""

    def __init__(
        self,
        live: Callable[[str], int],
        keys: Callable[[str, tuple[int, ...]], int | None],
        incoming: Mapping[str, int],
        derived: frozenset[str],
    ) -> None:
        self._live = live
        self._keys = keys
        self._incoming = incoming
        self._derived = derived
        self._unknown = max([1000, *incoming.values()])

    def size(self, relation: str) -> int:
        """About how many facts a relation holds after the epoch."""
        known = self._live(relation) + self._incoming.get(relation, 0)
        return max(known, self._unknown) if known == 0 and relation in self._derived else known

    def matching(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many facts agree on the columns.

        >>> sizes = Sizes(lambda name: 10_000, lambda name, columns: None, {}, frozenset())
        >>> sizes.matching("edge", 2, (0, 1)), round(sizes.matching("edge", 2, (0,)))
        (1.0, 100)
        """
        size = self.size(relation)
        if len(columns) == arity:
            return min(1.0, size)
        if not columns:
            return float(size)
        return size / self.distinct(relation, arity, columns)

    def is_linked(self, relation: str, columns: tuple[int, ...]) -> bool:
        """Whether an index that a look-up by these columns can use exists and has been read."""
        return any(self._keys(relation, some) is not None for some in (columns, *((column,) for column in columns)))

    def distinct(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many different values the columns have, at least one."""
        return float(self._keys(relation, columns) or max(1.0, self.size(relation) ** (len(columns) / arity)))
