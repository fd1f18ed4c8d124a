"""Graphs of autonomous systems, and the policy on them beside searches."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.cases.internet import PLACES, judge, measure
from benchmarks.data.internet import LEAK, PEERS_EACH, POLICY, PROVIDERS, TOP, internet
from benchmarks.data.internet_judge import next_hops
from benchmarks.outcome import Disagreement
from benchmarks.report.internet import WHOLE
from benchmarks.subject import Subject


def test_the_same_seed_gives_the_same_graph_and_another_does_not() -> None:
    one, same, other = internet(300), internet(300), internet(300, seed=2)
    assert (one.provided == same.provided).all()
    assert (one.peering == same.peering).all()
    assert one.provided.tolist() != other.provided.tolist()


def test_providers_come_first_and_nobody_peers_with_those_it_serves() -> None:
    graph = internet(500)
    assert (graph.provided[:, 0] > graph.provided[:, 1]).all(), "so there is no circle"
    assert graph.provided[:, 0].min() == TOP, "the first have no provider"
    served = {tuple(row) for row in graph.provided.tolist()}
    assert not served & {(high, low) for low, high in graph.peering.tolist()}
    assert {(low, high) for high in range(TOP) for low in range(high)} <= {tuple(row) for row in graph.peering.tolist()}


@pytest.mark.parametrize(("systems", "largest"), [(20_000, 2_723), pytest.param(70_000, 7_713, marks=pytest.mark.long)])
def test_degrees_have_a_long_tail_and_most_have_no_customer(systems: int, largest: int) -> None:
    graph = internet(systems)
    assert 1.9 < graph.tail_exponent(10) < 2.2
    assert round(100 * (graph.customers == 0).mean()) == 86
    assert graph.degrees.max() == largest


@pytest.mark.long
def test_the_whole_internet_is_connected_and_has_no_circle() -> None:
    graph = internet(WHOLE)
    assert (graph.provided[:, 0] > graph.provided[:, 1]).all()
    providers = np.bincount(graph.provided[:, 0], minlength=WHOLE)
    assert not providers[:TOP].any()
    assert 1 <= providers[TOP:].min() <= providers.max() <= len(PROVIDERS), "so all reach the first, who are peers"
    assert round(providers[TOP:].mean(), 1) == 1.9
    assert len(np.unique(graph.peering, axis=0)) == len(graph.peering) == PEERS_EACH * WHOLE


@pytest.mark.long
def test_every_system_of_the_whole_internet_has_a_way_to_everybody() -> None:
    graph = internet(WHOLE)
    hops = next_hops(graph, [WHOLE - 1])
    assert len(hops) == WHOLE


def test_a_route_through_a_customer_is_taken_before_a_shorter_one() -> None:
    """3 hears of 0 from its customer 1 in two steps and from its peer 0 in one."""
    from benchmarks.data.internet import Internet

    graph = Internet(4, np.array([(0, 1), (1, 3)]), np.array([(0, 3), (2, 3)]))
    found = next_hops(graph, [0])
    assert found == {(0, 0): 0, (1, 0): 0, (3, 0): 1, (2, 0): 3}
    subject = Subject(POLICY)
    subject.insert(graph.facts(np.array([0])))
    judge(subject, graph, np.array([0]))


def test_wrong_next_hops_are_refused() -> None:
    graph = internet(40)
    subject = Subject(POLICY)
    subject.insert(graph.facts(np.arange(5)))
    subject.step(lambda epoch: epoch.add_rule(LEAK.format(system=30).partition(": ")[2], "leak"))
    subject.delete({"destination": np.array([[0]])})
    with pytest.raises(Disagreement, match="40 systems"):
        judge(subject, graph, np.arange(5))


@pytest.mark.parametrize("place", PLACES)
def test_links_and_policies_change_and_change_back(place: str) -> None:
    found = measure(systems=60, destinations=6, place=place, failures=2)
    assert found["routes"] == 360
    assert (found["build"]["messages"] > 0) == (PLACES[place] > 1)
    assert len(found["changes"]) == 8
