"""A rule's body as numbers: variables are bits, and every literal records what it needs and what it binds.

Law: a body is read once and serves all plans of its rule. A literal is one of four kinds: an atom or a range, which
produce rows; a test, which can be evaluated as soon as its variables are bound; and a *late* literal, a computation
that may fail, which must not be evaluated for valuations that the rest of the body does not admit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Term, Var, Wildcard, subterms, variables
from tidelog.program.values.structure import is_structural

EARLY_FUNCTIONS = frozenset({"+", "-", "*", "band", "bor", "bxor", "list", "cat", "wrap +", "wrap -", "wrap *"})
ROWS, TEST, LATE = range(3)
RANGES = True  # whether comparisons are bounds of ranges; tests compare the results with and without
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
HALF = 0.5  # the share of rows that pass a test if nothing else is known about it
PASSING = {"=": 0.1, "!=": 0.9}


def literal_variables(literal: Literal) -> Iterator[str]:
    """The names of the variables of a core literal."""
    if isinstance(literal, Comparison):
        terms: tuple[Term, ...] = (literal.left, literal.right)
    else:
        assert isinstance(literal, Atom | Negation)
        terms = literal.args if isinstance(literal, Atom) else literal.atom.args
    return (v.name for t in terms for v in variables(t))


def cell_order(type_: str) -> str:
    """The type that determines the order of a type's cells."""
    return type_ if type_ in ("unsigned", "float") else "number"


def is_generator(literal: Literal) -> bool:
    """Whether the literal is ``V = range(...)``."""
    return isinstance(literal, Comparison) and any(
        isinstance(side, Call) and side.function == "range" for side in (literal.left, literal.right)
    )


def may_fail(literal: Literal) -> bool:
    """Whether evaluating the literal too early could raise an error that the whole body would not."""
    if not isinstance(literal, Comparison):
        return False
    calls = (t.function for side in (literal.left, literal.right) for t in subterms(side) if isinstance(t, Call))
    return any(f not in EARLY_FUNCTIONS and not is_structural(f) for f in calls)


