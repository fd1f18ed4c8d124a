"""A rule's body as numbers: variables are bits, and every literal knows what it needs and what it gives.

Law: a body is read once and serves all plans of its rule. A literal is one of four kinds: an atom or a range, which
give rows; a test, which can be made as soon as its variables are bound; and a *late* literal, a computation that may
fail, which must not be made for valuations that the rest of the body does not admit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tidelog.program import Atom, Call, Comparison, Literal, Negation, Term, Var, Wildcard, subterms, variables
from tidelog.program.values.structure import is_structural

EARLY_FUNCTIONS = frozenset({"+", "-", "*", "band", "bor", "bxor", "list", "cat", "wrap +", "wrap -", "wrap *"})
ROWS, TEST, LATE = range(3)
HALF = 0.5  # of all rows pass a test of which nothing more is known
PASSING = {"=": 0.1, "!=": 0.9}


def literal_variables(literal: Literal) -> Iterator[str]:
    """The names of the variables of a core literal."""
    if isinstance(literal, Comparison):
        terms: tuple[Term, ...] = (literal.left, literal.right)
    else:
        assert isinstance(literal, Atom | Negation)
        terms = literal.args if isinstance(literal, Atom) else literal.atom.args
    return (v.name for t in terms for v in variables(t))


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
    """A literal in numbers: all its variables, and the variables that an equation can give once the others are bound.

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


class Body:
    """The literals of a body as parts; ``bits`` numbers their variables."""

    def __init__(self, literals: Sequence[Literal]) -> None:
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

    def beside(self, position: int) -> int:
        """The rows that share a variable with a literal, as a mask."""
        found = 0
        for bit in bits_of(self.parts[position].variables):
            found |= self.reading[bit]
        return found

    def mask(self, names: Iterable[str]) -> int:
        """The bits of some variables; those that the body does not use have none."""
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
        return Part(literal, kind, every, self._given(literal), passing=passing)

    def _columns(self, atom: Atom) -> tuple[int, ...]:
        return tuple(map(self._column, atom.args))

    def _column(self, term: Term) -> int:
        """A wildcard has a separate bit, which nothing binds."""
        name = f"_ {len(self.bits)}" if isinstance(term, Wildcard) else getattr(term, "name", None)
        return 0 if name is None else self.bits.setdefault(name, 1 << len(self.bits))

    def _given(self, literal: Comparison) -> tuple[int, ...]:
        """The variables that the equation gives: those that stand alone on one side and not on the other."""
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
