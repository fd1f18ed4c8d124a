"""Estimates: about how many rows a visit of an atom looks at, and how many of those match.

Law: an estimate only chooses between plans that derive the same supports. A look-up by a value that occurs in the
column meets a chain of the length in the statistics; a value from a column with more values than this one may not occur
here at all, and the share of those that do is estimated as the quotient of the two counts.
"""

from __future__ import annotations

from typing import Protocol

from tidelog.plan.body import HALF, Body, Part
from tidelog.program import Atom

RANGE_ROWS = 10.0  # about how many numbers a range has
REPEATED = 0.3  # of the rows have equal values in two columns


class Statistics(Protocol):
    """What the planner asks about the data."""

    def matching(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many facts agree on the columns, given values that occur there."""
        ...

    def distinct(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        """About how many different values the columns have, at least one."""
        ...


class Estimates:
    """The estimates of one body; what was worked out once is remembered.

    Long bodies are estimated without a look at where values come from.
    """

    def __init__(self, body: Body, statistics: Statistics, *, origins: bool) -> None:
        self._body = body
        self._statistics = statistics
        self._beside = {i: body.beside(i) if origins else 0 for i in body.rows}
        self._known: dict[tuple[int, int, int], tuple[float, float]] = {}

    def visit(self, position: int, bound: int, done: int) -> tuple[float, float]:
        """Rows looked at and rows that match, with these variables bound by these literals."""
        part = self._body.parts[position]
        key = (position, bound & part.variables, done & self._beside[position])
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._visit(part, key[1], key[2])
        return known

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
        """How many facts there would be for each one if every value of a column stood beside all of the others."""
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
        """About how many values a variable has, as the atoms visited bind it; one if none of them does."""
        found = []
        for i in self._body.readers[bit]:
            atom = self._body.parts[i].literal
            if done >> i & 1 and isinstance(atom, Atom):
                found.append(self._distinct(atom, self._body.parts[i].columns.index(bit)))
        return min(found, default=1.0)

    def _distinct(self, atom: Atom, column: int) -> float:
        return self._statistics.distinct(atom.predicate, len(atom.args), (column,))
