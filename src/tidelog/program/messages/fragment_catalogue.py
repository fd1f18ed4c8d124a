"""The codes of the checked fragments of the language: Regular Datalog (TL66x).

Law: as in `program.catalogue`, a code stands here once and keeps its meaning. These codes are given only when a
fragment is asked for (`tidelog check --fragment regular`): the programs are in order otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidelog.errors import Diagnostic, Span
from tidelog.errors.entry import CodeEntry

_REGULAR = (
    CodeEntry(
        "TL660",
        "literal outside Regular Datalog",
        "{what} is no literal of Regular Datalog",
        "A body holds edges `s(X, Y)`, closures `s+(X, Y)` and paths made of them, joined by `,` and `;`.",
        "Leave the literal out, or check and run the program as plain Datalog.",
        "p(X, Y) :- follows(X, Y), !blocked(X, Y).\n",
    ),
    CodeEntry(
        "TL661",
        "symbol that is not binary",
        "`{name}` has {columns} and is no view",
        "Every symbol of Regular Datalog names edges, so it has two columns; only a view, which has a clause and "
        "which no body reads, may have any number. The labelled edges of a graph may also be given as triples.",
        "Give the symbol two columns; of triples read one label: `edge[p](X, Y)`.",
        "triangle(X, Y, Z) :- e(X, Y), e(Y, Z), e(Z, X).\ncorner(X, Y) :- triangle(X, Y, _).\n",
    ),
    CodeEntry(
        "TL662",
        "symbol with several clauses",
        "`{name}` has {number} clauses",
        "A program of Regular Datalog gives each symbol one clause; its body is a disjunction of conjunctions.",
        "Join the bodies in one rule: `p(X, Y) :- (a(X, Y) ; b(X, Y)).` or `p(X, Y) :- (a|b)(X, Y).`",
        "friend(X, Y) :- knows(X, Y).\nfriend(X, Y) :- contacted(X, Y).\n",
    ),
    CodeEntry(
        "TL663",
        "recursion outside a closure",
        "`{name}` depends on itself: {cycle}",
        "Regular Datalog is stratified symbol by symbol: a clause reads only symbols that come before its own, and all "
        "recursion is inside closures.",
        "Write the recursion as the closure of the step that it repeats: `connected(X, Y) :- follows+(X, Y).`",
        "connected(X, Y) :- (follows | follows/connected)(X, Y).\n",
    ),
    CodeEntry(
        "TL664",
        "reflexive path",
        "a path that may have no step is not in Regular Datalog",
        "The only closure of Regular Datalog is `+`: `*`, `?` and `{0,n}` also join every node with itself, and its "
        "programs have no set of all nodes.",
        "Use `+` or `{1,n}`, and add the edges from a node to itself that you mean: `(s+ | self)(X, Y)`.",
        "reach(X, Y) :- follows*(X, Y).\n",
    ),
    CodeEntry(
        "TL665",
        "term outside Regular Datalog",
        "{what} is no term of Regular Datalog",
        "A term of Regular Datalog is a variable or a node: a constant.",
        "Use a variable or a constant.",
        "next(X, Y + 1) :- follows(X, Y).\n",
    ),
    CodeEntry(
        "TL666",
        "symbol both given and defined",
        "`{name}` has a clause and facts of its own",
        "The edges of a symbol are either given, as part of the graph, or defined by its clause.",
        "Give the facts to a symbol of their own and name it in the clause: `p(X, Y) :- (given | other)(X, Y).`",
        "friend(X, Y) :- knows(X, Y).\nfriend(alice, bob).\n",
    ),
    CodeEntry(
        "TL667",
        "clause that is too long",
        "this clause has more than {most} literals when its paths are written out",
        "A clause is a disjunction of conjunctions: alternatives and repetitions inside sequences multiply.",
        "Give parts of the path symbols of their own.",
        "far(X, Y) :- (a|b){1,20}(X, Y).\n",
    ),
)

CATALOGUE: Mapping[str, CodeEntry] = {entry.code: entry for entry in _REGULAR}


def diagnose(code: str, span: Span | None, *, related: Iterable[tuple[str, Span]] = (), **values: object) -> Diagnostic:
    """The finding with this code.

    >>> diagnose("TL661", None, name="q", columns="3 columns").message
    '`q` has 3 columns and is no view'
    """
    return CATALOGUE[code].diagnostic(span, hint=None, related=related, **values)
