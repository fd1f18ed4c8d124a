"""The codes of the checked fragments of the language: Regular Datalog (TL66x).

Law: as in `program.catalogue`, a code is defined here once and keeps its meaning. These codes are reported only for a
requested fragment (`tidelog check --fragment regular`): the programs are valid otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry

_REGULAR = (
    CodeEntry(
        "TL660",
        "literal outside Regular Datalog",
        "{what} is not allowed in Regular Datalog",
        "A body contains edges `s(X, Y)`, closures `s+(X, Y)` and paths built from them, combined with `,` and `;`.",
        "Remove the literal, or use the program without `--fragment regular`.",
        "p(X, Y) :- follows(X, Y), !blocked(X, Y).\n",
    ),
    CodeEntry(
        "TL661",
        "symbol is not binary",
        "`{name}` has {columns} and is not a view",
        "The symbols of Regular Datalog represent edges and have two columns. Only a view, which has a clause and "
        "is not read by any body, can have another number of columns. Labelled edges can also be stored as triples.",
        "Use two columns. For triples, read one label: `edge[p](X, Y)`.",
        "triangle(X, Y, Z) :- e(X, Y), e(Y, Z), e(Z, X).\ncorner(X, Y) :- triangle(X, Y, _).\n",
    ),
    CodeEntry(
        "TL662",
        "several clauses for one symbol",
        "`{name}` has {number:1 clause}",
        "In Regular Datalog, each symbol has one clause, whose body is a disjunction of conjunctions.",
        "Combine the bodies in one rule: `p(X, Y) :- (a(X, Y) ; b(X, Y)).` or `p(X, Y) :- (a|b)(X, Y).`",
        "friend(X, Y) :- knows(X, Y).\nfriend(X, Y) :- contacted(X, Y).\n",
    ),
    CodeEntry(
        "TL663",
        "recursion outside a closure",
        "`{name}` depends on itself: {cycle}",
        "In Regular Datalog, a clause reads only symbols defined before its head, and closures are the only form "
        "of recursion.",
        "Write the recursion as the closure of its step: `connected(X, Y) :- follows+(X, Y).`",
        "connected(X, Y) :- (follows | follows/connected)(X, Y).\n",
    ),
    CodeEntry(
        "TL664",
        "reflexive path",
        "a path that may be empty is not allowed in Regular Datalog",
        "The only closure of Regular Datalog is `+`. `*`, `?` and `{0,n}` also connect every node to itself, which "
        "requires the set of all nodes.",
        "Use `+` or `{1,n}`, and add the required self-edges: `(s+ | self)(X, Y)`.",
        "reach(X, Y) :- follows*(X, Y).\n",
    ),
    CodeEntry(
        "TL665",
        "term outside Regular Datalog",
        "{what} is not allowed as a term in Regular Datalog",
        "A term of Regular Datalog is a variable or a constant, which represents a node.",
        "Use a variable or a constant.",
        "next(X, Y + 1) :- follows(X, Y).\n",
    ),
    CodeEntry(
        "TL666",
        "symbol has both facts and a clause",
        "`{name}` has both a clause and facts",
        "The edges of a symbol are either facts of the graph or defined by a clause.",
        "Move the facts to another symbol, and use it in the clause: `p(X, Y) :- (given | other)(X, Y).`",
        "friend(X, Y) :- knows(X, Y).\nfriend(alice, bob).\n",
    ),
    CodeEntry(
        "TL667",
        "clause too long",
        "this clause has more than {most} literals after its paths are expanded",
        "A clause is expanded to a disjunction of conjunctions: alternatives and repetitions inside sequences "
        "multiply.",
        "Define separate symbols for parts of the path.",
        "far(X, Y) :- (a|b){1,20}(X, Y).\n",
    ),
)

CATALOGUE: Mapping[str, CodeEntry] = {entry.code: entry for entry in _REGULAR}


def diagnose(code: str, span: Span | None, *, related: Iterable[tuple[str, Span]] = (), **values: object) -> Diagnostic:
    """The finding with this code.

    >>> diagnose("TL661", None, name="q", columns="3 columns").message
    '`q` has 3 columns and is not a view'
    """
    return CATALOGUE[code].diagnostic(span, hint=None, related=related, **values)
