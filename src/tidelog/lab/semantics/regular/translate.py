"""From a checked program of the language to Regular Datalog: paths are written out as clauses.

Law: a path between two terms is a disjunction of conjunctions of tagged literals: ``^`` swaps the terms, ``/`` brings a
new variable, ``|`` is disjunction, ``&`` conjunction, ``{m,n}`` the alternative of its powers. The closure of a longer
path is the closure of a separate symbol, named by the path's text, whose clause defines the path: ``(a/b)+`` reads
``(a/b)``. A triple ``edge(x, p, y)`` is an edge of the symbol ``edge["p"]``.
What the fragment does not allow is refused with all findings (`program.fragment`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, product

from tidelog.errors import ProgramError
from tidelog.lab.semantics.regular.clause import CLOSED, Body, Lit, RegularClause, RegularProgram, Row, Term
from tidelog.lab.semantics.regular.graph import Graph
from tidelog.lab.semantics.term import evaluate
from tidelog.program import (
    Alternative,
    Atom,
    Conjunction,
    Const,
    Disjunction,
    Inverse,
    Label,
    Literal,
    Path,
    PathAtom,
    Program,
    Repeat,
    Value,
    Var,
)
from tidelog.program import Sequence as PathSequence
from tidelog.program import Term as AnyTerm
from tidelog.program.check import ERROR, examine_program, position
from tidelog.program.checks.fragment import TRIPLE, check_regular
from tidelog.syntax import parse_program, print_path


def read_regular(text: str) -> tuple[RegularProgram, Graph]:
    """The clauses of a text and its edges; a `ProgramError` if it is not in the fragment.

    >>> program, edges = read_regular("follows(a, b). connected(X, Y) :- (follows/^follows)+(X, Y).")
    >>> print(program)
    (follows/^follows)(X, Y) <- follows(X, #1), follows(Y, #1)
    connected(X, Y) <- (follows/^follows)+(X, Y)
    >>> edges
    {follows: [('a', 'b')]}
    """
    program = parse_program(text)
    return to_regular(program), edges_of(program)


def to_regular(program: Program) -> RegularProgram:
    """The clauses of a program that is in the fragment; a `ProgramError` with all findings if it is not."""
    checked, found = examine_program(program)
    outside = check_regular(checked.program)
    if errors := [finding for finding in (*found, *outside) if finding.severity == ERROR]:
        raise ProgramError(sorted(errors, key=position))
    clauses = _Clauses()
    for rule in checked.program.rules:
        clauses.add(rule.head.predicate, [clauses.term(arg) for arg in rule.head.args], rule.body)
    return RegularProgram(clauses.found)


def edges_of(program: Program, facts: Mapping[str, Iterable[Row]] | None = None) -> Graph:
    """The edges of a program and of further facts."""
    rows: dict[str, set[Row]] = {}
    for fact in program.facts:
        given = tuple(evaluate(arg, {}) for arg in fact.atom.args)
        _add_edge(rows, fact.atom.predicate, given)
    for relation, found in (facts or {}).items():
        for given in found:
            _add_edge(rows, relation, tuple(given))
    return Graph.of(rows)


def _add_edge(rows: dict[str, set[Row]], relation: str, given: Row) -> None:
    """A pair as it is; a triple as an edge of its label, and of the relation as a whole."""
    rows.setdefault(relation, set()).add((given[0], given[-1]))
    if len(given) == TRIPLE:
        rows.setdefault(triple_symbol(relation, given[1]), set()).add((given[0], given[-1]))


def triple_symbol(relation: str, value: Value) -> str:
    """The symbol of the triples of a relation that have this value in the middle.

    >>> triple_symbol("edge", "p"), triple_symbol("edge", 1)
    ('edge["p"]', 'edge[1]')
    """
    assert isinstance(value, str | int), "labels are symbols or numbers"
    return print_path(Label(relation, value))


class _Clauses:
    """The clauses found so far, those of paths under a closure among them."""

    def __init__(self) -> None:
        self.found: dict[str, RegularClause] = {}
        self._numbers = count(1)

    def add(self, symbol: str, head: Sequence[Term], body: Iterable[Literal]) -> None:
        self.found[symbol] = RegularClause(tuple(head), tuple(self.bodies(body)))

    def term(self, term: AnyTerm) -> Term:
        """Variables and constants stay; every ``_`` is a new variable."""
        return term if isinstance(term, Var | Const) else self.fresh()

    def fresh(self) -> Var:
        return Var(f"#{next(self._numbers)}")  # no variable of a text begins like this

    def bodies(self, body: Iterable[Literal]) -> Iterator[Body]:
        """The conjunctions of a body, one for each way to choose the branches of its disjunctions and paths."""
        return _joined([list(self.literal(literal)) for literal in body])

    def literal(self, literal: Literal) -> Iterator[Body]:
        match literal:
            case Atom(predicate=predicate, args=(source, target)):
                yield (Lit(predicate, (self.term(source), self.term(target))),)
            case PathAtom(path=path, source=source, target=target):
                yield from self.path(path, self.term(source), self.term(target))
            case Disjunction(branches=branches):
                for branch in branches:
                    yield from self.bodies(branch)

    def path(self, path: Path, source: Term, target: Term) -> Iterator[Body]:
        """The conjunctions that say that the path leads from one term to the other."""
        match path:
            case Label():
                yield (Lit(_symbol(path), (source, target)),)
            case Inverse(path=inner):
                yield from self.path(inner, target, source)
            case Alternative(parts=parts):
                for part in parts:
                    yield from self.path(part, source, target)
            case Conjunction(parts=parts):
                yield from _joined([list(self.path(part, source, target)) for part in parts])
            case PathSequence(parts=parts):
                nodes = [source, *(self.fresh() for _ in parts[1:]), target]
                steps = zip(parts, nodes, nodes[1:], strict=False)
                yield from _joined([list(self.path(part, here, there)) for part, here, there in steps])
            case Repeat(path=inner, least=least, most=None):
                yield from self.open_repeat(inner, least, source, target)
            case Repeat(path=inner, least=least, most=int(most)):
                for power in range(least, most + 1):
                    yield from self.path(PathSequence((inner,) * power), source, target)

    def open_repeat(self, inner: Path, least: int, source: Term, target: Term) -> Iterator[Body]:
        """All but one of the steps that are demanded, then a closure."""
        if least > 1:
            first = PathSequence((inner,) * (least - 1))
            yield from self.path(PathSequence((first, Repeat(inner, 1, None))), source, target)
        elif isinstance(inner, Inverse):
            yield from self.open_repeat(inner.path, least, target, source)
        else:
            yield (Lit(self.named(inner), (source, target), CLOSED),)

    def named(self, path: Path) -> str:
        """The symbol of a path: a label is already one, a longer path gets a separate clause."""
        if isinstance(path, Label):
            return _symbol(path)
        name = print_path(path)
        if name not in self.found:
            head = (Var("X"), Var("Y"))
            self.found[name] = RegularClause(head, tuple(self.path(path, *head)))
        return name


def _symbol(label: Label) -> str:
    return label.relation if label.value is None else triple_symbol(label.relation, label.value)


def _joined(parts: Sequence[Sequence[Body]]) -> Iterator[Body]:
    """All ways to take one conjunction of each part."""
    for choice in product(*parts):
        yield tuple(literal for body in choice for literal in body)
