"""The program as a graph: which relations are read to derive which others.

Law: there is a node for every relation that a rule or a declaration names, and an arrow for every pair of relations of
which one is read to derive the other, marked by the strictest way in which any rule reads it (a negation before an
aggregate before an atom). Relations that derive each other are one group. Constraints derive nothing and are omitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tidelog.explain.draw_graph import draw_graph
from tidelog.explain.relation_node import BASE, ReadEdge, RelationNode
from tidelog.program import Program, Rule
from tidelog.program.graph.dependency import AGGREGATE, NEGATIVE, POSITIVE, dependencies
from tidelog.program.graph.strata import stratify

STRICTNESS = (POSITIVE, AGGREGATE, NEGATIVE)


@dataclass(frozen=True, slots=True)
class ProgramGraph:
    """Relations and what reads what; as text by ``str``, drawn in notebooks and by `svg`."""

    nodes: tuple[RelationNode, ...]
    edges: tuple[ReadEdge, ...] = field(repr=False)

    def svg(self) -> str:
        """The drawing, as the text of an SVG file."""
        return draw_graph(self.nodes, self.edges)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div>'

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(self._lines()) or "no relations"

    def _lines(self) -> Iterator[str]:
        read: dict[str, list[ReadEdge]] = {}
        for edge in self.edges:
            read.setdefault(edge.target, []).append(edge)
        for stratum in sorted({node.stratum for node in self.nodes}):
            inside = [node for node in self.nodes if node.stratum == stratum]
            recursive = ", recursive" if any(node.recursive for node in inside) else ""
            yield "base relations" if stratum == BASE else f"stratum {stratum}{recursive}"
            for node in inside:
                sources = ", ".join(_SIGNS[edge.kind] + edge.source for edge in read.get(node.name, ()))
                yield f"  {node.name}{f' <- {sources}' if sources else ''}{_size(node)}"


_SIGNS: Mapping[str, str] = {POSITIVE: "", AGGREGATE: "all of ", NEGATIVE: "!"}


def _size(node: RelationNode) -> str:
    return "" if node.facts is None else f"  ({node.facts:,} {'fact' if node.facts == 1 else 'facts'})"


def program_graph(program: Program, sizes: Mapping[str, int] | None = None) -> ProgramGraph:
    """The graph of a program; ``sizes`` are the numbers of facts.

    >>> from tidelog.syntax import parse_program
    >>> print(program_graph(parse_program("p(X) :- q(X), !r(X). q(X) :- q(X), e(X).")))
    base relations
      e
      r
    stratum 1, recursive
      q <- e, q
    stratum 2
      p <- q, !r
    """
    rules = [rule for rule in program.rules if rule.constraint is None]
    strata = {
        name: (number, stratum.recursive)
        for number, stratum in enumerate(stratify(rules), 1)
        for name in stratum.relations
    }
    edges = _edges(rules)
    names = {*strata, *(e.source for e in edges), *(d.relation for d in program.declarations), *(sizes or ())}
    derived = [rule.head.predicate for rule in rules]
    nodes = (
        RelationNode(name, *_place(strata, name, derived), None if sizes is None else sizes.get(name)) for name in names
    )
    return ProgramGraph(tuple(sorted(nodes, key=lambda node: (node.stratum, node.name))), edges)


def _place(strata: Mapping[str, tuple[int, bool]], name: str, derived: list[str]) -> tuple[int, int, bool]:
    stratum, recursive = strata.get(name, (BASE, False))
    return stratum, derived.count(name), recursive


def _edges(rules: Iterable[Rule]) -> tuple[ReadEdge, ...]:
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for edge in dependencies(rules):
        kinds, labels = found.setdefault((edge.source, edge.target), ([], []))
        kinds.append(edge.kind)
        if edge.rule.label and edge.rule.label not in labels:
            labels.append(edge.rule.label)
    return tuple(
        ReadEdge(source, target, _strictest(kinds), tuple(labels))
        for (source, target), (kinds, labels) in sorted(found.items())
    )


def _strictest(kinds: Iterable[str]) -> str:
    return max(kinds, key=STRICTNESS.index)
