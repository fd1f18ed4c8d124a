"""Finitely many derivations, known from the rules alone: no fact can be derived from itself.

Law: a fact has infinitely many derivations exactly if it depends on a fact that depends on itself (Mumick and Shmueli).
In a stratum without recursion no fact does. In another one, a step from a fact to a head that it helps to derive
leads back to the fact only around a cycle of relations; so none does if each such cycle has a step at which a column
rises strictly that falls nowhere in the stratum (`measure`). The test is sufficient: what it reports may still be
without such a fact, on some data or on all. `lab.semantics.finiteness` decides the question on given data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelog.program.checks.termination.measure import level_steps
from tidelog.program.checks.termination.ways import Way, ways_of
from tidelog.program.functions.table import FUNCTIONS, Function
from tidelog.program.graph.dependency import rule_dependencies
from tidelog.program.graph.strata import Stratum, strong_components
from tidelog.program.types.assign import Schema
from tidelog.program.values.scope import all_literals, path_atoms
from tidelog.program.values.term import PathAtom


def circular_strata(
    strata: Sequence[Stratum], schema: Schema, functions: Mapping[str, tuple[Function, ...]] = FUNCTIONS
) -> tuple[Stratum, ...]:
    """The strata in which a fact may depend on itself; none: every fact has finitely many derivations, on any data.

    >>> from tidelog.program.check import check_program
    >>> from tidelog.syntax import parse_program
    >>> def circular(text):
    ...     checked = check_program(parse_program(text))
    ...     return [stratum.relations for stratum in circular_strata(checked.strata, checked.schema)]
    >>> circular("reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z).")
    [('reach',)]
    >>> circular("walk(X,Y,1) :- edge(X,Y). walk(X,Z,N+1) :- edge(X,Y), walk(Y,Z,N), N < 9.")
    []
    """
    return tuple(stratum for stratum in strata if stratum.recursive and _is_circular(stratum, schema, functions))


def _is_circular(stratum: Stratum, schema: Schema, functions: Mapping[str, tuple[Function, ...]]) -> bool:
    inside = frozenset(stratum.relations)
    ways = [way for rule in stratum.rules for way in ways_of(rule, inside, schema, functions)]
    if not all(_shows_all_steps(way, inside) for way in ways):
        return True
    columns = {way.rule.head.predicate: range(len(way.head)) for way in ways}
    graph: dict[str, set[str]] = {name: set() for name in inside}
    for i, j in level_steps(ways, columns):
        graph[ways[i].rule.head.predicate].add(ways[i].atoms[j].predicate)
    return any(len(group) > 1 or group[0] in graph[group[0]] for group in strong_components(graph))


def _shows_all_steps(way: Way, inside: frozenset[str]) -> bool:
    """Whether the atoms of the way are all that the rule reads inside the stratum, with their columns."""
    read = {edge.source for edge in rule_dependencies(way.rule)} & inside
    paths = [literal for literal in all_literals(way.rule.body) if isinstance(literal, PathAtom)]
    walked = {atom.predicate for path in paths for atom in path_atoms(path)}
    return read <= {atom.predicate for atom in way.atoms} and not walked & inside
