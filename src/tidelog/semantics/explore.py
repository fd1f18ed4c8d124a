"""Exhaustive exploration: all schedules of a small program at once.

Law: a schedule is a path of moves from the start to a state without moves. States that are equal have the same futures,
so each is visited once; the search is breadth first, so the path kept for every end is a shortest one. If all ends
show the same tables, every schedule does; if one differs, its path is the shortest schedule that goes wrong.
The number of states grows exponentially with the updates under way: this is for programs that fit on a page.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tidelog.semantics.algorithm import Algorithm, Message, flatten
from tidelog.semantics.commands import choices
from tidelog.semantics.configuration import Configuration, Semantics
from tidelog.semantics.errors import StuckError
from tidelog.semantics.executions.execution import complete_iteration
from tidelog.semantics.executions.synchronous import synchronous_trace
from tidelog.semantics.fact import Fact, order
from tidelog.semantics.failures import TOO_MANY_STATES
from tidelog.semantics.schedule import Fifo
from tidelog.semantics.trace import check

S = TypeVar("S", bound=Hashable)


class Explorable(Algorithm, Protocol):
    """An algorithm that can say in which state it is."""

    def canonical(self) -> Hashable:
        """A value that decides everything the algorithm may still do."""


@dataclass(frozen=True)
class Exploration:
    """What all schedules lead to: every different end with a shortest schedule that reaches it."""

    states: int
    ends: Mapping[Hashable, tuple[str, ...]]
    expected: Hashable

    @property
    def agrees(self) -> bool:
        """Every schedule ends in the expected state."""
        return set(self.ends) == {self.expected}

    @property
    def counterexample(self) -> tuple[str, ...] | None:
        """The shortest schedule that ends elsewhere, or None."""
        wrong = [path for end, path in self.ends.items() if end != self.expected]
        return min(wrong, key=len, default=None)

    def __str__(self) -> str:
        if self.agrees:
            return f"{self.states} states: every schedule ends in {self.expected}"
        return f"{self.states} states: {' ; '.join(self.counterexample or ())} does not end in {self.expected}"


def explore(
    start: S,
    moves: Callable[[S], Iterable[tuple[str, S]]],
    observe: Callable[[S], Hashable],
    expected: Hashable,
    limit: int = 50_000,
) -> Exploration:
    """Search all states that moves reach from the start; ``observe`` says what counts of an end."""
    parents: dict[S, tuple[S, str] | None] = {start: None}
    todo = deque([start])
    ends: dict[Hashable, tuple[str, ...]] = {}
    while todo:
        state = todo.popleft()
        following = list(moves(state))
        if not following:
            ends.setdefault(observe(state), _path(parents, state))
        for label, reached in following:
            if reached not in parents:
                parents[reached] = (state, label)
                todo.append(reached)
        if len(parents) > limit:
            raise TOO_MANY_STATES.error(limit=limit, left=len(todo))
    return Exploration(len(parents), ends, expected)


def _path(parents: Mapping[S, tuple[S, str] | None], state: S) -> tuple[str, ...]:
    path: list[str] = []
    step = parents[state]
    while step is not None:
        state, label = step
        path.append(label)
        step = parents[state]
    return tuple(reversed(path))


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


@dataclass(frozen=True)
class _Moment:
    """An algorithm at rest, known by its canonical state."""

    state: Hashable
    algorithm: Explorable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Moment) and self.state == other.state

    def __hash__(self) -> int:
        return hash(self.state)


@dataclass(frozen=True)
class _Only:
    """The schedule that delivers one given message."""

    message: Message

    def choose(self, pending: Sequence[Message]) -> Message:
        return self.message


def explore_algorithm(algorithm: Explorable, expected: Hashable, limit: int = 20_000) -> Exploration:
    """All schedules of an algorithm from where it stands; an end shows its tables as `shown` does."""
    return explore(_moment(algorithm), _deliveries, lambda m: shown(m.algorithm), expected, limit)


def shown(algorithm: Algorithm) -> str:
    """The tables of an algorithm as text: sets of facts, sorted, with the updates that are stuck."""
    facts = sorted(map(str, +flatten(algorithm.tables())))
    return "{" + ", ".join(facts) + "}" + ("" if algorithm.quiescent() else " stuck")


def _moment(algorithm: Explorable) -> _Moment:
    return _Moment(algorithm.canonical(), algorithm)


def _deliveries(moment: _Moment) -> Iterator[tuple[str, _Moment]]:
    algorithm = moment.algorithm
    if algorithm.quiescent():
        return
    pending = algorithm.pending()
    distinct = {(m.source, m.target, m.update): m for m in reversed(pending)}
    for message in distinct.values():
        following = copy.deepcopy(algorithm)
        event = following.step(_Only(message))
        yield str(event.message or event.note), _moment(following)
    if not pending:
        following = copy.deepcopy(algorithm)
        try:
            event = following.step(Fifo())
        except StuckError:
            return
        yield event.note, _moment(following)
