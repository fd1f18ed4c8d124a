"""From a path expression to an automaton whose states are sets of steps.

Law: the automaton accepts exactly the walks that the path describes. A state is "the walk has just made one of these
steps" (the position automaton of Glushkov), and steps with the same possible successors are one state (its quotient by
follow sets), so that ``(a|b)+`` has a single state. The empty path leaves no state; where it is allowed only at the
members of a domain, the transition that passes over it is guarded by that domain. Bounded repetitions are expanded:
``a{1,3}`` is ``a/(a/a?)?``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.errors import ProgramError
from tidelog.program import Alternative, Conjunction, Inverse, Label, Path, Repeat
from tidelog.program import Sequence as PathSequence
from tidelog.program.values.path import Domains, empty_at, least
from tidelog.rewrite.rewrite_catalogue import diagnose

MOST_STEPS = 500
Move: TypeAlias = tuple[int, Domains]  # a step, and the domains to which the node before it must belong
NO_GUARD: Domains = frozenset()


@dataclass(frozen=True, slots=True)
class Automaton:
    """States 0, 1, ...; a move leads to the state that its step belongs to.

    ``first`` are the moves at the start, ``moves`` those of each state, ``accepts`` the guards under which a state ends
    a walk, and ``empty`` those under which the empty walk is accepted.
    """

    steps: tuple[Path, ...]
    state_of: tuple[int, ...]
    first: frozenset[Move]
    moves: tuple[frozenset[Move], ...]
    accepts: tuple[frozenset[Domains], ...]
    empty: frozenset[Domains]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the path: how it begins and ends, and where it may be empty."""

    first: frozenset[Move] = frozenset()
    last: frozenset[Move] = frozenset()
    empty: frozenset[Domains] = frozenset()


EMPTY = _Part(empty=frozenset({NO_GUARD}))


def to_automaton(path: Path) -> Automaton:
    """The automaton of a tidy path.

    >>> automaton = to_automaton(Repeat(Alternative((Label("a"), Label("b"))), 1, None))
    >>> automaton.state_of, len(automaton.moves)
    ((0, 0), 1)
    """
    builder = _Builder()
    whole = builder.part(path)
    accepting = _by_step(whole.last)
    kinds: dict[tuple[frozenset[Move], frozenset[Domains]], int] = {}
    for step in range(len(builder.steps)):
        kinds.setdefault((_lean(builder.follow[step]), accepting.get(step, frozenset())), len(kinds))
    state_of = (kinds[_lean(builder.follow[s]), accepting.get(s, frozenset())] for s in range(len(builder.steps)))
    return Automaton(
        tuple(builder.steps),
        tuple(state_of),
        whole.first,
        tuple(moves for moves, _ in kinds),
        tuple(accepts for _, accepts in kinds),
        whole.empty,
    )


@dataclass(slots=True)
class _Builder:
    """Numbers the steps of a path and finds what may follow each."""

    steps: list[Path] = field(default_factory=list)
    follow: list[set[Move]] = field(default_factory=list)

    def part(self, path: Path) -> _Part:
        match path:
            case PathSequence(parts=parts):
                return self._sequence([self.part(part) for part in parts])
            case Alternative(parts=parts):
                return _either([self.part(part) for part in parts])
            case Repeat():
                return self._repeat(path)
            case Conjunction():
                step = self._step(path)
                return _Part(step.first, step.last, empty_at(path))
        return self._step(path)

    def _step(self, path: Path) -> _Part:
        if len(self.steps) == MOST_STEPS:
            span = path.span if isinstance(path, Label) else path.path.span if isinstance(path, Inverse) else None  # type: ignore[union-attr]  # a tidy inverse is that of a label
            raise ProgramError([diagnose("TL642", span, most=str(MOST_STEPS))])
        self.steps.append(path)
        self.follow.append(set())
        here = frozenset({(len(self.steps) - 1, NO_GUARD)})
        return _Part(here, here)

    def _sequence(self, parts: Sequence[_Part]) -> _Part:
        whole = EMPTY
        for part in parts:
            self._join(whole, part)
            first = whole.first | _guarded(part.first, whole.empty)
            last = part.last | _guarded(whole.last, part.empty)
            empty = least(one | other for one in whole.empty for other in part.empty)
            whole = _Part(_lean(first), _lean(last), empty)
        return whole

    def _join(self, before: _Part, after: _Part) -> None:
        for step, guard in before.last:
            self.follow[step] |= {(following, guard | other) for following, other in after.first}

    def _repeat(self, path: Repeat) -> _Part:
        """``path{2,4}`` as ``path/path/(path/path?)?``; the last of ``path{2,}`` repeats."""
        if path.most is None:
            rest = self.part(path.path)
            self._join(rest, rest)
            once = self._sequence([*(self.part(path.path) for _ in range(path.least - 1)), rest])
            return once if path.least else _or_empty(once, path.domain)
        rest = _Part() if path.most == path.least else self.part(path.path)
        for _ in range(path.most - path.least - 1):
            rest = self._sequence([self.part(path.path), _or_empty(rest, None)])
        if path.least == 0:
            return _or_empty(rest, path.domain)
        return self._sequence([*(self.part(path.path) for _ in range(path.least)), _or_empty(rest, None)])


def _either(parts: Iterable[_Part]) -> _Part:
    parts = tuple(parts)
    empty = least(guard for part in parts for guard in part.empty)
    return _Part(
        _lean(move for part in parts for move in part.first), _lean(move for part in parts for move in part.last), empty
    )


def _or_empty(part: _Part, domain: str | None) -> _Part:
    guard = NO_GUARD if domain is None else frozenset({domain})
    return _Part(part.first, part.last, least({*part.empty, guard}))


def _guarded(moves: Iterable[Move], guards: Iterable[Domains]) -> frozenset[Move]:
    guards = tuple(guards)
    return frozenset((step, guard | more) for step, guard in moves for more in guards)


def _by_step(moves: Iterable[Move]) -> dict[int, frozenset[Domains]]:
    found: dict[int, set[Domains]] = {}
    for step, guard in moves:
        found.setdefault(step, set()).add(guard)
    return {step: least(guards) for step, guards in found.items()}


def _lean(moves: Iterable[Move]) -> frozenset[Move]:
    """The moves without those that another allows with fewer guards."""
    return frozenset((step, guard) for step, guards in _by_step(moves).items() for guard in guards)