@dataclass(frozen=True, slots=True)
class Part:
    """A literal in numbers: all its variables, and the variables that an equation can bind once the others are bound.

    For an atom ``columns`` holds the bit of each column's variable or wildcard, 0 for a constant.
    """

    literal: Literal
    kind: int
    variables: int
    gives: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    passing: float = 1.0

    def is_ready(self, bound: int) -> bool:
        """Whether the literal can be evaluated with these variables bound."""
        missing = self.variables & ~bound
        return not missing or missing in self.gives


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparison as a bound of a column, which is to the left of ``op``; ``needs`` is the bit of the other side."""

    column: int
    variable: int
    op: str
    term: Term
    needs: int

    @property
    def is_low(self) -> bool:
        """Whether it is a lower bound."""
        return self.op in (">", ">=")


class Body:
    """The literals of a body as parts; ``bits`` numbers their variables.

    ``bounds`` are the comparisons that bound a column of an atom by a variable or a constant, by the atom's position;
    ``orders`` maps each variable whose cells have the order of their type to that order.
    """

    def __init__(self, literals: Sequence[Literal], orders: Mapping[str, str] | None = None) -> None:
        self.bits: dict[str, int] = {}
        self.parts = tuple(map(self._part, literals))
        self.rows = tuple(i for i, part in enumerate(self.parts) if part.kind == ROWS)
        self.tests = tuple(i for i, part in enumerate(self.parts) if part.kind == TEST)
        self.late = tuple(i for i, part in enumerate(self.parts) if part.kind == LATE)
        self.readers: dict[int, list[int]] = {}  # the rows that read a variable, also as a mask
        for i in self.rows:
            for bit in bits_of(self.parts[i].variables):
                self.readers.setdefault(bit, []).append(i)
        self.reading = {bit: sum(1 << i for i in found) for bit, found in self.readers.items()}
        self.bounds: dict[int, tuple[Bound, ...]] = {}
        self.orders = orders or {}
        if self.orders and RANGES:
            self._note_bounds()

    def _note_bounds(self) -> None:
        for test in (self.parts[i].literal for i in self.tests):
            if not isinstance(test, Comparison) or test.op not in TURNED:
                continue
            for here, op, there in ((test.left, test.op, test.right), (test.right, TURNED[test.op], test.left)):
                order = self._order(here)
                if order is not None and isinstance(here, Var) and order == self._order(there) and here != there:
                    self._note_bound(self.bits[here.name], op, there)

    def _order(self, term: Term) -> str | None:
        if isinstance(term, Const):
            return cell_order(term.type)
        return self.orders.get(term.name) if isinstance(term, Var) else None

    def _note_bound(self, variable: int, op: str, term: Term) -> None:
        needs = self.bits[term.name] if isinstance(term, Var) else 0
        for i in self.readers.get(variable, ()):
            part = self.parts[i]
            if isinstance(part.literal, Atom):
                bound = Bound(part.columns.index(variable), variable, op, term, needs)
                self.bounds[i] = (*self.bounds.get(i, ()), bound)

    def read_before(self, trigger: int) -> frozenset[int]:
        """The literals that are read in their new state when one of them changes; all others are read in the old one.

        Any fixed order of the literals is correct. When all facts are new, its last literal finds all supports, so that
        atoms with a column between two bounds come first: looking them up is cheaper than starting from them.
        """
        order = sorted(range(len(self.parts)), key=lambda i: not self._is_between(i))
        return frozenset(order[: order.index(trigger)])

    def _is_between(self, position: int) -> bool:
        bounds = self.bounds.get(position, ())
        return any(
            one.column == other.column and one.is_low and not other.is_low and one.needs | other.needs
            for one in bounds
            for other in bounds
        )

    def is_test(self, position: int) -> bool:
        """Whether a literal is a test."""
        return self.parts[position].kind == TEST

    def beside(self, position: int) -> int:
        """The rows that share a variable with a literal, as a mask."""
        found = 0
        for bit in bits_of(self.parts[position].variables):
            found |= self.reading[bit]
        return found

    def mask(self, names: Iterable[str]) -> int:
        """The bits of some variables; variables that the body does not use have none."""
        found = 0
        for name in names:
            found |= self.bits.get(name, 0)
        return found

    def _part(self, literal: Literal) -> Part:
        every = 0
        for name in literal_variables(literal):
            every |= self.bits.setdefault(name, 1 << len(self.bits))
        if isinstance(literal, Atom):
            return Part(literal, ROWS, every, columns=self._columns(literal))
        if isinstance(literal, Negation):
            return Part(literal, TEST, every, passing=HALF)
        assert isinstance(literal, Comparison)
        kind = ROWS if is_generator(literal) else LATE if may_fail(literal) else TEST
        passing = PASSING.get(literal.op, HALF)
        return Part(literal, kind, every, self._bound_by(literal), passing=passing)

    def _columns(self, atom: Atom) -> tuple[int, ...]:
        return tuple(map(self._column, atom.args))

    def _column(self, term: Term) -> int:
        """The bit of a column; a wildcard has a separate bit, which nothing binds."""
        name = f"_ {len(self.bits)}" if isinstance(term, Wildcard) else getattr(term, "name", None)
        return 0 if name is None else self.bits.setdefault(name, 1 << len(self.bits))

    def _bound_by(self, literal: Comparison) -> tuple[int, ...]:
        """The variables that the equation binds: those that are one side of it and do not occur on the other."""
        if literal.op != "=":
            return ()
        sides = ((literal.left, literal.right), (literal.right, literal.left))
        return tuple(
            self.bits[here.name]
            for here, there in sides
            if isinstance(here, Var) and here.name not in {v.name for v in variables(there)}
        )


def bits_of(mask: int) -> Iterator[int]:
    """The single bits of a mask."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
