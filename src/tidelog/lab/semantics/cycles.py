"""Cycles among the states of an exploration: the schedules that never end.

Law: in a finite graph there is an infinite path exactly when there is a cycle, and without one the longest path has a
length. A cycle is reported with a shortest path to it, the moves around it, and the moves that are possible in every
state of it and never made: a schedule that repeats it forever starves these, and if there are none it treats all moves
fairly. Nothing here knows what a state is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

S = TypeVar("S", bound=Hashable)

Graph: TypeAlias = dict[S, list[tuple[str, S]]]
"""Per state its moves, each a label and the state it leads to; states in the order of a breadth-first search."""


@dataclass(frozen=True)
class Cycle:
    """An infinite schedule: the moves that lead to the cycle, those around it, and those it starves."""

    way: tuple[str, ...]
    around: tuple[str, ...]
    starved: tuple[str, ...] = ()

    def __str__(self) -> str:
        starved = f", starving {', '.join(self.starved)}" if self.starved else ""
        before = f"{' ; '.join(self.way)} ; then " if self.way else ""
        return f"{before}{' ; '.join(self.around)} repeats forever{starved}"


def find_cycle(graph: Graph[S], start: S) -> Cycle | None:
    """A cycle through the state nearest to the start that lies on one, as short as cycles through it get."""
    ending = set(_leaves_first(graph))
    kept = set(graph) - ending
    for state in graph:
        if state in kept:
            around = _way_back(graph, state, kept)
            if around is not None:
                labels, states = around
                return Cycle(path_to(graph, start)(state), labels, _starved(graph, labels, states))
    return None


def longest_path(graph: Graph[S], start: S) -> int:
    """How many moves the longest path makes; the graph has no cycle."""
    length: dict[S, int] = {}
    for state in _leaves_first(graph):
        length[state] = max((1 + length[reached] for _, reached in graph[state]), default=0)
    return length[start]


def path_to(graph: Mapping[S, Iterable[tuple[str, S]]], start: S) -> Callable[[S], tuple[str, ...]]:
    """The labels of a shortest way from the start to any state."""
    parents: dict[S, tuple[S, str] | None] = {start: None}
    todo = deque([start])
    while todo:
        state = todo.popleft()
        for label, reached in graph[state]:
            if reached not in parents:
                parents[reached] = (state, label)
                todo.append(reached)

    def way(state: S) -> tuple[str, ...]:
        labels: list[str] = []
        step = parents[state]
        while step is not None:
            state, label = step
            labels.append(label)
            step = parents[state]
        return tuple(reversed(labels))

    return way


def _leaves_first(graph: Graph[S]) -> list[S]:
    """The states from which no cycle can be reached, each after all states it leads to."""
    open_moves = {state: len(moves) for state, moves in graph.items()}
    before: dict[S, list[S]] = {state: [] for state in graph}
    for state, moves in graph.items():
        for _, reached in moves:
            before[reached].append(state)
    done = [state for state, count in open_moves.items() if not count]
    for state in done:  # grows while it is read
        for earlier in before[state]:
            open_moves[earlier] -= 1
            if not open_moves[earlier]:
                done.append(earlier)
    return done


def _way_back(graph: Graph[S], state: S, kept: set[S]) -> tuple[tuple[str, ...], list[S]] | None:
    """A shortest way from the state to itself, with the states on it."""
    ways: dict[S, tuple[tuple[str, ...], list[S]]] = {state: ((), [state])}
    todo = deque([state])
    while todo:
        here = todo.popleft()
        labels, states = ways[here]
        for label, reached in graph[here]:
            if reached == state:
                return (*labels, label), states
            if reached in kept and reached not in ways:
                ways[reached] = ((*labels, label), [*states, reached])
                todo.append(reached)
    return None


def _starved(graph: Graph[S], around: tuple[str, ...], states: list[S]) -> tuple[str, ...]:
    """The moves that every state of a cycle offers and the cycle never makes."""
    offered = set.intersection(*({label for label, _ in graph[state]} for state in states))
    return tuple(sorted(offered - set(around)))
