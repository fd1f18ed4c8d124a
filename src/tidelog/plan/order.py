"""Join order: the order in which the literals of a body are evaluated.

Law: any order finds the same supports; the order decides only how many facts are visited. Tests are evaluated once
their variables are bound. A computation that may fail comes after all literals that do not need its result, so that an
error is raised only for valuations that the rest of the body admits; this does not depend on estimates.

Among the remaining orders, rows are joined along shared variables wherever that is possible: a cross product is
computed only where the body has no connected order. The cheapest of those orders is searched for: exactly, by dynamic
programming over the sets of atoms visited, for bodies of up to `EXACT` atoms; step by step beyond.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from tidelog.plan.body import Body, Bound, Part, bits_of
from tidelog.plan.estimate import Estimates, Statistics
from tidelog.program import Atom, Literal

EXACT = 10
ADVISED = 4.0  # an advised order may cost up to this many times as much as the best one
MEETS = True  # whether the shorter of two lists is chosen for each key; tests compare the results with and without
MEET_FROM = 8.0  # rows of the lists from which on that is worthwhile
FAR = 1 << 16  # rows of a relation whose chains lead through memory that no cache holds
LINKED, CHAINED = 2.0, 4.0  # what it costs to link such a row in an index, and to follow a chain to it: rows of a scan
ONE_ROW = 1.5  # constants that select so few rows connect an atom as well as a variable does

Chain = tuple["OrderedLiteral", "Chain"] | None


@dataclass(frozen=True, slots=True)
class OrderedLiteral:
    """A literal in the order chosen, with about how many rows one visit of it matches."""

    position: int
    estimate: float
    bounds: tuple[Bound, ...] = ()  # of the column in whose order the atom is visited


@dataclass(slots=True)
class _State:
    """A partial order: the variables bound, the literals done, the rows with a bound variable, and the order itself.

    ``rows`` is about how many valuations there are so far; ``chain`` holds the last literal first.
    """

    bound: int
    done: int
    near: int
    rows: float = 1.0
    cost: float = 0.0
    chain: Chain = None

    def take(self, position: int, estimate: float, bounds: tuple[Bound, ...] = ()) -> None:
        """Return the state after one more literal."""
        self.done |= 1 << position
        self.chain = (OrderedLiteral(position, estimate, bounds), self.chain)

    def order(self) -> list[OrderedLiteral]:
        """The literals in order."""
        found, chain = [], self.chain
        while chain is not None:
            found.append(chain[0])
            chain = chain[1]
        return found[::-1]


class BodyOrders:
    """The orders of one body over the same statistics."""

    def __init__(self, body: Body, statistics: Statistics, *, whole: bool = False) -> None:
        self._body, self._parts = body, body.parts
        self._is_whole = whole  # everything is found at once, so that chains are prepared and followed for it alone
        self._is_long = len(body.rows) > EXACT
        self._estimates = Estimates(body, statistics, origins=not self._is_long)
        self._every_row = sum(1 << i for i in body.rows)
        self._ranges = [i for i in body.rows if not isinstance(self._parts[i].literal, Atom)]
        self._alone = sum(1 << i for i in body.rows if self._stands_alone(i))

    def order(
        self, bound: int, without: int | None = None, advised: Sequence[int] | None = None, *, binding: bool = False
    ) -> list[OrderedLiteral]:
        """The order in which to evaluate the literals with some variables bound, ``without`` one of them.

        An order of atoms that is ``advised`` is followed if it costs little more, or if it is ``binding``.
        """
        asked = None if advised is None else self._finish(self._follow(self._start(bound, without), advised))
        if asked is not None and binding:
            return asked.order()
        start = self._start(bound, without)
        best = self._finish(self._step_by_step(start) if self._is_long else self._search(start))
        return (asked if asked is not None and asked.cost <= ADVISED * best.cost else best).order()

    def other_side(self, first: int, second: int, bound: int) -> OrderedLiteral | None:
        """A visit of the second atom that may replace the visit of the first: it binds the same variables.

        None unless both visit lists that may be long, and of lengths that differ from key to key.
        """
        one, other = self._parts[first], self._parts[second]
        fresh = one.variables & ~bound
        if not MEETS or not fresh or other.variables & ~bound != fresh or _has_wildcards(one) or _has_wildcards(other):
            return None
        lengths = [self._estimates.visit(i, bound, 0)[1] for i in (first, second)]
        if min(lengths) < MEET_FROM or not all(self._estimates.is_uneven(i, bound) for i in (first, second)):
            return None
        return OrderedLiteral(second, lengths[1], self._estimates.ranged(second, bound))

    def _start(self, bound: int, without: int | None) -> _State:
        state = _State(0, 0 if without is None else 1 << without, self._alone)
        self._bind(state, bound)
        self._settle(state)
        return state

    def _finish(self, state: _State) -> _State:
        """Add the remaining literals: late ones, and tests that wait for them."""
        while any(not state.done >> i & 1 for i in self._body.late):
            self._take_late(state)
        assert state.done + 1 == 1 << len(self._parts), "the safety check admits the body"
        return state

    # Which literals may come next

    def _stands_alone(self, position: int) -> bool:
        """Whether an atom can be visited without a bound variable because its constants select about one row."""
        part = self._parts[position]
        if not isinstance(part.literal, Atom) or 0 not in part.columns:
            return not part.columns and isinstance(part.literal, Atom)
        return self._estimates.visit(position, 0, 0)[0] <= ONE_ROW

    def _bind(self, state: _State, variables: int) -> int:
        """Bind variables; returns those that are new."""
        fresh = variables & ~state.bound
        state.bound |= fresh
        for bit in bits_of(fresh):
            state.near |= self._body.reading.get(bit, 0)
        return fresh

    def _settle(self, state: _State) -> int:
        """Evaluate every test that is ready; returns the variables that equations bind."""
        fresh, again = 0, bool(self._body.tests)
        while again:
            again = False
            for i in self._body.tests:
                part = self._parts[i]
                if not state.done >> i & 1 and part.is_ready(state.bound):
                    if not part.variables & ~state.bound:
                        state.rows *= part.passing
                    fresh |= self._bind(state, part.variables)
                    state.take(i, 0.0)
                    again = True
        return fresh

    def _candidates(self, state: _State) -> list[int]:
        """The rows that may come next; late literals are used once nothing else is connected."""
        while left := self._every_row & ~state.done:
            found = [i for i in bits_at(left & state.near) if self._is_visitable(i, state.bound)]
            found += [
                i for i in self._ranges if i not in found and left >> i & 1 and self._is_visitable(i, state.bound)
            ]
            found = found or self._unconnected(left, state)
            if found:
                return found
            self._take_late(state)
        return []

    def _is_visitable(self, position: int, bound: int) -> bool:
        part = self._parts[position]
        return isinstance(part.literal, Atom) or part.is_ready(bound)

    def _unconnected(self, left: int, state: _State) -> list[int]:
        """The atoms that no late literal will connect; they form a cross product with the rows bound so far."""
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
        atoms = [i for i in bits_at(left) if isinstance(self._parts[i].literal, Atom)]
        return [i for i in atoms if not self._parts[i].variables & reached] or ([] if ready else atoms)

    def _take_late(self, state: _State) -> None:
        """Add the next late literal, and the tests that wait for it."""
        position = next(i for i in self._body.late if not state.done >> i & 1 and self._parts[i].is_ready(state.bound))
        self._bind(state, self._parts[position].variables)
        state.take(position, 0.0)
        self._settle(state)

    # The search

    def _visited(self, state: _State, position: int) -> _State:
        """The state after one more visit."""
        matched = self._estimates.visit(position, state.bound, state.done)[1]
        cost = self._cost(state, position)
        after = _State(state.bound, state.done, state.near, state.rows * matched, cost, state.chain)
        after.take(position, matched, self._estimates.ranged(position, state.bound))
        self._bind(after, self._parts[position].variables)
        return after

    def _cost(self, state: _State, position: int) -> float:
        """The cost with one more visit: the rows that it looks at."""
        looked = self._estimates.visit(position, state.bound, state.done)[0]
        if self._is_whole and (size := self._estimates.unlinked(position, state.bound)) >= FAR:
            return state.cost + LINKED * size + state.rows * (1.0 + CHAINED * looked)
        return state.cost + state.rows * (1.0 + looked)

    def _search(self, start: _State) -> _State:
        """The cheapest order: the best way to each set of atoms, larger sets last."""
        layer, rows = [start], self._every_row
        while True:
            best: dict[int, tuple[float, _State, int]] = {}
            for state in layer:
                for position in self._candidates(state):
                    cost = self._cost(state, position)
                    key = (state.done | 1 << position) & rows
                    known = best.get(key)
                    if known is None or cost < known[0]:
                        best[key] = (cost, state, position)
            if not best:
                return min(layer, key=lambda state: state.cost)
            layer = [self._visited(state, position) for _, state, position in best.values()]
            for state in layer:
                self._settle(state)

    def _follow(self, state: _State, advised: Sequence[int]) -> _State:
        """Visit atoms in a given order; rows that it does not mention are placed where they are few."""
        for position in advised:
            while (beside := self._beside_advised(state, advised, position)) is not None:
                state = self._visited(state, beside)
                self._settle(state)
            while not state.near >> position & 1 and self._compute_for(position, state):
                self._settle(state)
            state = self._visited(state, position)
            self._settle(state)
        return self._step_by_step(state)

    def _beside_advised(self, state: _State, advised: Sequence[int], position: int) -> int | None:
        """Other rows that start from something known and match no more than the next advised atom."""
        visit = self._estimates.visit
        most = visit(position, state.bound, state.done)[1]
        left = [i for i in bits_at(self._every_row & ~state.done) if i not in advised]
        near = (i for i in left if i in self._ranges or state.near >> i & 1)
        ready = (i for i in near if self._is_visitable(i, state.bound))
        return next((i for i in ready if visit(i, state.bound, state.done)[1] <= most), None)

    def _compute_for(self, position: int, state: _State) -> bool:
        """Make a late computation whose result an atom reads; False if none is ready."""
        wanted = self._parts[position].variables & ~state.bound
        for i in self._body.late:
            part = self._parts[i]
            if not state.done >> i & 1 and part.is_ready(state.bound) and part.variables & wanted:
                self._bind(state, part.variables)
                state.take(i, 0.0)
                return True
        return False

    def _step_by_step(self, state: _State) -> _State:
        """The order for long bodies: repeatedly add the visit that matches the fewest rows."""
        heap: list[tuple[float, int]] = []
        self._offer(heap, state, self._candidates(state), only_best=True)
        while heap:
            position = heapq.heappop(heap)[1]
            if not state.done >> position & 1:
                before = state.bound
                state = self._visited(state, position)
                self._settle(state)
                touched = {i for bit in bits_of(state.bound & ~before) for i in self._body.readers.get(bit, ())}
                ready = [i for i in sorted(touched) if self._is_visitable(i, state.bound)]
                self._offer(heap, state, ready)
            if not heap:
                self._offer(heap, state, self._candidates(state), only_best=True)
        return state

    def _offer(
        self, heap: list[tuple[float, int]], state: _State, positions: Sequence[int], *, only_best: bool = False
    ) -> None:
        """Push visits onto the heap; of cross products, only the best."""
        found = [(self._estimates.visit(i, state.bound, state.done)[1], i) for i in positions]
        found = [(rows, i) for rows, i in found if not state.done >> i & 1]
        if only_best and found and not state.near & ~state.done:
            found = [min(found)]
        for entry in found:
            heapq.heappush(heap, entry)


def _has_wildcards(part: Part) -> bool:
    return any(bit & ~part.variables for bit in part.columns)


def bits_at(mask: int) -> list[int]:
    """The positions of the bits of a mask, lowest first."""
    return [bit.bit_length() - 1 for bit in bits_of(mask)]


def order_literals(literals: Sequence[Literal], bound: set[str], statistics: Statistics) -> list[OrderedLiteral]:
    """The order in which to evaluate some literals, given the variables that are bound."""
    body = Body(literals)
    return BodyOrders(body, statistics).order(body.mask(bound))
