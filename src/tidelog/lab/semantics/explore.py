"""Exhaustive exploration: all schedules of a small program at once.

Law: a schedule is a path of moves from the start, to a state without moves, or infinite. States that are equal have the
same futures, so each is visited once; the search is breadth first, so the path kept for every end is a shortest one.
Among finitely many states a schedule is infinite exactly when it enters a cycle (`cycles`). So if there is no cycle
and all ends show the same tables, every schedule ends with them; otherwise a shortest schedule with another end, or one
that never ends, is found.
The number of states grows exponentially with the updates under way: this is for programs that fit on a page.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tidelog.lab.semantics.algorithm import Algorithm, Message, flatten
from tidelog.lab.semantics.commands import choices
from tidelog.lab.semantics.configuration import Configuration, Semantics
from tidelog.lab.semantics.cycles import Cycle, Graph, find_cycle, longest_path, path_to
from tidelog.lab.semantics.errors import StuckError
from tidelog.lab.semantics.executions.execution import complete_iteration
from tidelog.lab.semantics.executions.synchronous import synchronous_trace
from tidelog.lab.semantics.fact import Fact, order
from tidelog.lab.semantics.schedule import Fifo
from tidelog.lab.semantics.semantics_failures import TOO_MANY_STATES
from tidelog.lab.semantics.trace import check

S = TypeVar("S", bound=Hashable)


class Explorable(Algorithm, Protocol):
    """An algorithm that can say in which state it is."""

    def canonical(self) -> Hashable:
        """A value that decides everything the algorithm may still do."""


@dataclass(frozen=True)
class Exploration:
    """What all schedules lead to: every different end with a shortest schedule that reaches it, and a cycle if any.

    ``longest`` is the number of moves of the longest schedule; None when one is infinite.
    """

    states: int
    ends: Mapping[Hashable, tuple[str, ...]]
    expected: Hashable
    cycle: Cycle | None = None
    longest: int | None = None

    @property
    def agrees(self) -> bool:
        """Every schedule ends, and ends in the expected state."""
        return self.cycle is None and set(self.ends) == {self.expected}

    @property
    def counterexample(self) -> tuple[str, ...] | None:
        """The shortest schedule that ends elsewhere, or None; one that does not end is the ``cycle``."""
        wrong = [path for end, path in self.ends.items() if end != self.expected]
        return min(wrong, key=len, default=None)

    def __str__(self) -> str:
        if self.agrees:
            return f"{self.states} states: every schedule ends in {self.expected}"
        wrong = self.counterexample
        faults = [] if wrong is None else [f"{' ; '.join(wrong)} does not end in {self.expected}"]
        faults += [] if self.cycle is None else [str(self.cycle)]
        return f"{self.states} states: {', and '.join(faults)}"


def explore(
    start: S,
    moves: Callable[[S], Iterable[tuple[str, S]]],
    observe: Callable[[S], Hashable],
    expected: Hashable,
    limit: int = 50_000,
) -> Exploration:
    """Search all states that moves reach from the start; ``observe`` says what counts of an end."""
    graph: Graph[S] = {}
    found, todo = {start}, deque([start])
    while todo:
        state = todo.popleft()
        graph[state] = list(moves(state))
        for _, reached in graph[state]:
            if reached not in found:
                found.add(reached)
                todo.append(reached)
        if len(found) > limit:
            raise TOO_MANY_STATES.error(limit=limit, left=len(todo))
    cycle = find_cycle(graph, start)
    longest = None if cycle else longest_path(graph, start)
    return Exploration(len(graph), _ends(graph, start, observe), expected, cycle, longest)


def _ends(graph: Graph[S], start: S, observe: Callable[[S], Hashable]) -> dict[Hashable, tuple[str, ...]]:
    """What is seen at states without moves, each with a shortest way to it."""
    ends: dict[Hashable, tuple[str, ...]] = {}
    ways = path_to(graph, start)
    for state, following in graph.items():
        if not following:
            ends.setdefault(observe(state), ways(state))
    return ends


def explore_schedules(
    semantics: Semantics, configuration: Configuration, expected: Hashable | None = None, limit: int = 50_000
) -> Exploration:
    """All pipelined executions from a configuration; the end expected is that of the synchronous one.

    An end shows the facts with their counts and what could not be picked.
    """
    wanted = _observe(check(synchronous_trace(semantics, configuration))) if expected is None else expected
    return explore(configuration, lambda c: _iterations(semantics, c), _observe, wanted, limit)


def _iterations(semantics: Semantics, configuration: Configuration) -> Iterator[tuple[str, Configuration]]:
    for _, update in sorted(choices(semantics, configuration), key=order):
        yield str(update), complete_iteration(semantics, configuration, [update])[0]


def _observe(configuration: Configuration) -> Hashable:
    return end_of(configuration.old.facts(), configuration.waiting())


def end_of(facts: Mapping[Fact, int], stuck: Iterable[Hashable] = ()) -> Hashable:
    """An end as `explore_schedules` shows it: facts with counts above zero, then the updates that are stuck."""
    return (
        "{"
        + ", ".join(sorted(str(fact) for fact, count in facts.items() for _ in range(count)))
        + "}"
        + "".join(f" stuck {update}" for update in sorted(map(str, stuck)))
    )


class _Moment:
    """An algorithm at rest, known by what its future depends on."""

    def __init__(self, algorithm: Explorable) -> None:
        self.algorithm = algorithm
        self.state = self._known()

    def _known(self) -> Hashable:
        return self.algorithm.canonical()

    def deliverable(self) -> Sequence[Message]:
        """The messages that may come next, one of those that are alike."""
        return list({(m.source, m.target, m.update): m for m in reversed(self.algorithm.pending())}.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Moment) and self.state == other.state

    def __hash__(self) -> int:
        return hash(self.state)


class _OrderedMoment(_Moment):
    """The same where links keep the order of their messages, so that this order is part of the state."""

    def _known(self) -> Hashable:
        links: dict[Hashable, list[Hashable]] = {}
        for message in self.algorithm.pending():
            links.setdefault((message.source, message.target), []).append(message.update)
        return self.algorithm.canonical(), frozenset((link, tuple(updates)) for link, updates in links.items())

    def deliverable(self) -> Sequence[Message]:
        """The oldest message of every link."""
        return list({(m.source, m.target): m for m in reversed(self.algorithm.pending())}.values())


@dataclass(frozen=True)
class _SingleDelivery:
    """The schedule that delivers one given message."""

    message: Message

    def choose(self, pending: Sequence[Message]) -> Message:
        return self.message


def explore_algorithm(
    algorithm: Explorable, expected: Hashable, limit: int = 20_000, *, links: bool = False
) -> Exploration:
    """All schedules of an algorithm from its current state; an end shows its tables as `shown` does.

    With ``links`` only those in which every link delivers its messages in the order of sending.
    """
    moment = _OrderedMoment if links else _Moment
    start = moment(algorithm)
    return explore(start, _deliveries, lambda m: shown(m.algorithm), expected, limit)


def shown(algorithm: Algorithm) -> str:
    """The tables of an algorithm as text: sets of facts, sorted, with the updates that are stuck."""
    facts = sorted(map(str, +flatten(algorithm.tables())))
    return "{" + ", ".join(facts) + "}" + ("" if algorithm.quiescent() else " stuck")


def _deliveries(moment: _Moment) -> Iterator[tuple[str, _Moment]]:
    algorithm, after = moment.algorithm, type(moment)
    if algorithm.quiescent():
        return
    messages = moment.deliverable()
    for message in messages:
        following = copy.deepcopy(algorithm)
        event = following.step(_SingleDelivery(message))
        yield str(event.message or event.note), after(following)
    if not messages:
        following = copy.deepcopy(algorithm)
        try:
            event = following.step(Fifo())
        except StuckError:
            return
        yield event.note, after(following)
