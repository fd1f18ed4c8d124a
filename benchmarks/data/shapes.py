"""Small graphs on which deletions differ most: long paths, circles, twins, and feeders that are replaced.

Law: a shape is its rules, its facts, and a sequence of rounds, each with rows to insert and rows to delete; the same
every time. After the rounds a graph has as many edges as before, up to those that are still out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from benchmarks.data import graphs
from benchmarks.data.workloads import CLOSURE, POINTS_TO

LIVE = """
live(X) :- source(X).
live(Y) :- live(X), edge(X, Y).
"""
OUT = 5  # rows that are out at a time
Rows = Sequence[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Shape:
    """A program and its facts; rows of ``churned`` relations go and come back."""

    name: str
    rules: str
    view: str
    facts: Mapping[str, Rows]
    churned: tuple[str, ...] = ("edge",)

    def rounds(self, count: int) -> Iterator[tuple[dict[str, Rows], dict[str, Rows]]]:
        """So many rounds: an old row goes, and the one that is out for the longest comes back."""
        rng, out = Random(17), deque[tuple[str, tuple[int, ...]]]()
        held = [(name, row) for name in self.churned for row in self.facts[name]]
        for _ in range(count):
            gone = held.pop(rng.randrange(len(held)))
            back = out.popleft() if len(out) >= OUT else None
            yield ({back[0]: [back[1]]} if back else {}), {gone[0]: [gone[1]]}
            out.append(gone)
            held += [back] if back else []


@dataclass(frozen=True, slots=True)
class Feeders(Shape):
    """A chain whose feeder is replaced by a new one before the old one goes."""

    def rounds(self, count: int) -> Iterator[tuple[dict[str, Rows], dict[str, Rows]]]:
        """Make before break."""
        for number in range(1, count + 1):
            yield {"edge": [(0, -number - 1), (-number - 1, 1)]}, {"edge": [(0, -number), (-number, 1)]}


def shapes() -> tuple[Shape, ...]:
    """All shapes."""
    pointers = {name: _rows(rows) for name, rows in graphs.pointer_program(1_000).items()}
    chain = [(0, -1), (-1, 1), *pairwise(range(1, 300))]
    return (
        _closure("random", _rows(graphs.random_graph(150, 6 / 150))),
        _closure("grid", _rows(graphs.grid(12))),
        _closure("ladder", _ladder(60)),
        _closure("cycle with chords", _cycle(100, 20)),
        _closure("hub", _hub(60, 6)),
        Feeders("make before break", LIVE, "live", {"edge": chain, "source": [(0,)]}),
        Shape("points-to", POINTS_TO, "points", pointers, tuple(pointers)),
    )


def _closure(name: str, edges: Rows) -> Shape:
    return Shape(name, CLOSURE, "reach", {"edge": edges})


def _rows(cells: graphs.Cells) -> Rows:
    return list(map(tuple, cells.tolist()))


def _ladder(rungs: int) -> Rows:
    """Two chains in the same direction, with a rung either way at every step."""
    found: list[tuple[int, ...]] = []
    for i in range(rungs):
        found += [(2 * i, 2 * i + 1), (2 * i + 1, 2 * i)]
        found += [(2 * i, 2 * i + 2), (2 * i + 1, 2 * i + 3)] if i + 1 < rungs else []
    return found


def _cycle(nodes: int, chords: int) -> Rows:
    rng = Random(5)
    found = {(i, (i + 1) % nodes) for i in range(nodes)}
    while len(found) < nodes + chords:
        start, end = rng.randrange(nodes), rng.randrange(nodes)
        found |= {(start, end)} if start != end else set()
    return sorted(found)


def _hub(leaves: int, hubs: int) -> Rows:
    """Every leaf on one side reaches every leaf on the other, by way of hubs in a circle."""
    found = [(hub, (hub + 1) % hubs) for hub in range(hubs)]
    found += [(1000 + i, i % hubs) for i in range(leaves)]
    return found + [(i % hubs, 2000 + i) for i in range(leaves)]
