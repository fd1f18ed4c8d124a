"""The engine of the Regular Datalog paper: one pass over the symbols, for view computation and for view maintenance.

Law (soundness, exact here): let the *support* be tagged symbols whose rows in G are what their clauses and closures say
in G. If G :+: D is right for the base symbols, then after the pass it is right for every symbol: G :+: D is the least
model over the new edges. Each symbol is treated once, after all that its clause reads:

- in the support, and nothing deleted that its clause reads: only the insertions are matched (`delta_consequences`);
- otherwise its clause is evaluated over G :+: D in full, and what G had besides is deleted.

Then the closure of the symbol is brought up to date. Granularity is the symbol: one deleted edge of a symbol makes
every clause that reads it start again, and a closure is computed from nothing whenever its symbol changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tidelog.lab.semantics.regular.clause import CLOSED, ONCE, RegularProgram, TaggedRelation
from tidelog.lab.semantics.regular.graph import Graph, is_closure, is_well_formed, transitive_closure
from tidelog.lab.semantics.regular.matching import consequences, delta_consequences
from tidelog.lab.semantics.regular.update import BulkUpdate, updated
from tidelog.lab.semantics.semantics_failures import COMPUTED

Support = Collection[TaggedRelation]
NO_SUPPORT: Support = frozenset()


def forward_program(
    program: RegularProgram, graph: Graph, support: Support, update: BulkUpdate, symbols: Iterable[str] | None = None
) -> BulkUpdate:
    """fwd_program: the update with the changes of all defined symbols (or of these, in this order) and closures."""
    for symbol in program.defined if symbols is None else symbols:
        update = forward_clause(program, graph, support, update, symbol)
        if program.is_binary(symbol):
            update = compute_closure(graph, support, update, symbol)
    return update


def forward_clause(
    program: RegularProgram, graph: Graph, support: Support, update: BulkUpdate, symbol: str
) -> BulkUpdate:
    """fwd_or_clause: the update with the changes that the clause of one symbol makes to its rows."""
    clause = program.clauses[symbol]
    had = graph[symbol, ONCE]
    if is_incremental(program, support, update, symbol):
        return update.at((symbol, ONCE), delta_consequences(clause, graph, update.inserted) - had)
    derived = consequences(clause, updated(graph, update))
    return update.at((symbol, ONCE), derived - had, had - derived)


def is_incremental(program: RegularProgram, support: Support, update: BulkUpdate, symbol: str) -> bool:
    """Whether matching the insertions is enough: the symbol is supported and its clause reads nothing deleted."""
    reads_deleted = any(key in update.deleted for key in program.clauses[symbol].tagged())
    return (symbol, ONCE) in support and not reads_deleted


def compute_closure(graph: Graph, support: Support, update: BulkUpdate, symbol: str) -> BulkUpdate:
    """compute_closures: the closure of a symbol that changed, or that is not supported, computed again."""
    if (symbol, CLOSED) in support and (symbol, ONCE) not in update.changed():
        return update
    had = graph[symbol, CLOSED]
    closure = transitive_closure(updated(graph, update)[symbol, ONCE])
    return update.at((symbol, CLOSED), closure - had, had - closure)


def compute(program: RegularProgram, edges: Graph) -> Graph:
    """View computation: the model over the given edges of base symbols, closures included.

    >>> from tidelog.program import Var
    >>> from tidelog.lab.semantics.regular.clause import Lit, RegularClause
    >>> x, y = Var("X"), Var("Y")
    >>> program = RegularProgram({"p": RegularClause((x, y), ((Lit("e", (x, y), CLOSED),),))})
    >>> sorted(compute(program, Graph.of({"e": [(1, 2), (2, 3)]}))["p", ONCE])
    [(1, 2), (1, 3), (2, 3)]
    """
    base = _base_changes(program, BulkUpdate(edges))
    closed = edges.only(base).closed(symbol for symbol, _ in base)
    return updated(closed, forward_program(program, closed, NO_SUPPORT, BulkUpdate()))


def maintain(program: RegularProgram, graph: Graph, changes: BulkUpdate, support: Support | None = None) -> BulkUpdate:
    """View maintenance: the update that leads from the graph to the model over the changed edges.

    ``changes`` speaks of edges of base symbols. ``support`` is everything if it is None; see `is_supported`.
    """
    held = program.support() if support is None else support
    effective = BulkUpdate(changes.inserted - graph, changes.deleted & graph)
    for symbol, _ in sorted(_base_changes(program, changes)):
        effective = compute_closure(graph, held, effective, symbol)
    return forward_program(program, graph, held, effective)


def _base_changes(program: RegularProgram, changes: BulkUpdate) -> frozenset[TaggedRelation]:
    """The symbols that the changes are about, if all are edges of base symbols."""
    for symbol, tag in changes.changed():
        if tag == CLOSED or symbol in program.clauses:
            raise COMPUTED.error(symbol=symbol, tag=tag)
    return changes.changed() | {(symbol, ONCE) for symbol in program.base}


def satisfies(graph: Graph, program: RegularProgram, symbols: Iterable[str] | None = None) -> bool:
    """Program satisfaction: the graph holds all that the clauses (of these symbols) derive from it."""
    chosen = program.defined if symbols is None else symbols
    return all(consequences(program.clauses[symbol], graph) <= graph[symbol, ONCE] for symbol in chosen)


def is_supported(graph: Graph, program: RegularProgram, support: Support) -> bool:
    """Whether the graph is right about the tagged symbols of the support: what `maintain` relies on."""
    for symbol, tag in support:
        if tag == CLOSED:
            right = is_closure(graph[symbol, ONCE], graph[symbol, CLOSED])
        else:
            clause = program.clauses.get(symbol)
            right = clause is None or consequences(clause, graph) == graph[symbol, ONCE]
        if not right:
            return False
    return True


def is_model(graph: Graph, program: RegularProgram) -> bool:
    """A well-formed graph that satisfies the program."""
    binary = {*program.base, *filter(program.is_binary, program.defined), *(s for s, tag in graph if tag == CLOSED)}
    return is_well_formed(graph, binary) and satisfies(graph, program)
