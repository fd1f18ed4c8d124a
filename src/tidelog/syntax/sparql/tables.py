"""Solutions of a part of a SPARQL query, as a body of literals or as a relation of their own; and how two of them join.

Law: each solution is one row. A variable that is certain is bound in every row; another one may be the empty text,
which is not a term. Where SPARQL counts a solution several times, hidden columns tell its rows apart: they are present
if duplicates matter (`counts`), and absent where they do not, so that the rows are a set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

UNBOUND = '""'
Variables = Mapping[str, bool]  # the variables of a part, and whether they are certain


@dataclass(frozen=True, slots=True)
class Table:
    """A relation of solutions: its columns are the variables and then the hidden ones."""

    relation: str
    variables: Variables
    hidden: tuple[str, ...] = ()

    def atom(self, replaced: Mapping[str, str] | None = None) -> str:
        """The atom that reads the relation, with some of its variables replaced."""
        return write_atom(self.relation, [(replaced or {}).get(v, v) for v in (*self.variables, *self.hidden)])


@dataclass(frozen=True, slots=True)
class Body:
    """Literals whose solutions are those of a part of the query; ``table`` if they are one atom."""

    literals: tuple[str, ...] = ()
    variables: Variables = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    table: Table | None = None

    def having(self, *literals: str) -> Body:
        """The same with more conditions."""
        return Body((*self.literals, *literals), self.variables, self.hidden)


def body_of(table: Table) -> Body:
    """The literal that reads a relation of solutions."""
    return Body((table.atom(),), table.variables, table.hidden, table)


def write_atom(relation: str, args: Iterable[str]) -> str:
    """An atom as text."""
    return f"{relation}({', '.join(args)})"


@dataclass(slots=True)
class RuleWriter:
    """The rules of a query, and names that it has not used."""

    name: str
    rules: list[str] = field(default_factory=list)
    relations: int = 0
    variables: int = 0

    def add(self, relation: str, args: Iterable[str], literals: Sequence[str]) -> None:
        """Add a rule."""
        self.rules.append(f"{write_atom(relation, args)} :- {', '.join(literals) or '1 = 1'}.")

    def relation(self) -> str:
        """The name of another relation."""
        self.relations += 1
        return f"{self.name}_{self.relations}"

    def variable(self) -> str:
        """The name of another variable that the query does not show."""
        self.variables += 1
        return f"_V{self.variables}"

    def table(self, body: Body) -> Table:
        """A relation with the solutions of a body."""
        if body.table is not None:
            return body.table
        table = Table(self.relation(), body.variables, body.hidden)
        self.add(table.relation, (*body.variables, *body.hidden), body.literals)
        return table

    def join(self, left: Body, right: Body) -> Body:
        """The solutions that agree in their common variables, where an unbound one agrees with everything."""
        variables = {**right.variables, **left.variables}
        shared = [name for name in left.variables if name in right.variables]
        variables |= {name: left.variables[name] or right.variables[name] for name in shared}
        if all(left.variables[name] and right.variables[name] for name in shared):
            return Body((*left.literals, *right.literals), variables, (*left.hidden, *right.hidden))
        one, other = self.table(left), self.table(right)
        made = Table(self.relation(), variables, (*one.hidden, *other.hidden))
        for in_left, in_right, _ in agreements(one, other):
            self.add(made.relation, (*variables, *made.hidden), (one.atom(in_left), other.atom(in_right)))
        return body_of(made)

    def minus(self, left: Body, right: Body) -> Body:
        """The solutions of the first, without those that agree with one of the second in a variable bound in both."""
        shared = [name for name in left.variables if name in right.variables]
        if not shared:
            return left
        removed = self.relation()
        if all(left.variables[name] and right.variables[name] for name in shared):
            self.add(removed, shared, right.literals)
            return left.having(f"!{write_atom(removed, shared)}")
        one, other = self.table(left), self.table(right)
        for in_left, in_right, same in agreements(one, other):
            certain = any(one.variables[name] or other.variables[name] for name in same)
            for condition in [()] if certain else [(f"{name} != {UNBOUND}",) for name in same]:
                head = [in_left.get(name, name) for name in one.variables]
                self.add(removed, head, (one.atom(in_left), other.atom(in_right), *condition))
        return body_of(one).having(f"!{write_atom(removed, one.variables)}")


def agreements(left: Table, right: Table) -> Iterator[tuple[dict[str, str], dict[str, str], list[str]]]:
    """The ways in which rows may agree: what is unbound in the left one, what in the right one, and what is equal."""
    shared = [name for name in left.variables if name in right.variables]
    ways = [
        ("same", *(("left",) if not left.variables[name] else ()), *(("right",) if not right.variables[name] else ()))
        for name in shared
    ]
    for chosen in product(*ways):
        places = dict(zip(shared, chosen, strict=True))
        yield (
            {name: UNBOUND for name, way in places.items() if way == "left"},
            {name: UNBOUND for name, way in places.items() if way == "right"},
            [name for name, way in places.items() if way == "same"],
        )
