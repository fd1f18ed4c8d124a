"""Estimates of how many rows a visit of an atom looks at, and how many of those match.

Law: an estimate only chooses between plans that derive the same supports. A look-up by a value that occurs in the
column visits a chain of the length in the statistics; a value from a column with more values than this one may not
occur here, and the share of those that do is estimated as the quotient of the two counts.
"""

from __future__ import annotations

from typing import Protocol

from tidelog.plan.body import HALF, Body, Bound, Part
from tidelog.program import Atom

RANGE_ROWS = 10.0  # estimated size of a range
NARROWED = (1.0, 1 / 3, 1 / 20)  # the share of rows within no, one and two bounds
LONG = 8.0  # the number of rows of a key from which an ordered search is worthwhile
MOST_KEY = 16  # key columns before the ordered one
UNEVEN = 2.0  # times the average that the rows of a key must be expected to be if keys differ
REPEATED = 0.3  # the share of rows with equal values in two columns


class Statistics(Protocol):
    """The statistics of the data that the planner uses."""

    def matching(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many facts agree on the columns, given values that occur there."""
        ...

    def distinct(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many different values the columns have, at least one."""
        ...

    def is_linked(self, relation: str, columns: tuple[int, ...]) -> bool:
        """Whether an index that a look-up by these columns can use exists and has been read."""
        ...


class Estimates:
    """The estimates of one body; results are cached.

    Long bodies are estimated without considering where values come from.
    """

    def __init__(self, body: Body, statistics: Statistics, *, origins: bool) -> None:
        self._body = body
        self._statistics = statistics
        self._beside = {i: body.beside(i) if origins else 0 for i in body.rows}
        self._seen = {i: body.parts[i].variables for i in body.rows}
        for i, bounds in body.bounds.items():
            for bound in bounds:
                self._seen[i] |= bound.needs
        self._known: dict[tuple[int, int, int], tuple[float, float]] = {}

    def visit(self, position: int, bound: int, done: int) -> tuple[float, float]:
        """Rows looked at and rows that match, with these variables bound by these literals."""
        part = self._body.parts[position]
        key = (position, bound & self._seen[position], done & self._beside[position])
        known = self._known.get(key)
        if known is None:
            looked, matched = self._visit(part, bound & part.variables, key[2])
            ranged = self.ranged(position, bound)
            sides = 0 if not ranged else len({one.is_low for one in ranged})
            known = self._known[key] = (looked * NARROWED[sides], matched)
        return known

    def unlinked(self, position: int, bound: int) -> float:
        """The size of the relation that must be linked in an index before a visit follows the chain of a key, or 0."""
        part = self._body.parts[position]
        known = tuple(i for i, bit in enumerate(part.columns) if not bit & ~bound)
        if not isinstance(part.literal, Atom) or len(known) in (0, len(part.columns)):
            return 0.0
        name = part.literal.predicate
        return (
            0.0 if self._statistics.is_linked(name, known) else self._statistics.matching(name, len(part.columns), ())
        )

    def ranged(self, position: int, bound: int) -> tuple[Bound, ...]:
        """The bounds of the column by whose order an atom is best visited; none if a key finds few rows anyway."""
        found: dict[int, list[Bound]] = {}
        for one in self._body.bounds.get(position, ()):
            if not one.needs & ~bound and one.variable & ~bound:
                found.setdefault(one.column, []).append(one)
        if not found:
            return ()
        part = self._body.parts[position]
        assert isinstance(part.literal, Atom)
        columns = tuple(i for i, bit in enumerate(part.columns) if not bit & ~bound)
        name, arity = part.literal.predicate, len(part.columns)
        if columns and (len(columns) >= MOST_KEY or self._statistics.matching(name, arity, columns) < LONG):
            return ()
        return tuple(max(found.values(), key=lambda bounds: len({one.is_low for one in bounds})))

    def is_uneven(self, position: int, bound: int) -> bool:
        """Whether an atom is visited by a key, and some keys have many more rows than others."""
        part = self._body.parts[position]
        assert isinstance(part.literal, Atom)
        name, columns = part.literal.predicate, tuple(i for i, bit in enumerate(part.columns) if not bit & ~bound)
        if not columns:
            return False
        every = (name, len(part.columns))
        average = self._statistics.matching(*every, ()) / self._statistics.distinct(*every, columns)
        return self._statistics.matching(*every, columns) >= UNEVEN * average

    def _visit(self, part: Part, bound: int, done: int) -> tuple[float, float]:
        atom = part.literal
        if not isinstance(atom, Atom):
            return RANGE_ROWS, RANGE_ROWS if part.variables & ~bound else HALF
        columns = tuple(i for i, bit in enumerate(part.columns) if not bit & ~bound)
        looked = self._statistics.matching(atom.predicate, len(atom.args), columns)
        if len(columns) == len(atom.args):
            return looked, self._occurring(atom, part, columns, done) * min(HALF, looked / self._sparsity(atom))
        matched = looked * self._occurring(atom, part, columns, done)
        free = [bit for i, bit in enumerate(part.columns) if i not in columns]
        return matched, matched * REPEATED ** (len(free) - len(set(free)))

    def _sparsity(self, atom: Atom) -> float:
        """How many facts there would be for each actual one if every combination of the columns' values occurred."""
        arity = len(atom.args)
        if arity < 2:
            return 1.0
        size, cells = self._statistics.matching(atom.predicate, arity, ()), 1.0
        for column in range(arity):
            cells *= self._distinct(atom, column)
        return max(1.0, cells / max(1.0, size))

    def _occurring(self, atom: Atom, part: Part, columns: tuple[int, ...], done: int) -> float:
        """The share of the values looked for that occur in their columns."""
        found = 1.0
        for column in columns:
            if done and part.columns[column]:
                found *= min(1.0, self._distinct(atom, column) / self._values(part.columns[column], done))
        return found

    def _values(self, bit: int, done: int) -> float:
        """About how many values a variable has, given the visited atoms that bind it; one if none does."""
        found = []
        for i in self._body.readers[bit]:
            atom = self._body.parts[i].literal
            if done >> i & 1 and isinstance(atom, Atom):
                found.append(self._distinct(atom, self._body.parts[i].columns.index(bit)))
        return min(found, default=1.0)

    def _distinct(self, atom: Atom, column: int) -> float:
        return self._statistics.distinct(atom.predicate, len(atom.args), (column,))
