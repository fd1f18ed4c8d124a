"""Strata, found by the checker itself: relations that need each other, lower ones first.

Law: a relation that a stratum reads through negation or an aggregate lies in a lower one, except that the heads of a
stratum may be the min or max of relations of the same stratum. Then the model is defined stratum by stratum. Nothing of
the engine's strata, nor of those of `program`, is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from tidelog.program import Path
from tidelog.program.graph.well_founded import model_sources
from tidelog.program.values.path import domains, labels
from tidelog.verify import verify_failures as failures
from tidelog.verify.normal import Absent, Choices, Clause, Fold, Scan

Node = TypeVar("Node", str, int)


def sources(source: str | Path) -> list[str]:
    """The relations that an atom or a path atom reads."""
    if isinstance(source, str):
        return [source]
    named = (repeat.domain for repeat in domains(source) if repeat.domain is not None)
    return list(dict.fromkeys([*(label.relation for label in labels(source)), *named]))


def reads(clause: Clause) -> Iterator[tuple[str, bool]]:
    """The relations that a rule reads, each with whether it must lie in a lower stratum."""
    strict = any(aggregate.kind not in ("min", "max") for aggregate in clause.folded.values())
    yield from _reads(clause.body, strict)
    yield from ((relation, True) for relation in model_sources(clause.rule))


def _reads(body: Choices, strict: bool) -> Iterator[tuple[str, bool]]:
    for item in (item for conjunction in body.alternatives for item in conjunction):
        match item:
            case Scan(source=source):
                yield from ((relation, strict) for relation in sources(source))
            case Absent(source=source):
                yield from ((relation, True) for relation in sources(source))
            case Fold(body=inner):
                yield from _reads(inner, True)


def stratify(clauses: Sequence[Clause]) -> list[tuple[frozenset[str], tuple[Clause, ...]]]:
    """The strata in order, each with its rules; a program that is not stratified is refused.

    >>> from tidelog.syntax import parse_program
    >>> from tidelog.verify.normal import to_clause
    >>> rules = parse_program("p(X) :- q(X), !r(X). q(X) :- e(X), q(X). r(X) :- q(X).").rules
    >>> [sorted(relations) for relations, _ in stratify([to_clause(rule) for rule in rules])]
    [['q'], ['r'], ['p']]
    """
    graph: dict[str, set[str]] = {clause.rule.head.predicate: set() for clause in clauses}
    for clause in clauses:
        graph[clause.rule.head.predicate].update(name for name, _ in reads(clause) if name in graph)
    found = [frozenset(component) for component in components(graph)]
    home = {name: i for i, component in enumerate(found) for name in component}
    for clause in clauses:
        head = clause.rule.head.predicate
        for name, strict in reads(clause):
            if strict and home.get(name) == home[head]:
                raise failures.NOT_STRATIFIED.error(head=head, name=name)
    rules: list[list[Clause]] = [[] for _ in found]
    for clause in clauses:
        rules[home[clause.rule.head.predicate]].append(clause)
    return [(component, tuple(own)) for component, own in zip(found, rules, strict=True)]


def components(graph: Mapping[Node, Iterable[Node]]) -> list[list[Node]]:
    """Strongly connected components by two searches: each component is returned after all those it points to."""
    finished: list[Node] = []
    _search(graph, graph, set(), finished)
    back: dict[Node, list[Node]] = {name: [] for name in graph}
    for name, targets in graph.items():
        for target in targets:
            back[target].append(name)
    seen: set[Node] = set()
    found = []
    for root in reversed(finished):
        if root not in seen:
            component: list[Node] = []
            _search([root], back, seen, component)
            found.append(component)
    # The second search meets components from the top down; what is read must come first.
    return found[::-1]


def _search(roots: Iterable[Node], graph: Mapping[Node, Iterable[Node]], seen: set[Node], finished: list[Node]) -> None:
    """Depth first from the roots; nodes in the order in which they are left."""
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(sorted(graph[root])))]
        while stack:
            name, targets = stack[-1]
            target = next((t for t in targets if t not in seen), None)
            if target is None:
                finished.append(name)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(sorted(graph[target]))))
