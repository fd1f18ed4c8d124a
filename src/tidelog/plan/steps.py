"""Steps: the instructions of a plan for the kernel, as values.

A plan is one way to find the supports of a core rule: from a change of one body atom (its *trigger*) or, without a
trigger, over the whole state. Registers are numbered; a constant is written where it is used. These values refer to
relations by name; `partition.assemble` turns them into the cells that the kernel interprets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.program import Const, Rule
from tidelog.rewrite.scope import terms_of

Operand: TypeAlias = int | Const
KINDS = ("number", "unsigned", "float")  # orders of cells, in the order of the kernel's numbers for them


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a column, each an operand or None; a bound is included unless it is marked as excluded.

    It only restricts where facts are searched for: the comparisons that it comes from remain separate steps.
    """

    column: int
    kind: str
    low: Operand | None
    high: Operand | None
    above: bool = False  # the lower bound is excluded
    below: bool = False  # the upper bound is excluded

    @property
    def ordered(self) -> int:
        """The column as the last one of an ordered index."""
        return ordered_column(self.column, self.kind)


def ordered_column(column: int, kind: str) -> int:
    """A column as the last one of the key of an index that is ordered by it: negative, with its order."""
    return ~(column * len(KINDS) + KINDS.index(kind))


def is_ordered(columns: tuple[int, ...]) -> bool:
    """Whether columns are the key of an ordered index."""
    return columns != () and columns[-1] < 0


def column_order(ordered: int) -> tuple[int, int]:
    """The column and the number of its order.

    >>> column_order(ordered_column(4, "float"))
    (4, 2)
    """
    return divmod(~ordered, len(KINDS))


@dataclass(frozen=True, slots=True)
class Visit:
    """Visit the facts of a relation that agree with ``key`` (column, operand), bind and check the other columns.

    ``estimate`` is the number of rows that one visit is expected to match. With a ``range`` the facts are found in the
    order of its column.
    """

    relation: str
    arity: int
    position: int
    key: tuple[tuple[int, Operand], ...]
    binds: tuple[tuple[int, int], ...]
    checks: tuple[tuple[int, int], ...]
    estimate: float = field(default=0.0, compare=False)
    filters: tuple[tuple[int, Operand], ...] = ()  # columns that are compared although they could be part of the key
    range: Range | None = None

    @property
    def columns(self) -> tuple[int, ...]:
        """The key columns, ascending."""
        return tuple(column for column, _ in self.key)

    @property
    def is_scan(self) -> bool:
        """Whether every fact of the relation is visited: a cross product, unless it is the first step."""
        return not self.key and self.arity > 0 and self.range is None

    @property
    def lookup(self) -> tuple[str, tuple[int, ...]] | None:
        """The possible key of the visit: the columns of its key, and those that are compared instead."""
        if self.range is not None:
            return None
        columns = tuple(sorted((*self.columns, *(column for column, _ in self.filters))))
        return (self.relation, columns) if 0 < len(columns) < self.arity else None

    @property
    def index(self) -> tuple[str, tuple[int, ...]] | None:
        """The index that the visit needs; none for a scan and for the look-up of one fact."""
        if self.range is not None:
            return (self.relation, (*self.columns, self.range.ordered))
        return (self.relation, self.columns) if 0 < len(self.key) < self.arity else None


@dataclass(frozen=True, slots=True)
class Absent:
    """Continue only if the fact is absent."""

    relation: str
    position: int
    args: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """Continue only if the comparison holds; ``type`` is the type of both sides."""

    op: str
    type: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Compute:
    """Arithmetic of the kernel: number or float."""

    op: str
    type: str
    target: int
    args: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Apply:
    """A function that runs in Python, on distinct arguments only."""

    function: str
    types: tuple[str, ...]
    result: str
    target: int
    args: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Generate:
    """Each number from ``first`` towards ``end`` (excluded) by ``step`` (None: one, in the direction of the end)."""

    target: int
    first: Operand
    end: Operand
    step: Operand | None


@dataclass(frozen=True, slots=True)
class Tie:
    """A column that decides between candidates with equal values; it is compared in the same way as the values."""

    kind: str
    type: str
    value: int
    column: int


@dataclass(frozen=True, slots=True)
class Expose:
    """Continue only if the candidate just visited becomes, or ceases to be, what its group shows (min and max)."""

    relation: str
    arity: int
    kind: str
    type: str
    group: tuple[int, ...]
    group_columns: tuple[int, ...]
    value: int
    column: int
    ties: tuple[Tie, ...] = ()

    @property
    def index(self) -> tuple[str, tuple[int, ...]]:
        """The candidates of a group."""
        return (self.relation, self.group_columns)


@dataclass(frozen=True, slots=True)
class Meet:
    """Choose between the next four visits: a list of facts and the fact that agrees with each, or those two exchanged.

    Both ways bind the same variables; the one whose list is shorter is carried out.
    """


Step: TypeAlias = Visit | Absent | Compare | Compute | Apply | Generate | Expose | Meet


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of one rule from one trigger (None: from the whole state) to its head."""

    rule: Rule
    trigger: int | None
    binds: tuple[tuple[int, int], ...]
    checks: tuple[tuple[int, Operand], ...]
    steps: tuple[Step, ...]
    head: tuple[Operand, ...]
    registers: int
    before: frozenset[int] = frozenset()  # literals that are read in their new state, all others in the old one

    @property
    def indexes(self) -> frozenset[tuple[str, tuple[int, ...]]]:
        """All indexes that the plan needs."""
        return frozenset(s.index for s in self.steps if isinstance(s, Visit | Expose) and s.index is not None)

    @property
    def cross_products(self) -> tuple[str, ...]:
        """Relations that are visited whole when something is already bound."""
        trigger = None if self.trigger is None else self.rule.body[self.trigger]
        busy = trigger is not None and any(True for _ in terms_of(trigger))  # without columns there is at most one fact
        found = []
        for step in self.steps:
            if isinstance(step, Visit):
                if step.is_scan and busy:
                    found.append(step.relation)
                busy = busy or step.arity > 0
        return tuple(found)
