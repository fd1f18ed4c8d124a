"""The verdict on a program: it ends, it ends under a condition on the data, or a value may grow without end (TL760).

Law: a finding is a cycle of columns, each computed from the previous one, on which at least one term creates new
values; it is reported at that term, with the places where the cycle is closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from tidelog.errors import Diagnostic, Span
from tidelog.program.checks.termination.best import best_values, never_negative
from tidelog.program.checks.termination.lists import bounded_lists
from tidelog.program.checks.termination.measure import has_measure
from tidelog.program.checks.termination.numbers import bounded_numbers
from tidelog.program.checks.termination.ranks import Ranks, ranks_of
from tidelog.program.checks.termination.ways import Position, Way, ways_of
from tidelog.program.functions.table import FUNCTIONS, WRAP, Function
from tidelog.program.graph.strata import Stratum, strong_components
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.arity import RESERVED
from tidelog.program.types.assign import Schema
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import all_literals, literal_terms
from tidelog.program.values.term import Aggregate, Call, Term, subterms, variables

Functions = Mapping[str, tuple[Function, ...]]
RELATED = 4


@dataclass(frozen=True, slots=True)
class TerminationResult:
    """The obstacles to termination and the condition on the data; a program with neither ends on any finite data."""

    findings: tuple[Diagnostic, ...] = ()
    conditions: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Whether the program ends on any data."""
        return not self.findings and not self.conditions


def check_ending(strata: Sequence[Stratum], schema: Schema, functions: Functions = FUNCTIONS) -> TerminationResult:
    """Check every stratum that recurs and computes.

    >>> from tidelog.program.check import check_program
    >>> from tidelog.syntax import parse_program
    >>> def ends(text):
    ...     checked = check_program(parse_program(text))
    ...     return check_ending(checked.strata, checked.schema).is_sure
    >>> ends("n(0). n(Y) :- n(X), X < 9, Y = X + 1."), ends("n(0). n(Y) :- n(X), Y = X + 1.")
    (True, False)
    """
    findings: list[Diagnostic] = []
    conditions: list[str] = []
    for stratum in strata:
        if stratum.recursive and any(map(_computes, stratum.rules)):
            _judge(stratum, schema, functions, findings, conditions)
    return TerminationResult(tuple(findings), tuple(dict.fromkeys(conditions)))


def _computes(rule: Rule) -> bool:
    """Whether a rule applies a function anywhere outside aggregates."""
    terms = [*rule.head.args, *(term for literal in all_literals(rule.body) for term in literal_terms(literal))]
    return any(isinstance(part, Call) for term in terms for part in subterms(term))


def _judge(
    stratum: Stratum, schema: Schema, functions: Functions, findings: list[Diagnostic], conditions: list[str]
) -> None:
    inside = frozenset(stratum.relations)
    ways = [way for rule in stratum.rules for way in ways_of(rule, inside, schema, functions)]
    best = best_values(stratum, ways, schema)
    assumed: list[Term] = []
    ranks = _settled(ways, best.limited, schema, assumed)
    if ranks.endless:
        findings += _findings(ways, ranks.endless)
    else:
        conditions += [*best.conditions, *map(never_negative, assumed)]


def _settled(ways: Sequence[Way], limited: Set[Position], schema: Schema, assumed: list[Term]) -> Ranks:
    """The ranks after all bounds have been applied, each of which may make others finite."""
    ranks = ranks_of(ways, limited)
    while ranks.endless:
        more = bounded_numbers(ways, ranks, schema) | bounded_lists(ways, ranks)
        if not more and has_measure(ways, ranks):
            more = ranks.endless
        more = more or bounded_numbers(ways, ranks, schema, assumed)
        if not more:
            break
        ranks = ranks_of(ways, ranks.limited | more)
    return ranks


@dataclass(frozen=True, slots=True)
class _Step:
    """A step by which a value of ``target`` is made from one of ``source``; ``makes`` is the application, if any."""

    source: Position
    target: Position
    way: Way
    result: Term
    makes: bool


def _findings(ways: Sequence[Way], endless: Set[Position]) -> Iterator[Diagnostic]:
    """One finding for each cycle that creates values; consequences of a cycle are not reported."""
    steps = [step for way in ways for step in _steps(way, endless)]
    graph: dict[str, list[str]] = {_name(position): [] for position in sorted(endless)}
    for step in steps:
        graph[_name(step.target)].append(_name(step.source))
    home = {name: i for i, names in enumerate(strong_components(graph)) for name in names}
    reported: set[int] = set()
    for step in steps:
        cycle = home[_name(step.target)]
        if step.makes and home[_name(step.source)] == cycle and cycle not in reported:
            reported.add(cycle)
            inside = [other for other in steps if home[_name(other.source)] == home[_name(other.target)] == cycle]
            yield _finding(step, inside)


def _name(position: Position) -> str:
    return f"{position[0]} {position[1]}"


def _steps(way: Way, endless: Set[Position]) -> Iterator[_Step]:
    for column, term in enumerate(way.head):
        target = (way.rule.head.predicate, column)
        if target in endless:
            made = way.resolve(term)
            for variable in variables(made):
                for positions in way.positions(variable.name):
                    for source in endless & set(positions):
                        yield _Step(source, target, way, made, isinstance(made, Call))
            if isinstance(made, Aggregate):  # nothing inside determines the column: everything that the path reads
                yield from (
                    _Step(source, target, way, made, True)
                    for source in sorted(endless)
                    if source[0] in {a.predicate for a in way.atoms}
                )


def _finding(step: _Step, inside: Sequence[_Step]) -> Diagnostic:
    span = _span(step)
    makers = [other for other in inside if other.makes and _span(other) != span]
    related = [("this makes new values too", found) for other in makers[:RELATED] if (found := _span(other))]
    related += [(f"`{_users_name(name)}` is read here", found) for name, found in _closings(inside)]
    positions = (position for other in inside for position in (other.source, other.target))
    names = dict.fromkeys(_users_name(name) for name, _ in positions)
    cycle = " and ".join(f"`{name}`" for name in names)
    return diagnose(
        "TL760",
        span,
        related=related[: 2 * RELATED],
        column=step.target[1] + 1,
        relation=_users_name(step.target[0]),
        term=" ".join(span.text.split()) if span is not None else _function(step.result),
        cycle=cycle,
    )


def _function(term: Term) -> str:
    """The name of the function or aggregate that creates values, for terms that were not read from a text."""
    assert isinstance(term, Call | Aggregate)  # `_findings` reports no other steps
    return term.function.removeprefix(WRAP) if isinstance(term, Call) else term.kind


def _users_name(name: str) -> str:
    """The relation of the user that an auxiliary one represents, or the name itself.

    >>> _users_name("__given_best_path"), _users_name("path")
    ('best_path', 'path')
    """
    return name.split("_", 3)[-1] if name.startswith(RESERVED) else name


def _span(step: _Step) -> Span | None:
    span = getattr(step.result, "span", None)
    return span if step.makes and span is not None else step.way.rule.head.span


def _closings(inside: Sequence[_Step]) -> Iterator[tuple[str, Span]]:
    """The places where rules of the cycle read it."""
    seen: set[Span] = set()
    for step in inside:
        for atom in step.way.atoms:
            if atom.predicate == step.source[0] and atom.span is not None and atom.span not in seen:
                seen.add(atom.span)
                yield atom.predicate, atom.span
