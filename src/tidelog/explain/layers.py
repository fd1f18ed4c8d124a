"""The layout of a layered drawing: columns from left to right, few crossings, arrows around boxes.

Law: an arrow leads from its column to a later one; one that passes columns has a separate place in each of them, so
that it crosses no box. The nodes of a column are sorted by the average position of their neighbours (the method of
Sugiyama, Tagawa and Toda); equal graphs have equal drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

SWEEPS = 12
Node = Hashable
Arrow = tuple[str, str]
Size = Callable[[Node], float]


class Layers:
    """Nodes in columns; the arrows of a source that pass columns share nodes ``(source, column)``.

    Nodes of one of the ``groups`` are placed below each other, with nothing between them.
    """

    def __init__(self, columns: Mapping[str, int], arrows: Iterable[Arrow], groups: Mapping[str, int]) -> None:
        self._groups: dict[Node, int] = dict(groups.items())
        self.columns: list[list[Node]] = [[] for _ in range(max(columns.values(), default=-1) + 1)]
        for name, column in columns.items():
            self.columns[column].append(name)
        self.routes: dict[Arrow, list[Node]] = {}
        self._links: dict[Node, dict[Node, None]] = {}
        for arrow in arrows:
            self._lay(arrow, columns)
        self._order()

    def _lay(self, arrow: Arrow, columns: Mapping[str, int]) -> None:
        """Reserve a place for an arrow in every column that it passes."""
        source, target = arrow
        passed = range(columns[source] + 1, columns[target])
        route: list[Node] = [source, *((source, column) for column in passed), target]
        for column, node in zip(passed, route[1:-1], strict=True):
            if node not in self._links:
                self.columns[column].append(node)
        self.routes[arrow] = route
        for one, other in pairwise(route):
            self._links.setdefault(one, {})[other] = None
            self._links.setdefault(other, {})[one] = None

    def _order(self) -> None:
        """Sort columns repeatedly by the averages of their neighbours in the previous or the next column."""
        for column in self.columns:
            self._sort(column, {})  # so that groups are together from the start
        best, least = [list(column) for column in self.columns], self._crossings()
        for sweep in range(SWEEPS):
            forth = sweep % 2 == 0
            numbers = range(1, len(self.columns)) if forth else range(len(self.columns) - 2, -1, -1)
            for number in numbers:
                beside = {node: place for place, node in enumerate(self.columns[number - 1 if forth else number + 1])}
                self._sort(self.columns[number], beside)
            crossings = self._crossings()
            if crossings < least:
                best, least = [list(column) for column in self.columns], crossings
        self.columns = best

    def _sort(self, column: list[Node], beside: Mapping[Node, int]) -> None:
        wanted = {}
        for place, node in enumerate(column):
            places = [beside[other] for other in self._links.get(node, ()) if other in beside]
            wanted[node] = _mean(places, place)
        together: dict[object, list[float]] = {}
        for node in column:
            together.setdefault(self._groups.get(node, node), []).append(wanted[node])
        first = {group: (_mean(places, 0.0), i) for i, (group, places) in enumerate(together.items())}
        column.sort(key=lambda node: (*first[self._groups.get(node, node)], wanted[node]))

    def _crossings(self) -> int:
        total = 0
        for left, right in pairwise(self.columns):
            places = {node: place for place, node in enumerate(right)}
            ends = [sorted(places[o] for o in self._links.get(node, ()) if o in places) for node in left]
            total += sum(a > b for i, upper in enumerate(ends) for lower in ends[i + 1 :] for a in upper for b in lower)
        return total

    def heights(self, tall: Mapping[str, float], gap: float, narrow: float) -> dict[Node, float]:
        """The middle of every node, from the top: near its neighbours, and ``gap`` apart.

        ``tall`` is the height of boxes, ``narrow`` that of a passing arrow.
        """
        middles: dict[Node, float] = {}

        def size(node: Node) -> float:
            return tall[node] + gap if isinstance(node, str) else narrow

        for column in self.columns:
            _stack(column, dict.fromkeys(column, 0.0), size, middles)
        for sweep in range(SWEEPS):
            for column in self.columns if sweep % 2 else self.columns[::-1]:
                wanted = {
                    node: _mean([middles[o] for o in self._links.get(node, ())], middles[node]) for node in column
                }
                _stack(column, wanted, size, middles)
        top = min((middles[n] - size(n) / 2 for column in self.columns for n in column), default=0.0)
        return {node: middle - top for node, middle in middles.items()}


def _mean(numbers: Sequence[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default


def _stack(column: Sequence[Node], targets: Mapping[Node, float], size: Size, middles: dict[Node, float]) -> None:
    """Place nodes in their order, each as close to its preferred position as the others allow.

    Nodes that touch move as one block, which is placed at the average of its members' preferred positions.
    """
    blocks: list[list[Node]] = []
    places: list[float] = []  # of the top of each block
    for node in column:
        blocks.append([node])
        places.append(targets[node] - size(node) / 2)
        while len(blocks) > 1 and places[-2] + sum(map(size, blocks[-2])) > places[-1]:
            last, _ = blocks.pop(), places.pop()
            blocks[-1] += last
            places[-1] = _best_top(blocks[-1], targets, size)
    for block, top in zip(blocks, places, strict=True):
        for node in block:
            middles[node] = top + size(node) / 2
            top += size(node)


def _best_top(block: Sequence[Node], targets: Mapping[Node, float], size: Size) -> float:
    total, before = 0.0, 0.0
    for node in block:
        total += targets[node] - before - size(node) / 2
        before += size(node)
    return total / len(block)
