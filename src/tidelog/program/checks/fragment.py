"""Regular Datalog as a checked fragment (Regular Datalog paper): what its programs may and may not contain.

Law: a program without findings, which the other checks also accept, is a program of the paper: every symbol but a view
is binary, every symbol has at most one clause, clauses read only edges, closures and paths made of them, and no symbol
depends on itself. So its symbols can be ordered so that each clause is evaluated once. Paths are checked as they are
written: a closure of a longer path counts as the closure of a symbol that names the path. Declarations, directives and
locations do not matter to the fragment. Nothing is rewritten here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tidelog.errors import Diagnostic, Span
from tidelog.errors.counts import counted
from tidelog.program.graph.dependency import POSITIVE, Edge
from tidelog.program.graph.strata import cycle_through, strong_components
from tidelog.program.messages.fragment_catalogue import diagnose
from tidelog.program.values.path import Alternative, Conjunction, Inverse, Label, Path, Repeat, labels, subpaths
from tidelog.program.values.path import Sequence as PathSequence
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import (
    Aggregate,
    Atom,
    Boolean,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
    Term,
    Var,
    Wildcard,
)

MOST_LITERALS = 10_000  # more than anyone writes by hand, and few enough to be expanded at once
TRIPLE = 3

_LITERALS = {Negation: "a negation", Comparison: "a comparison", Boolean: "`true` or `false`"}
_TERMS = {Call: "a function", Aggregate: "an aggregate", Wildcard: "`_` in a head"}
Size = tuple[int, int]  # conjunctions, and literals in all of them


def check_regular(program: Program) -> list[Diagnostic]:
    """All reasons why the program is not a Regular Datalog program, in no particular order.

    >>> from tidelog.program import Atom, Negation, Rule, Var
    >>> p, q, x, y = "p", "q", Var("X"), Var("Y")
    >>> rule = Rule(Atom(p, (x, y)), (Atom(q, (x, y)), Negation(Atom(p, (y, x)))))
    >>> [finding.code for finding in check_regular(Program((rule,)))]
    ['TL660']
    """
    return [
        *_literals_and_terms(program.rules),
        *_columns(program),
        *_clauses(program.rules),
        *_recursion(program.rules),
        *_facts_with_clauses(program),
        *_lengths(program.rules),
    ]


def conjuncts(body: Iterable[Literal]) -> Iterator[Literal]:
    """The literals of a body, those inside disjunctions included."""
    for literal in body:
        if isinstance(literal, Disjunction):
            for branch in literal.branches:
                yield from conjuncts(branch)
        else:
            yield literal


def _literals_and_terms(rules: Iterable[Rule]) -> Iterator[Diagnostic]:
    for rule in rules:
        if rule.subsumes:
            yield diagnose("TL660", rule.span, what="a subsumption")
        if rule.constraint is not None:
            yield diagnose("TL660", rule.span, what="a constraint")
        yield from _terms(rule.head.args, rule.head.span, (Var, Const))
        for literal in conjuncts(rule.body):
            if isinstance(literal, Atom):
                yield from _terms(literal.args, literal.span, (Var, Const, Wildcard))
            elif isinstance(literal, PathAtom):
                yield from _terms((literal.source, literal.target), literal.span, (Var, Const, Wildcard))
                yield from _reflexive(literal)
            else:
                yield diagnose("TL660", literal.span, what=_LITERALS[type(literal)])


def _terms(terms: Iterable[Term], span: Span | None, allowed: tuple[type, ...]) -> Iterator[Diagnostic]:
    for term in terms:
        if not isinstance(term, allowed):
            yield diagnose("TL665", term.span or span, what=_TERMS[type(term)])


def _reflexive(literal: PathAtom) -> Iterator[Diagnostic]:
    for part in subpaths(literal.path):
        if isinstance(part, Repeat) and part.least == 0:
            yield diagnose("TL664", part.span or literal.span)


def _columns(program: Program) -> Iterator[Diagnostic]:
    """Symbols that are read or asserted, and are not binary."""
    defined = {rule.head.predicate: len(rule.head.args) for rule in program.rules}
    for rule in program.rules:
        for literal in conjuncts(rule.body):
            if isinstance(literal, Atom) and len(literal.args) != 2:
                yield _not_binary(literal.predicate, len(literal.args), literal.span)
            elif isinstance(literal, PathAtom):
                for label in labels(literal.path):
                    if defined.get(label.relation, 2) != 2:
                        yield _not_binary(label.relation, defined[label.relation], label.span or literal.span)
    seen = set(defined)
    for fact in program.facts:
        if fact.atom.predicate not in seen and len(fact.atom.args) not in (2, TRIPLE):
            seen.add(fact.atom.predicate)
            yield _not_binary(fact.atom.predicate, len(fact.atom.args), fact.span)


def _not_binary(name: str, columns: int, span: Span | None) -> Diagnostic:
    return diagnose("TL661", span, name=name, columns=counted(columns, "column"))


def _clauses(rules: Iterable[Rule]) -> Iterator[Diagnostic]:
    """Symbols with more than one clause; the finding is at the second."""
    clauses: dict[str, list[Rule]] = {}
    for rule in rules:
        clauses.setdefault(rule.head.predicate, []).append(rule)
    for name, found in clauses.items():
        if len(found) > 1:
            others = [rule.head.span for rule in (found[0], *found[2:])]
            related = [("another clause of the symbol", span) for span in others if span is not None]
            yield diagnose("TL662", found[1].head.span, related=related, name=name, number=len(found))


def reads(rule: Rule) -> Iterator[Edge]:
    """The symbols that a clause reads, each as an edge of the dependency graph."""
    target = rule.head.predicate
    for literal in conjuncts(rule.body):
        if isinstance(literal, Atom):
            yield Edge(literal.predicate, target, POSITIVE, rule, literal.span)
        elif isinstance(literal, PathAtom):
            for label in labels(literal.path):
                yield Edge(label.relation, target, POSITIVE, rule, label.span or literal.span)


def _recursion(rules: Sequence[Rule]) -> Iterator[Diagnostic]:
    """One finding per component of symbols that depend on one another, with a cycle through it."""
    edges = [edge for rule in rules for edge in reads(rule)]
    graph: dict[str, list[str]] = {rule.head.predicate: [] for rule in rules}
    for edge in edges:
        if edge.source in graph:
            graph[edge.target].append(edge.source)
    home = {name: i for i, component in enumerate(strong_components(graph)) for name in component}
    inside = [edge for edge in edges if edge.source in home and home[edge.source] == home[edge.target]]
    by_source: dict[str, list[Edge]] = {}
    for edge in inside:
        by_source.setdefault(edge.source, []).append(edge)
    for edge in {home[edge.source]: edge for edge in reversed(inside)}.values():
        yield _cycle(edge, cycle_through(edge, by_source))


def _cycle(edge: Edge, cycle: Sequence[Edge]) -> Diagnostic:
    names = " -> ".join(f"`{step.source}`" for step in cycle) + f" -> `{edge.source}`"
    steps = ((f"`{step.target}` reads `{step.source}` here", step.span) for step in cycle[1:])
    related = [(text, span) for text, span in steps if span is not None]
    return diagnose("TL663", edge.span, related=related, name=edge.target, cycle=names)


def _facts_with_clauses(program: Program) -> Iterator[Diagnostic]:
    """Facts of symbols that have a clause; one finding per symbol, at its first fact."""
    clause = {rule.head.predicate: rule for rule in program.rules}
    for fact in program.facts:
        if (rule := clause.pop(fact.atom.predicate, None)) is not None:
            related = [("its clause", rule.head.span)] if rule.head.span is not None else []
            yield diagnose("TL666", fact.span, related=related, name=fact.atom.predicate)


def _lengths(rules: Iterable[Rule]) -> Iterator[Diagnostic]:
    """Clauses that are too long, the clauses of paths under a closure included."""
    for rule in rules:
        atoms = (literal for literal in conjuncts(rule.body) if isinstance(literal, PathAtom))
        repeats = (part for atom in atoms for part in subpaths(atom.path) if isinstance(part, Repeat))
        sizes = (body_size(rule.body), *(_path_size(repeat.path) for repeat in repeats))
        if any(literals > MOST_LITERALS for _, literals in sizes):
            yield diagnose("TL667", rule.head.span, most=f"{MOST_LITERALS:,}")


def body_size(body: Iterable[Literal]) -> Size:
    """The number of conjunctions and of all literals in an expanded body; beyond the limit, any number above it.

    >>> body_size([PathAtom(PathSequence((Alternative((Label("a"), Label("b"))), Label("c"))), Var("X"), Var("Y"))])
    (2, 4)
    """
    size: Size = (1, 0)
    for literal in body:
        size = _joined(size, _literal_size(literal))
    return size


def _literal_size(literal: Literal) -> Size:
    if isinstance(literal, Disjunction):
        return _united(map(body_size, literal.branches))
    return _path_size(literal.path) if isinstance(literal, PathAtom) else (1, 1)


def _path_size(path: Path) -> Size:
    match path:
        case Label():
            return 1, 1
        case Inverse(path=inner):
            return _path_size(inner)
        case Alternative(parts=parts):
            return _united(map(_path_size, parts))
        case PathSequence(parts=parts) | Conjunction(parts=parts):
            size: Size = (1, 0)
            for part in parts:
                size = _joined(size, _path_size(part))
            return size
        case Repeat(path=inner, least=least, most=most):
            return _repeat_size(_path_size(inner), least, most)


def _repeat_size(once: Size, least: int, most: int | None) -> Size:
    """The powers from ``least`` to ``most``; without an end, all steps but one and then a closure."""
    if most is None:
        return _joined(_repeat_size(once, least - 1, least - 1), (1, 1)) if least > 1 else (1, 1)
    power: Size = (1, 0)
    sizes = [power] if least == 0 else []
    for count in range(1, most + 1):
        power = _joined(power, once)
        if count >= least or power[1] > MOST_LITERALS:
            sizes.append(power)
        if _united(sizes)[1] > MOST_LITERALS:
            break
    return _united(sizes)


def _joined(left: Size, right: Size) -> Size:
    literals = left[1] * right[0] + right[1] * left[0]
    return _capped(left[0] * right[0]), _capped(literals)


def _united(sizes: Iterable[Size]) -> Size:
    found = list(sizes)
    return _capped(sum(ways for ways, _ in found)), _capped(sum(literals for _, literals in found))


def _capped(number: int) -> int:
    return min(number, MOST_LITERALS + 1)  # huge numbers cost time, and it only matters that there are more
