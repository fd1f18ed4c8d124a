"""Broadcasts: heads at `@Broadcast`, which are sent to all neighbours (NDlog).

Law: `p(@Broadcast, X) :- q(@N, X)` is `p(@Broadcast, X) :- q(@N, X), link(@N, Broadcast, ...)`: the rows of `link` at
the node of the body are its neighbours. This requires a relation `link` whose first two columns are a node and its
neighbour, and a body whose atoms all lie at one node. Without them the rule stays as it is, and its variable
`Broadcast` is reported as unbound. A variable `Broadcast` that the body contains is an ordinary variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import atoms, every_name, flat_literals, rule_literals
from tidelog.program.values.term import Atom, Term, Var, Wildcard

BROADCAST, LINK = "Broadcast", "link"


def is_broadcast(rule: Rule) -> bool:
    """Whether the head goes to all neighbours."""
    head = rule.head
    place = None if head.location is None else head.args[head.location]
    return isinstance(place, Var) and place.name == BROADCAST and BROADCAST not in every_name(rule.body)


def with_neighbours(program: Program, known: Mapping[str, int] | None = None) -> Program:
    """The program whose broadcasts are joined with `link`; ``known`` has the columns of relations outside it.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> program = parse_program("link(@a, b, 1). hello(@Broadcast, N) :- node(@N).")
    >>> print_rule(with_neighbours(program).rules[0])
    'hello(@Broadcast, N) :- node(@N), link(@N, Broadcast, _).'
    """
    if not any(map(is_broadcast, program.rules)):
        return program
    columns = _link_columns(program, known or {})
    rules = (_joined(rule, columns) if columns > 1 and is_broadcast(rule) else rule for rule in program.rules)
    return replace(program, rules=tuple(rules))


def _joined(rule: Rule, columns: int) -> Rule:
    place = _place(atoms(flat_literals(rule.body)))
    if place is None:
        return rule
    rest = (Wildcard() for _ in range(columns - 2))
    neighbour = Atom(LINK, (place, Var(BROADCAST, rule.head.span), *rest), 0, rule.head.span)
    return replace(rule, body=(*rule.body, neighbour), origin=rule)


def _place(body: Iterable[Atom]) -> Term | None:
    """The location of the atoms of a body, if they share one."""
    places = {atom.args[atom.location] for atom in body if atom.location is not None}
    place = places.pop() if len(places) == 1 else None
    return None if isinstance(place, Wildcard) else place


def _link_columns(program: Program, known: Mapping[str, int]) -> int:
    """The number of columns of `link`; 0 if neither the program nor the outside has such a relation."""
    for declaration in program.declarations:
        if declaration.relation == LINK:
            return len(declaration.columns)
    return next((len(atom.args) for atom in _atoms(program) if atom.predicate == LINK), known.get(LINK, 0))


def _atoms(program: Program) -> Iterator[Atom]:
    yield from (fact.atom for fact in program.facts)
    for rule in program.rules:
        yield rule.head
        yield from atoms(rule_literals(rule))
