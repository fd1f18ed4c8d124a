"""Strata: the strongly connected components of the dependency graph, in an order in which they can be evaluated.

Law: every relation that a stratum reads is in the same or an earlier stratum; within one stratum only positive
edges and min/max may occur. Groups of relations may be contracted to one node, so that relations which once were one
stratum stay one (the ranks of their facts were assigned together). Relations without rules belong to no stratum: their
facts are asserted. Whether min and max are used soundly inside a stratum is checked by `monotone`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tidelog.errors import Diagnostic, Span
from tidelog.program.graph.dependency import NEGATIVE, POSITIVE, Edge, dependencies
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.values.rule import Rule

FINDINGS_PER_STRATUM = 20

N = TypeVar("N", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Stratum:
    """Relations that are evaluated together, sorted by name, with the rules that derive them."""

    relations: tuple[str, ...]
    rules: tuple[Rule, ...]
    recursive: bool


def stratify(rules: Sequence[Rule], groups: Iterable[frozenset[str]] = ()) -> tuple[Stratum, ...]:
    """The strata of the rules, lower ones first; each of ``groups`` counts as one node of the graph.

    The order is determined only by the order of the rules. Nothing is refused here: see `offending_edges`.

    >>> from tidelog.program import Atom, Rule
    >>> p, q, e = Atom("p", ()), Atom("q", ()), Atom("e", ())
    >>> [s.relations for s in stratify([Rule(p, (q,)), Rule(q, (e,))])]
    [('q',), ('p',)]
    >>> [s.relations for s in stratify([Rule(p, (q,)), Rule(q, (e,))], [frozenset({"p", "q"})])]
    [('p', 'q')]
    """
    return strata_of_edges(rules, dependencies(rules), groups)


def strata_of_edges(
    rules: Sequence[Rule], edges: Iterable[Edge], groups: Iterable[frozenset[str]] = ()
) -> tuple[Stratum, ...]:
    """As `stratify`, for edges that are already known."""
    members: dict[str, list[str]] = {}
    node = _contracted(groups, members)
    for rule in rules:
        name = rule.head.predicate
        if name not in node:
            node[name] = name
            members[name] = [name]
    graph: dict[str, dict[str, None]] = {name: {} for name in members}
    for edge in edges:
        if edge.source in node:
            graph[node[edge.target]][node[edge.source]] = None
    components = strong_components(graph)
    return _strata(components, members, rules, graph)


def _contracted(groups: Iterable[frozenset[str]], members: dict[str, list[str]]) -> dict[str, str]:
    """Each grouped relation with the name of its node (the first member); overlapping groups become one."""
    node: dict[str, str] = {}
    for group in groups:
        union = set(group).union(*(members.pop(n) for n in {node[name] for name in group if name in node}))
        if union:
            first = min(union)
            members[first] = sorted(union)
            node.update(dict.fromkeys(union, first))
    return node


def _strata(
    components: list[list[str]], members: Mapping[str, list[str]], rules: Sequence[Rule], graph: Mapping[str, object]
) -> tuple[Stratum, ...]:
    home = {name: i for i, nodes in enumerate(components) for node in nodes for name in members[node]}
    relations: list[list[str]] = [[] for _ in components]
    for name, i in home.items():
        relations[i].append(name)
    own_rules: list[list[Rule]] = [[] for _ in components]
    for rule in rules:
        own_rules[home[rule.head.predicate]].append(rule)
    recursive = _recursive(components, members, graph)
    return tuple(
        Stratum(tuple(sorted(names)), tuple(own), cyclic)
        for names, own, cyclic in zip(relations, own_rules, recursive, strict=True)
    )


def _recursive(
    components: list[list[str]], members: Mapping[str, list[str]], graph: Mapping[str, object]
) -> list[bool]:
    """Whether a component is recursive: it has several relations, reads itself, or is a contracted group."""
    return [
        len(nodes) > 1 or len(members[nodes[0]]) > 1 or nodes[0] in graph[nodes[0]]  # type: ignore[operator]  # a dict
        for nodes in components
    ]


def strong_components(graph: Mapping[N, Iterable[N]]) -> list[list[N]]:
    """The strongly connected components, each after all components it points to. Tarjan's algorithm without recursion.

    >>> strong_components({"a": ["b"], "b": ["a", "c"], "c": []})
    [['c'], ['b', 'a']]
    """
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    on_stack: set[N] = set()
    stack: list[N] = []
    components: list[list[N]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(graph[root]))]
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(graph[successor])))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    components.append(_pop_component(node, stack, on_stack))
    return components


def _pop_component(root: N, stack: list[N], on_stack: set[N]) -> list[N]:
    component: list[N] = []
    while True:
        node = stack.pop()
        on_stack.discard(node)
        component.append(node)
        if node == root:
            return component


def offending_edges(edges: Iterable[Edge], strata: Iterable[Stratum]) -> list[Edge]:
    """The edges that lie inside a stratum although they may not: negation, count, sum and mean."""
    home = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
    return [
        edge for edge in edges if not edge.may_recur and edge.source in home and home[edge.source] == home[edge.target]
    ]


def crossing_edges(edges: Iterable[Edge], strata: Iterable[Stratum], grouped: Iterable[Stratum]) -> list[Edge]:
    """The non-positive edges that lie inside a stratum only because of contraction: that group must be split."""
    home = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
    together = {name: i for i, stratum in enumerate(grouped) for name in stratum.relations}
    return [
        edge
        for edge in edges
        if edge.kind != POSITIVE
        and together.get(edge.source, -1) == together[edge.target]
        and home.get(edge.source, -1) != home.get(edge.target, -2)
    ]


def check_strata(edges: Sequence[Edge], strata: Sequence[Stratum]) -> list[Diagnostic]:
    """One finding per offending pair of relations, with the cycle that makes it recursive."""
    offending = offending_edges(edges, strata)
    if not offending:
        return []
    home = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
    findings: list[Diagnostic] = []
    reported: dict[int, set[tuple[str, str, str]]] = {}
    reading = _edges_by_source(edges, home)
    for edge in offending:
        seen = reported.setdefault(home[edge.source], set())
        key = (edge.source, edge.target, edge.kind + edge.aggregate)
        if key not in seen and len(seen) < FINDINGS_PER_STRATUM:
            seen.add(key)
            findings.append(_finding(edge, cycle_through(edge, reading)))
    return findings


def _edges_by_source(edges: Iterable[Edge], home: Mapping[str, int]) -> dict[str, list[Edge]]:
    """The edges inside strata, by the relation they read."""
    reading: dict[str, list[Edge]] = {}
    for edge in edges:
        if edge.source in home and home[edge.source] == home[edge.target]:
            reading.setdefault(edge.source, []).append(edge)
    return reading


def cycle_through(edge: Edge, reading: Mapping[str, Sequence[Edge]]) -> list[Edge]:
    """A shortest cycle that starts with the edge."""
    came_by: dict[str, Edge] = {}
    frontier = [edge.target]
    while frontier and edge.source not in came_by and edge.source != edge.target:
        found: list[str] = []
        for name in frontier:
            for step in reading.get(name, ()):
                if step.target not in came_by and step.target != edge.target:
                    came_by[step.target] = step
                    found.append(step.target)
        frontier = found
    back: list[Edge] = []
    name = edge.source
    while name != edge.target and name in came_by:
        back.append(came_by[name])
        name = came_by[name].source
    return [edge, *reversed(back)]


def _finding(edge: Edge, cycle: list[Edge]) -> Diagnostic:
    names = " -> ".join(f"`{step.source}`" for step in cycle) + f" -> `{edge.source}`"
    related = [(_step(step), step.span) for step in cycle[1:] if step.span is not None]
    if edge.kind == NEGATIVE:
        return diagnose("TL501", edge.span, related=related, relation=edge.source, target=edge.target, cycle=names)
    place = edge.span if not edge.in_head else _head_aggregate_span(edge)
    return diagnose(
        "TL502", place, related=related, relation=edge.source, target=edge.target, cycle=names, kind=edge.aggregate
    )


def _head_aggregate_span(edge: Edge) -> Span | None:
    for term in edge.rule.head.args:
        if getattr(term, "kind", "") == edge.aggregate and term.span is not None:
            return term.span
    return edge.span


def _step(edge: Edge) -> str:
    return f"`{edge.target}` is derived from `{edge.source}` here"
