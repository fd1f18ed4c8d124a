"""Join order: in which order the literals of a body are evaluated.

Law: any order gives the same supports; the order decides only how many facts are visited. Tests come as soon as their
variables are bound. A computation that may fail comes after all literals that do not need its result, so that an error
is raised only for valuations that the rest of the body admits; this does not depend on estimates.

Among the orders that are left, rows are joined along shared variables wherever that is possible: a cross product is
made only where the body has no connected order. Of those orders the cheapest is searched: exactly, by dynamic
programming over the sets of atoms visited, for bodies of up to `EXACT` atoms; step by step beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tidelog.plan.body import HALF, Body, Part, bits_of
from tidelog.program import Atom, Literal

EXACT = 10
RANGE_ROWS = 10.0  # about how many numbers a range has
REPEATED = 0.3  # of the rows have equal values in two columns
ADVISED = 4.0  # times the cost of the best order is not too much for one that is advised
ONE_ROW = 1.5  # constants that select so few rows connect an atom as well as a variable


class Statistics(Protocol):
    """What the planner asks about the data."""

    def matching(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many facts agree on the columns, given values that occur there."""
        ...

    def distinct(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many different values the columns have, at least one."""
        ...


@dataclass(frozen=True, slots=True)
class Next:
    """A literal in the order chosen, with about how many rows one visit of it matches."""

    position: int
    estimate: float


@dataclass(slots=True)
class _State:
    """How far an order has come; ``chain`` is the literals so far, the last one first."""

    bound: int
    done: int
    rows: float
    cost: float
    chain: tuple[object, ...] | None

    def take(self, position: int, estimate: float) -> None:
        """One more literal."""
        self.done |= 1 << position
        self.chain = (Next(position, estimate), self.chain)

    def order(self) -> list[Next]:
        """The literals in order."""
        found, chain = [], self.chain
        while chain is not None:
            found.append(chain[0])
            chain = chain[1]  # type: ignore[assignment]  # a chain of pairs
        return found[::-1]  # type: ignore[return-value]


class Ordering:
    """The orders of one body over the same statistics; what was estimated once is remembered."""

    def __init__(self, body: Body, statistics: Statistics) -> None:
        self._body = body
        self._parts = body.parts
        self._statistics = statistics
        self._known: dict[tuple[int, int, int], tuple[float, float]] = {}
        self._row_mask = sum(1 << i for i in body.rows)
        self._beside = {i: self._neighbours(i) for i in body.rows}

    def order(
        self, bound: int, without: int | None = None, advised: Sequence[int] | None = None, *, binding: bool = False
    ) -> list[Next]:
        """The order in which to evaluate the literals with some variables bound, ``without`` one of them.

        An order of atoms that is ``advised`` is followed if it costs little more, or if it is ``binding``.
        """
        asked = None if advised is None else self._follow(self._start(bound, without), advised)
        if asked is not None and binding:
            return asked.order()
        state = self._start(bound, without)
        left = sum(not state.done >> i & 1 for i in self._body.rows)
        state = self._search(state) if 1 < left <= EXACT else self._step_by_step(state)
        self._finish(state)
        return (asked if asked is not None and asked.cost <= ADVISED * state.cost else state).order()

    def _start(self, bound: int, without: int | None) -> _State:
        state = _State(bound, 0 if without is None else 1 << without, 1.0, 0.0, None)
        self._settle(state)
        return state

    def _follow(self, state: _State, advised: Sequence[int]) -> _State:
        """Visit atoms in an order that is given; rows that it does not speak of come where they are few."""
        for position in advised:
            while (beside := self._beside_advised(state, advised, position)) is not None:
                state = self._visited(state, beside)
                self._settle(state)
            while not self._is_connected(position, state) and self._compute_for(position, state):
                self._settle(state)
            state = self._visited(state, position)
            self._settle(state)
        state = self._step_by_step(state)
        self._finish(state)
        return state

    def _beside_advised(self, state: _State, advised: Sequence[int], position: int) -> int | None:
        """Other rows, that start from something known and match no more than the atom whose turn it is."""
        most = self._estimate(position, state)[1]
        left = (i for i in self._body.rows if not state.done >> i & 1 and i not in advised)
        near = (i for i in left if self._is_connected(i, state) and self._estimate(i, state)[1] <= most)
        return next(near, None)

    def _compute_for(self, position: int, state: _State) -> bool:
        """Make a late computation whose result an atom reads; False if none is ready."""
        wanted = self._parts[position].variables & ~state.bound
        for i in self._body.late:
            part = self._parts[i]
            if not state.done >> i & 1 and part.is_ready(state.bound) and part.variables & wanted:
                state.bound |= part.variables
                state.take(i, 0.0)
                return True
        return False

    def _neighbours(self, position: int) -> int:
        """The atoms that share a variable with one."""
        found = 0
        for bit in bits_of(self._parts[position].variables):
            for i in self._body.readers[bit]:
                found |= 1 << i
        return found

    # What one visit gives

    def _estimate(self, position: int, state: _State) -> tuple[float, float]:
        """About how many rows a visit looks at, and how many of those match."""
        part = self._parts[position]
        key = (position, state.bound & part.variables, state.done & self._beside[position])
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._estimated(part, key[1], key[2])
        return known

    def _estimated(self, part: Part, bound: int, done: int) -> tuple[float, float]:
        atom = part.literal
        if not isinstance(atom, Atom):
            return RANGE_ROWS, RANGE_ROWS if part.variables & ~bound else HALF
        name, arity = atom.predicate, len(atom.args)
        columns = tuple(i for i, bit in enumerate(part.columns) if not bit & ~bound)
        looked = self._statistics.matching(name, arity, columns)
        matched = looked if len(columns) < arity else min(HALF, looked / self._cells(name, arity))
        for column in columns:
            if part.columns[column]:
                here = self._statistics.distinct(name, arity, (column,))
                matched *= min(1.0, here / self._values(part.columns[column], done, here))
        free = [bit for i, bit in enumerate(part.columns) if i not in columns]
        return (looked if len(columns) == arity else matched), matched * REPEATED ** (len(free) - len(set(free)))

    def _cells(self, name: str, arity: int) -> float:
        """How many facts there would be if every value of a column stood beside every value of the others, per fact."""
        if arity < 2:
            return 1.0
        size, cells = self._statistics.matching(name, arity, ()), 1.0
        for column in range(arity):
            cells *= self._statistics.distinct(name, arity, (column,))
        return max(1.0, cells / max(1.0, size))

    def _values(self, bit: int, done: int, otherwise: float) -> float:
        """About how many values a variable has, as the atoms visited bind it."""
        found = []
        for i in self._body.readers.get(bit, ()):
            atom = self._parts[i].literal
            if done >> i & 1 and isinstance(atom, Atom):
                column = self._parts[i].columns.index(bit)
                found.append(self._statistics.distinct(atom.predicate, len(atom.args), (column,)))
        return max(1.0, min(found, default=otherwise))

    # Which literals may come next

    def _settle(self, state: _State) -> None:
        """Make every test that can be made; equations bind."""
        again = True
        while again:
            again = False
            for i in self._body.tests:
                part = self._parts[i]
                if not state.done >> i & 1 and part.is_ready(state.bound):
                    if not part.variables & ~state.bound:
                        state.rows *= part.passing
                    state.bound |= part.variables
                    state.take(i, 0.0)
                    again = True

    def _candidates(self, state: _State) -> list[int]:
        """The rows that may come next; late literals are taken where nothing else is connected any more."""
        while True:
            left = [i for i in self._body.rows if not state.done >> i & 1]
            found = [i for i in left if self._is_connected(i, state)]
            if found or not left:
                return found
            apart = self._apart(left, state)
            if apart:
                return apart
            self._take_late(state)

    def _is_connected(self, position: int, state: _State) -> bool:
        """Whether a visit starts from something known: a bound variable, or constants that leave about one row."""
        part, bound = self._parts[position], state.bound
        if not isinstance(part.literal, Atom):
            return part.is_ready(bound)
        if part.variables & bound or not part.variables:
            return True
        return 0 in part.columns and self._estimate(position, state)[0] <= ONE_ROW

    def _apart(self, left: list[int], state: _State) -> list[int]:
        """The atoms that no late literal will connect: they are crossed with what is bound; none while one does."""
        late = [self._parts[i] for i in self._body.late if not state.done >> i & 1]
        ready = [part for part in late if part.is_ready(state.bound)]
        reached, before = state.bound, -1
        while reached != before:
            before = reached
            for part in ready:
                reached |= part.variables
            for part in self._parts:
                if part.variables & reached & ~state.bound or part.is_ready(reached):
                    reached |= part.variables
        atoms = [i for i in left if isinstance(self._parts[i].literal, Atom)]
        return [i for i in atoms if not self._parts[i].variables & reached] or ([] if ready else atoms)

    def _take_late(self, state: _State) -> None:
        """The next late literal, and the tests that wait for it."""
        position = next(i for i in self._body.late if not state.done >> i & 1 and self._parts[i].is_ready(state.bound))
        state.bound |= self._parts[position].variables
        state.take(position, 0.0)
        self._settle(state)

    # The search

    def _visited(self, state: _State, position: int) -> _State:
        """The state after one more visit."""
        looked, matched = self._estimate(position, state)
        after = _State(
            state.bound | self._parts[position].variables,
            state.done,
            state.rows * matched,
            state.cost + state.rows * (1.0 + looked),
            state.chain,
        )
        after.take(position, matched)
        return after

    def _search(self, start: _State) -> _State:
        """The cheapest order: the best way to each set of atoms, larger sets last."""
        layer = {start.done: start}
        while True:
            following: dict[int, _State] = {}
            for state in layer.values():
                for position in self._candidates(state):
                    after = self._visited(state, position)
                    key = after.done & self._row_mask
                    known = following.get(key)
                    if known is None or after.cost < known.cost:
                        following[key] = after
            if not following:
                return min(layer.values(), key=lambda state: state.cost)
            for state in following.values():
                self._settle(state)
            layer = following

    def _step_by_step(self, state: _State) -> _State:
        """For long bodies: the visit that matches fewest rows, again and again."""
        while candidates := self._candidates(state):
            best = min(candidates, key=lambda i: (self._estimate(i, state)[1], i))
            state = self._visited(state, best)
            self._settle(state)
        return state

    def _finish(self, state: _State) -> None:
        """What is left are late literals, and tests that wait for them."""
        while any(not state.done >> i & 1 for i in self._body.late):
            self._take_late(state)
        assert state.done + 1 == 1 << len(self._parts), "the safety check admits the body"


def order_literals(literals: Sequence[Literal], bound: set[str], statistics: Statistics) -> list[Next]:
    """The order in which to evaluate some literals, given the variables that are bound."""
    body = Body(literals)
    return Ordering(body, statistics).order(body.mask(bound))
