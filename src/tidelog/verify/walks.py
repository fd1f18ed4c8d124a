"""Path expressions as relations: the pairs that a path joins, each with the rank at which it first does.

Law: a path atom represents all conjunctions of steps that lead from one end to the other; so the rank of a pair is the
least, over these, of the highest rank among their steps. That is a search in order of rank, node by node, and for steps
of lower strata it is a plain search. A path may be empty at its nodes: the first and last columns of all facts of the
relations that the whole expression names, and the members of its domains; a repetition with a domain only at the
members. Walks are computed on demand: one source does not walk the whole graph.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tidelog.program import Alternative, Conjunction, Inverse, Label, Path, Repeat, Sequence, Value
from tidelog.program.values.path import domains, forward, labels, reversed_path
from tidelog.verify.relations import LOWEST, Lookup, Match, Relation

RankedNodes = Mapping[Value, int]
Walk = Callable[[Value], RankedNodes]


class Walks:
    """A path expression as a relation of two columns."""

    def __init__(self, path: Path, relation: Callable[[str], Relation]) -> None:
        self._relation = relation
        self._nodes: dict[Value, int] = {}
        for name in dict.fromkeys(label.relation for label in labels(path)):
            for row, rank in relation(name).everything():
                for node in (row[0], row[-1]):
                    self._nodes[node] = min(rank, self._nodes.get(node, rank))
        for repeat in domains(path):
            for node, rank in self._members(repeat).items():
                self._nodes[node] = min(rank, self._nodes.get(node, rank))
        self._forwards = self._walk(forward(path))
        self._backwards = self._walk(reversed_path(path))

    def __len__(self) -> int:
        return len(self._nodes) ** 2

    def everything(self) -> Iterable[Match]:
        """All pairs."""
        return ((pair, rank) for node in self._nodes for pair, rank in self._from(node))

    def index(self, columns: tuple[int, ...]) -> Lookup:
        """The pairs by their source, their target, or both."""
        if len(columns) == 1:
            return _LazyWalk(self._to if columns == (1,) else self._from)
        return _LazyWalk(self._between)

    def _from(self, source: Value) -> Iterable[Match]:
        return [((source, target), rank) for target, rank in self._forwards(source).items()]

    def _to(self, target: Value) -> Iterable[Match]:
        return [((source, target), rank) for source, rank in self._backwards(target).items()]

    def _between(self, pair: tuple[Value, Value]) -> Iterable[Match]:
        rank = self._forwards(pair[0]).get(pair[1])
        return () if rank is None else ((pair, rank),)

    def _walk(self, path: Path) -> Walk:
        """The nodes that the path reaches from a node; results are cached."""
        known: dict[Value, RankedNodes] = {}
        walk = self._steps(path)

        def remembered(node: Value) -> RankedNodes:
            found = known.get(node)
            if found is None:
                found = known[node] = walk(node)
            return found

        return remembered

    def _steps(self, path: Path) -> Walk:
        match path:
            case Label() | Inverse():
                return self._label(path)
            case Sequence(parts=parts):
                return _sequence([self._walk(part) for part in parts])
            case Alternative(parts=parts):
                walks = [self._walk(part) for part in parts]
                return lambda node: _least(pair for walk in walks for pair in walk(node).items())
            case Conjunction(parts=parts):
                return _both([self._walk(part) for part in parts])
            case Repeat():
                return self._repeat(path)

    def _label(self, path: Label | Inverse) -> Walk:
        label = path.path if isinstance(path, Inverse) else path
        assert isinstance(label, Label)
        ends = (-1, 0) if isinstance(path, Inverse) else (0, -1)
        found: dict[Value, dict[Value, int]] = {}
        for row, rank in self._relation(label.relation).everything():
            if label.value is None or row[1] == label.value:
                targets = found.setdefault(row[ends[0]], {})
                targets[row[ends[1]]] = min(rank, targets.get(row[ends[1]], rank))
        return lambda node: found.get(node, {})

    def _members(self, repeat: Repeat) -> Mapping[Value, int]:
        """The nodes at which a repetition may be empty."""
        if repeat.domain is None:
            return self._nodes
        return {row[0]: rank for row, rank in self._relation(repeat.domain).everything()}

    def _repeat(self, repeat: Repeat) -> Walk:
        walk, empty, least, most = self._walk(repeat.path), self._members(repeat), repeat.least, repeat.most

        def repeated(node: Value) -> RankedNodes:
            power: RankedNodes = {node: LOWEST}
            for _ in range(least):
                power = _onwards(power, walk)
            further = power
            if least == 0:
                power = {node: empty[node]} if node in empty else {}
                further = {node: LOWEST}
            if most is None:
                return _least([*power.items(), *_closure(_onwards(further, walk), walk).items()])
            united = dict(power)
            for _ in range(most - least):
                further = _onwards(further, walk)
                united = _least([*united.items(), *further.items()])
            return united

        return repeated


class _LazyWalk:
    """A look-up that walks on demand."""

    def __init__(self, answer: Callable[[Any], Iterable[Match]]) -> None:
        self._answer = answer

    def get(self, key: Any, _default: Iterable[Match], /) -> Iterable[Match]:
        return self._answer(key)


def _least(pairs: Iterable[tuple[Value, int]]) -> dict[Value, int]:
    found: dict[Value, int] = {}
    for node, rank in pairs:
        if rank < found.get(node, rank + 1):
            found[node] = rank
    return found


def _onwards(reached: RankedNodes, walk: Walk) -> dict[Value, int]:
    steps = ((rank, walk(node)) for node, rank in reached.items())
    return _least((target, max(rank, further)) for rank, found in steps for target, further in found.items())


def _sequence(walks: list[Walk]) -> Walk:
    def walked(node: Value) -> RankedNodes:
        reached = walks[0](node)
        for walk in walks[1:]:
            reached = _onwards(reached, walk)
        return reached

    return walked


def _both(walks: list[Walk]) -> Walk:
    def walked(node: Value) -> RankedNodes:
        first, *others = (walk(node) for walk in walks)
        return {t: max(rank, *(o[t] for o in others)) for t, rank in first.items() if all(t in o for o in others)}

    return walked


def _closure(start: RankedNodes, walk: Walk) -> dict[Value, int]:
    """All nodes reached by any number of further steps, in order of rank."""
    done: dict[Value, int] = {}
    count = 0
    waiting: list[tuple[int, int, Value]] = []
    for node, rank in start.items():
        waiting.append((rank, count, node))
        count += 1
    heapq.heapify(waiting)
    while waiting:
        rank, _, node = heapq.heappop(waiting)
        if node in done:
            continue
        done[node] = rank
        for target, further in walk(node).items():
            if target not in done:
                heapq.heappush(waiting, (max(rank, further), count, target))
                count += 1
    return done
