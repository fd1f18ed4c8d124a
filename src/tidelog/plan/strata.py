"""The strata of core rules, and how groups that are already evaluated together stay together.

Law: parts of a stratum stay one stratum when rules are removed; they are split only if keeping them together would put
a negation inside the group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from tidelog.program import Rule
from tidelog.program.graph.dependency import Edge, rule_dependencies
from tidelog.program.graph.strata import crossing_edges, strata_of_edges
from tidelog.program.values.scope import atoms
from tidelog.rewrite.core import is_aggregate_rule
from tidelog.rewrite.names import is_request, is_requested_result


@lru_cache(maxsize=50_000)
def _edges_of(rule: Rule) -> tuple[Edge, ...]:
    return tuple(rule_dependencies(rule))


def core_edges(rules: Iterable[Rule]) -> list[Edge]:
    """The dependency edges of core rules, cached because most stay when some change."""
    return [edge for rule in rules for edge in _edges_of(rule)]


def demand_levels(rules: Mapping[str, Rule], relations: Collection[str]) -> dict[str, int]:
    """For each aggregate rule over relations of one stratum, by label, how many others its groups wait for.

    The recursion demands groups, not their contents. Therefore the rules of the demand are not examined.
    """
    by_head: dict[str, list[Rule]] = {}
    for rule in rules.values():
        by_head.setdefault(rule.head.predicate, []).append(rule)

    def depth(name: str) -> int:
        made = () if is_request(name) or name not in relations else by_head.get(name, ())
        return max((below(rule) + is_aggregate_rule(rule) for rule in made), default=0)

    def below(rule: Rule) -> int:
        return max((depth(atom.predicate) for atom in atoms(rule.body)), default=0)

    asked = {label: rule for label, rule in rules.items() if is_requested_result(rule.head.predicate)}
    return {label: below(rule) for label, rule in asked.items()}


def unasked_edges(edges: Iterable[Edge]) -> list[Edge]:
    """The edges without those that only demand groups of aggregates."""
    return [edge for edge in edges if not is_request(edge.target)]


def group_strata(rules: Sequence[Rule], groups: Iterable[frozenset[str]]) -> tuple[frozenset[str], ...]:
    """The strata of the rules with the groups kept together, except groups that really must be split.

    Without the groups, the rules are known to be stratified.
    """
    edges = core_edges(rules)
    real = strata_of_edges(rules, edges)
    kept = {g for g in groups if len(g) > 1}
    while True:
        strata = strata_of_edges(rules, edges, sorted(kept, key=sorted))
        crossing = crossing_edges(edges, real, strata)
        if not crossing:
            return tuple(frozenset(s.relations) for s in strata)
        blamed = {e.target for e in crossing}
        stuck = {name for s in strata if blamed & set(s.relations) for name in s.relations}
        split = {g for g in kept if g & stuck}
        assert split, "only groups combine more than the rules do"
        kept -= split
