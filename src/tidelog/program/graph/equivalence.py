"""Equivalence relations: ``.decl same(x: T, y: T) eqrel`` is closed under reflexivity, symmetry and transitivity.

Law: what rules and assertions give are the edges of a graph, and the relation holds between any two nodes of one
component. Edges are a relation of their own. Where no rule that gives edges reads the relation itself, every node is
kept with the least node of its component (a recursive min), so that a pair has one support:

    __node_p(x) :- __edge_p(x, _).   __node_p(y) :- __edge_p(_, y).
    __least_p(x, min<x>) :- __node_p(x).
    __least_p(y, min<r>) :- __least_p(x, r), __edge_p(x, y).   and back
    p(x, y) :- __least_p(x, r), __least_p(y, r).

Otherwise walks are followed edge by edge, with a support for every pair and every edge at its end:

    p(x, x) :- __node_p(x).   p(x, z) :- p(x, y), __edge_p(y, z).   and back

A deleted edge costs what depends on it: with least nodes those whose least node was reached through the edge, and their
pairs; with walks the pairs whose walks used it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidelog.program.graph.strata import stratify
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.schema import Declaration
from tidelog.program.values.term import FLOAT, NUMBER, SYMBOL, UNSIGNED, Aggregate, Atom, Var, Wildcard

EQREL = "eqrel"
EDGE, NODE, LEAST = "__edge_", "__node_", "__least_"
_X, _Y, _Z, _R = (Var(name) for name in ("x", "y", "z", "r"))


def equivalences(program: Program) -> dict[str, Declaration]:
    """The relations declared as equivalence relations."""
    return {d.relation: d for d in program.declarations if EQREL in d.qualifiers and len(d.columns) == 2}


def edge_name(name: str) -> str:
    """The relation that holds the edges of an equivalence relation."""
    return f"{EDGE}{name}"


def with_closures(program: Program) -> Program:
    """The program with the edges of equivalence relations as heads, and the rules that close them.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = ".decl e(x: number, y: number) .decl p(x: number, y: number) eqrel p(x, y) :- e(x, y)."
    >>> print(print_rule(with_closures(parse_program(text)).rules[0]))
    __edge_p(x, y) :- e(x, y).
    """
    declared = equivalences(program)
    if not declared:
        return program
    recursive = {name for stratum in stratify(program.rules) if stratum.recursive for name in stratum.relations}
    rules = [
        replace(rule, head=replace(rule.head, predicate=edge_name(rule.head.predicate)))
        if rule.head.predicate in declared and not rule.subsumes
        else rule
        for rule in program.rules
    ]
    base = TypeNames(program.types).bases
    ordered = {NUMBER, UNSIGNED, FLOAT, SYMBOL}  # records and algebraic values have no least one
    for name, declaration in declared.items():
        type_ = declaration.columns[0].type
        is_kept = name not in recursive and base.get(type_, type_) in ordered
        made, label = (_kept(name), "least") if is_kept else (_walked(name), "walk")
        rules += (replace(rule, label=f"{name}/{label}{i}") for i, rule in enumerate((*_nodes(name), *made), 1))
    return replace(program, rules=tuple(rules))


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
