"""The order of strata, contraction of groups, and the cycles that are refused."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import Diagnostic
from tidelog.program import Atom, Rule
from tidelog.program.graph.dependency import dependencies
from tidelog.program.graph.strata import (
    Stratum,
    check_strata,
    crossing_edges,
    offending_edges,
    strata_of_edges,
    stratify,
    strong_components,
)
from tidelog.syntax import parse_program


def strata(text: str, *groups: str) -> list[tuple[str, ...]]:
    return [s.relations for s in stratify(parse_program(text).rules, [frozenset(g.split()) for g in groups])]


def refused(text: str) -> list[Diagnostic]:
    rules = parse_program(text).rules
    edges = dependencies(rules)
    return check_strata(edges, strata_of_edges(rules, edges))


def test_lower_strata_come_first() -> None:
    assert strata("c(X) :- b(X). b(X) :- a(X). a(X) :- e(X).") == [("a",), ("b",), ("c",)]


def test_relations_without_rules_belong_to_no_stratum() -> None:
    assert strata("p(X) :- e(X), !f(X).") == [("p",)]


def test_mutual_recursion_is_one_stratum() -> None:
    assert strata("p(X) :- q(X). q(X) :- p(X). r(X) :- q(X).") == [("p", "q"), ("r",)]


def test_only_cycles_are_recursive() -> None:
    found = stratify(parse_program("p(X) :- p(X). q(X) :- p(X).").rules)
    assert [s.recursive for s in found] == [True, False]


def test_rules_stay_with_the_stratum_of_their_head() -> None:
    rules = parse_program("p(X) :- e(X). q(X) :- p(X). p(X) :- f(X).").rules
    assert [s.rules for s in stratify(rules)] == [(rules[0], rules[2]), (rules[1],)]


def test_contracted_group_is_one_stratum() -> None:
    assert strata("p(X) :- q(X). q(X) :- e(X).", "p q") == [("p", "q")]


def test_contraction_merges_what_lies_between() -> None:
    assert strata("p(X) :- q(X). q(X) :- r(X). r(X) :- e(X).", "p r") == [("p", "q", "r")]


def test_overlapping_groups_become_one() -> None:
    assert strata("p(X) :- e(X). q(X) :- e(X). r(X) :- e(X).", "p q", "q r") == [("p", "q", "r")]


def test_contracted_group_keeps_relations_that_lost_their_rules() -> None:
    assert strata("p(X) :- q(X).", "p q") == [("p", "q")]


def test_negation_that_only_contraction_encloses_is_found() -> None:
    rules = parse_program("p(X) :- e(X), !q(X). q(X) :- e(X).").rules
    edges = dependencies(rules)
    real = strata_of_edges(rules, edges)
    grouped = strata_of_edges(rules, edges, [frozenset({"p", "q"})])
    assert offending_edges(edges, real) == []
    assert [(e.source, e.target) for e in crossing_edges(edges, real, grouped)] == [("q", "p")]


def test_negation_through_recursion_shows_the_cycle() -> None:
    (finding,) = refused("win(X) :- move(X, Y), safe(Y). safe(X) :- node(X), !win(X).")
    assert finding.code == "TL501"
    assert "`win` -> `safe` -> `win`" in finding.message
    assert [span.text for _, span in finding.related] == ["safe(Y)"]


def test_count_sum_and_mean_through_recursion_are_found() -> None:
    for kind in ("count", "sum", "mean"):  # which `graph.bundles` takes out of those of heads
        (head,) = refused(f"p(X, {kind}<C>) :- p(X, C).")
        (body,) = refused(f"p(X, N) :- q(X), N = {kind} C : {{ p(X, C) }}.")
        assert (head.code, body.code) == ("TL502", "TL502")


def test_min_and_max_through_recursion_are_not_refused_here() -> None:
    assert refused("p(X, min<C>) :- p(X, C).") == []


def test_negation_of_a_lower_stratum_is_accepted() -> None:
    assert refused("p(X) :- q(X), !r(X). r(X) :- r(X), s(X).") == []


def test_negation_inside_an_aggregate_counts_as_negation() -> None:
    (finding,) = refused("p(X, N) :- q(X), N = min C : { r(C), !p(C, C) }.")
    assert finding.code == "TL501"


def test_a_chain_of_ten_thousand_relations_needs_no_recursion() -> None:
    rules = [Rule(Atom(f"p{i}", ()), (Atom(f"p{i + 1}", ()),)) for i in range(10_000)]
    assert [s.relations[0] for s in stratify(rules)] == [f"p{i}" for i in reversed(range(10_000))]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_components_are_exactly_the_classes_of_mutual_reachability(seed: int) -> None:
    rng = random.Random(seed)
    nodes = [str(i) for i in range(rng.randint(1, 8))]
    graph = {n: [m for m in nodes if rng.random() < 0.2] for n in nodes}
    reach = {n: _reachable(n, graph) for n in nodes}
    components = strong_components(graph)
    position = {n: i for i, component in enumerate(components) for n in component}
    assert sorted(position) == nodes
    for a in nodes:
        for b in nodes:
            assert (position[a] == position[b]) == (a == b or (b in reach[a] and a in reach[b]))
            assert b not in reach[a] or position[b] <= position[a]


def _reachable(start: str, graph: dict[str, list[str]]) -> set[str]:
    found: set[str] = set()
    stack = list(graph[start])
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack.extend(graph[node])
    return found


def test_order_depends_on_the_order_of_rules_alone() -> None:
    rules = parse_program("a(X) :- e(X). b(X) :- a(X). c(X) :- a(X), b(X). d(X) :- d(X).").rules
    assert stratify(rules) == stratify(rules)
    assert all(isinstance(s, Stratum) for s in stratify(rules))
