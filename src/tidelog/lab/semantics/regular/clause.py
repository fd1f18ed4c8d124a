"""Programs of Regular Datalog: tagged literals, clauses, and one clause per symbol (Regular Datalog paper).

Law: a program maps symbols to clauses, and there is an order of the symbols in which every clause reads only symbols
that come before its own (the stratification condition); `RegularProgram` keeps its clauses in such an order.
Paths are gone here (see `translate`): a literal is an edge ``s(t1, t2)`` or an edge of a closure ``s+(t1, t2)``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tidelog.lab.semantics.semantics_failures import CIRCULAR
from tidelog.program import Const, Value, Var
from tidelog.program.graph.strata import strong_components

Term: TypeAlias = Var | Const
Row: TypeAlias = tuple[Value, ...]


class Tag(enum.StrEnum):
    """The tag of a literal: the symbol itself (the paper's box) or its transitive closure."""

    ONCE = ""
    CLOSED = "+"


ONCE, CLOSED = Tag.ONCE, Tag.CLOSED
TaggedRelation: TypeAlias = tuple[str, Tag]


@dataclass(frozen=True, slots=True)
class Lit:
    """A literal: an atom with a tag.

    >>> print(Lit("follows", (Var("X"), Const("bob", "symbol")), CLOSED))
    follows+(X, bob)
    """

    symbol: str
    args: tuple[Term, Term]
    tag: Tag = ONCE

    @property
    def tagged(self) -> TaggedRelation:
        """The symbol with its tag: what is looked up in an interpretation."""
        return self.symbol, self.tag

    def __str__(self) -> str:
        return f"{self.symbol}{self.tag}({', '.join(map(_text, self.args))})"


Body: TypeAlias = tuple[Lit, ...]


@dataclass(frozen=True, slots=True)
class RegularClause:
    """``(t1, t2) <- B1 v ... v Bn``; the head of a view may have any number of terms.

    >>> x, y = Var("X"), Var("Y")
    >>> print(RegularClause((x, y), ((Lit("a", (x, y)), Lit("b", (x, y))), (Lit("c", (y, x)),))))
    (X, Y) <- a(X, Y), b(X, Y) ; c(Y, X)
    """

    head: tuple[Term, ...]
    bodies: tuple[Body, ...]

    def tagged(self) -> Iterator[TaggedRelation]:
        """The tagged symbols of the body, with repetitions."""
        return (literal.tagged for body in self.bodies for literal in body)

    def __str__(self) -> str:
        bodies = (", ".join(map(str, body)) or "true" for body in self.bodies)
        return f"({', '.join(map(_text, self.head))}) <- {' ; '.join(bodies)}"


class RegularProgram:
    """The clauses of the symbols, in an order in which they can be evaluated.

    >>> x, y = Var("X"), Var("Y")
    >>> top, low = RegularClause((x,), ((Lit("p", (x, y)),),)), RegularClause((x, y), ((Lit("e", (x, y), CLOSED),),))
    >>> program = RegularProgram({"v": top, "p": low})
    >>> program.defined, sorted(program.base), program.views
    (('p', 'v'), ['e'], ('v',))
    """

    def __init__(self, clauses: Mapping[str, RegularClause]) -> None:
        reads = {symbol: [read for read, _ in clause.tagged()] for symbol, clause in clauses.items()}
        graph = {symbol: [read for read in found if read in clauses] for symbol, found in reads.items()}
        components = strong_components(graph)
        if circular := [names for names in components if len(names) > 1 or names[0] in graph[names[0]]]:
            raise CIRCULAR.error(names=", ".join(sorted(circular[0])))
        self.clauses = {names[0]: clauses[names[0]] for names in components}
        read = {symbol for found in reads.values() for symbol in found}
        self.base = frozenset(read - set(clauses))
        self.views = tuple(symbol for symbol in self.clauses if symbol not in read)

    @property
    def defined(self) -> tuple[str, ...]:
        """The symbols with a clause, in the order of evaluation."""
        return tuple(self.clauses)

    def is_binary(self, symbol: str) -> bool:
        """Whether the symbol names edges: all do but some views."""
        return symbol not in self.clauses or len(self.clauses[symbol].head) == 2

    def support(self) -> frozenset[TaggedRelation]:
        """The largest support: every symbol, and the closure of every binary one."""
        symbols = (*self.base, *self.clauses)
        closures = {(symbol, CLOSED) for symbol in symbols if self.is_binary(symbol)}
        return frozenset(closures | {(symbol, ONCE) for symbol in symbols})

    def __str__(self) -> str:
        return "\n".join(f"{symbol}{clause}" for symbol, clause in self.clauses.items())


def _text(term: Term) -> str:
    return term.name if isinstance(term, Var) else str(term.value)
