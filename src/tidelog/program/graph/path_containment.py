"""Containment of path expressions: whether every pair of nodes that one joins is joined by the other, on every graph.

Law: the answer is exact for labels, inverses, sequences, alternatives and repetitions. A word of the first expression
is a line of edges, and the first is contained in the second if the second joins the ends of every such line, walking
back and forth on it. What matters of a prefix of the line is finite: the states in which a walk from its start can
be at its end, and between which states a walk can go from its end back into it and return. These two sets are computed
step by step, together with the states of the first expression, until nothing new is found.

Conjunctions and repetitions with a domain are not decided, nor are expressions with too many states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

from tidelog.program.values.path import (
    Alternative,
    Conjunction,
    Inverse,
    Label,
    Path,
    Repeat,
    Sequence,
    empty_at,
    forward,
    labels,
    subpaths,
)

MOST = 2_000  # sets of states that are visited
LONGEST = 50  # repetitions that are written out

Step = tuple[Label, bool]  # a label, and whether its edge is walked backwards
States = frozenset[int]
Returns = frozenset[tuple[int, int]]


def is_contained(inner: Path, outer: Path) -> bool | None:
    """Whether every pair that ``inner`` joins is joined by ``outer``, on every graph; None if this is not decided.

    >>> a, b = Label("a"), Label("b")
    >>> either = Repeat(Alternative((a, b)), 1, None)
    >>> is_contained(Sequence((a, b)), either), is_contained(either, Repeat(a, 1, None))
    (True, False)
    >>> is_contained(a, Sequence((a, Inverse(a), a))), is_contained(Sequence((a, Inverse(a), a)), a)
    (True, False)
    """
    if not (_is_decidable(inner) and _is_decidable(outer)):
        return None
    first, second = _Automaton.of(inner), _Automaton.of(outer)
    same = frozenset((state, state) for state in second.states)
    if empty_at(inner) and not all(_joins_itself(label, outer, second, same) for label in labels(inner)):
        return False
    start = (first.start, second.start, same)
    seen, waiting = {start}, [start]
    while waiting:
        at, reached, returns = waiting.pop()
        for step in first.steps:
            after = first.after(at, step)
            if not after:
                continue
            back = second.returns(returns, step)
            ends = second.reached(reached, step, back)
            if after & first.accepting and not ends & second.accepting:
                return False
            if (found := (after, ends, back)) not in seen:
                if len(seen) == MOST:
                    return None
                seen.add(found)
                waiting.append(found)
    return True


def _joins_itself(label: Label, path: Path, automaton: _Automaton, same: Returns) -> bool:
    """Whether the path joins both ends of every edge of the label's relation to themselves."""
    if empty_at(path) and label.relation in {other.relation for other in labels(path)}:
        return True
    ends = (automaton.returns(same, (label, backwards)) for backwards in (False, True))
    return label.value is None and all(
        any(state in automaton.start and end in automaton.accepting for state, end in returns) for returns in ends
    )


def _is_decidable(path: Path) -> bool:
    return not any(
        isinstance(part, Conjunction)
        or (isinstance(part, Repeat) and (part.domain is not None or max(part.least, part.most or 0) > LONGEST))
        for part in subpaths(path)
    )


@dataclass(slots=True)
class _Automaton:
    """Moves between numbered states; no move is silent, which ``_close`` has seen to."""

    states: range = range(0)
    start: States = frozenset()
    accepting: States = frozenset()
    moves: dict[Step, dict[int, States]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> _Automaton:
        built = _Building()
        first, last = next(built.numbers), next(built.numbers)
        built.add(forward(path), first, last)
        states = range(next(built.numbers))
        closed = {state: built.silently(state) for state in states}
        moves: dict[Step, dict[int, States]] = {}
        for step, source, target in built.moves:
            found = moves.setdefault(step, {})
            found[source] = found.get(source, frozenset()) | closed[target]
        return cls(states, closed[first], frozenset({last}), moves)

    @property
    def steps(self) -> Iterable[Step]:
        return self.moves

    def after(self, states: States, step: Step) -> States:
        """The states after a step, silent moves included."""
        found = self.moves.get(step, {})
        return frozenset().union(*(found[state] for state in states if state in found))

    def returns(self, before: Returns, step: Step) -> Returns:
        """Between which states a walk can leave the end of a line over its last step, and come back to the end."""
        label, backwards = step
        beyond: dict[int, set[int]] = {}
        for source, target in before:
            beyond.setdefault(source, set()).add(target)
        pairs = {
            state: set(self.after(frozenset().union(*(beyond[s] for s in left)), step))
            for state in self.states
            if (left := self.after(frozenset({state}), (label, not backwards)))
        }
        return frozenset((state, end) for state in self.states for end in _closure(state, pairs))

    def reached(self, before: States, step: Step, returns: Returns) -> States:
        """The states in which a walk from the start of a line can be at its end."""
        arrived = self.after(before, step)
        return frozenset(end for state, end in returns if state in arrived)


def _closure(state: int, moves: dict[int, set[int]]) -> set[int]:
    """All states that some moves lead to, the first one included."""
    found, waiting = {state}, [state]
    while waiting:
        for target in moves.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


@dataclass(slots=True)
class _Building:
    """An automaton with silent moves, one part of an expression between two states after the other."""

    numbers: Iterator[int] = field(default_factory=count)
    moves: list[tuple[Step, int, int]] = field(default_factory=list)
    silent: dict[int, set[int]] = field(default_factory=dict)

    def add(self, path: Path, first: int, last: int) -> None:
        match path:
            case Label():
                self.moves.append(((path, False), first, last))
            case Inverse(path=Label() as label):
                self.moves.append(((label, True), first, last))
            case Sequence(parts=parts):
                for part in parts[:-1]:
                    first = self._next(part, first)
                self.add(parts[-1], first, last)
            case Alternative(parts=parts):
                for part in parts:
                    self.add(part, first, last)
            case Repeat(path=inner, least=least, most=most):
                for _ in range(least):
                    first = self._next(inner, first)
                if most is None:
                    middle = self._silent(first)
                    self.add(inner, middle, middle)
                    first = middle
                for _ in range(least, most or 0):
                    self.silent.setdefault(first, set()).add(last)
                    first = self._next(inner, first)
                self.silent.setdefault(first, set()).add(last)

    def silently(self, state: int) -> States:
        return frozenset(_closure(state, self.silent))

    def _next(self, path: Path, first: int) -> int:
        """A new state behind a part."""
        target = next(self.numbers)
        self.add(path, first, target)
        return target

    def _silent(self, first: int) -> int:
        target = next(self.numbers)
        self.silent.setdefault(first, set()).add(target)
        return target
