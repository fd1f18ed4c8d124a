"""Equivalence relations are closed: their rules derive edges, and further rules derive the pairs.

Law: `graph.equivalence` defines the rules, those of least nodes if no rule that derives edges reads the relation
itself, otherwise those of walks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.graph.equivalence import LEAST, NODE, edge_name, equivalences
from tidelog.program.graph.strata import stratify
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import FLOAT, NUMBER, SYMBOL, UNSIGNED, Aggregate, Atom, Var, Wildcard

_X, _Y, _Z, _R = (Var(name) for name in ("x", "y", "z", "r"))


def close_equivalences(elaboration: Elaboration) -> Elaboration:
    """The program with the edges of equivalence relations as heads, and the rules that close them.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = ".decl e(x: number, y: number) .decl p(x: number, y: number) eqrel p(x, y) :- e(x, y)."
    >>> print(*map(print_rule, close_equivalences(Elaboration(parse_program(text))).program.rules[:2]), sep="\\n")
    __edge_p(x, y) :- e(x, y).
    p/least1: __node_p(x) :- __edge_p(x, _).
    """
    program, declared = elaboration.program, equivalences(elaboration.program)
    recursive = {name for stratum in stratify(program.rules) if stratum.recursive for name in stratum.relations}
    rules = [
        replace(rule, head=replace(rule.head, predicate=edge_name(rule.head.predicate)))
        if rule.head.predicate in declared and not rule.subsumes
        else rule
        for rule in program.rules
    ]
    base = TypeNames(program.types).bases
    ordered = {NUMBER, UNSIGNED, FLOAT, SYMBOL}  # records and algebraic values have no least value
    for name, declaration in declared.items():
        type_ = declaration.columns[0].type
        is_kept = name not in recursive and base.get(type_, type_) in ordered
        made, label = (_kept(name), "least") if is_kept else (_walked(name), "walk")
        rules += (replace(rule, label=f"{name}/{label}{i}") for i, rule in enumerate((*_nodes(name), *made), 1))
    return elaboration.then(replace(program, rules=tuple(rules)))


def _nodes(name: str) -> Iterator[Rule]:
    yield Rule(Atom(f"{NODE}{name}", (_X,)), (Atom(edge_name(name), (_X, Wildcard())),))
    yield Rule(Atom(f"{NODE}{name}", (_X,)), (Atom(edge_name(name), (Wildcard(), _X)),))


def _kept(name: str) -> Iterator[Rule]:
    least = f"{LEAST}{name}"
    yield Rule(Atom(least, (_X, Aggregate("min", _X, None))), (Atom(f"{NODE}{name}", (_X,)),))
    for edge in ((_X, _Y), (_Y, _X)):
        yield Rule(Atom(least, (_Y, Aggregate("min", _R, None))), (Atom(least, (_X, _R)), Atom(edge_name(name), edge)))
    yield Rule(Atom(name, (_X, _Y)), (Atom(least, (_X, _R)), Atom(least, (_Y, _R))))


def _walked(name: str) -> Iterator[Rule]:
    yield Rule(Atom(name, (_X, _X)), (Atom(f"{NODE}{name}", (_X,)),))
    for edge in ((_Y, _Z), (_Z, _Y)):
        yield Rule(Atom(name, (_X, _Z)), (Atom(name, (_X, _Y)), Atom(edge_name(name), edge)))
