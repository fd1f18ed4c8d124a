"""Next hops of the policy by plain search: the judge of `benchmarks/cases/internet.py`.

Law: shares nothing with the rules but their meaning. Per destination, distances go up from customer to provider by
breadth, then one step across between peers, then down from provider to customer in the order of distance.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchmarks.data.internet import Internet

Near = dict[int, list[int]]


def next_hops(graph: Internet, destinations: Sequence[int]) -> dict[tuple[int, int], int]:
    """The neighbour that each system sends to, for each destination that it has a route to."""
    providers, customers, peers = _near(graph)
    found: dict[tuple[int, int], int] = {}
    for destination in destinations:
        up = _up(destination, providers)
        across = {x: d for x, d in _across(up, peers).items() if x not in up}
        down = _down({**up, **across}, customers)
        for system, hop in _chosen(destination, up, across, down, (customers, peers, providers)):
            found[system, destination] = hop
    return found


def _near(graph: Internet) -> tuple[Near, Near, Near]:
    providers, customers, peers = defaultdict(list), defaultdict(list), defaultdict(list)
    for customer, provider in graph.provided.tolist():
        providers[customer].append(provider)
        customers[provider].append(customer)
    for one, other in graph.peering.tolist():
        peers[one].append(other)
        peers[other].append(one)
    return providers, customers, peers


def _up(destination: int, providers: Near) -> dict[int, int]:
    distance, edge = {destination: 0}, [destination]
    while edge:
        further = []
        for system in edge:
            for provider in providers.get(system, ()):
                if provider not in distance:
                    distance[provider] = distance[system] + 1
                    further.append(provider)
        edge = further
    return distance


def _across(up: dict[int, int], peers: Near) -> dict[int, int]:
    least: dict[int, int] = {}
    for system, distance in up.items():
        for peer in peers.get(system, ()):
            least[peer] = min(distance + 1, least.get(peer, distance + 1))
    return least


def _down(offered: dict[int, int], customers: Near) -> dict[int, int]:
    """The least distances of systems to which no customer and no peer announces a route."""
    queue = [(distance, system) for system, distance in offered.items()]
    heapq.heapify(queue)
    least: dict[int, int] = {}
    while queue:
        distance, system = heapq.heappop(queue)
        for customer in customers.get(system, ()):
            if customer not in offered and customer not in least:
                least[customer] = distance + 1
                heapq.heappush(queue, (distance + 1, customer))
    return least


def _chosen(
    destination: int, up: dict[int, int], across: dict[int, int], down: dict[int, int], near: tuple[Near, Near, Near]
) -> Iterator[tuple[int, int]]:
    """The lowest neighbour that offers the least distance; the destination sends to itself."""
    customers, peers, providers = near
    offered = {**up, **across, **down}
    yield destination, destination
    for distances, neighbours, telling in ((up, customers, up), (across, peers, up), (down, providers, offered)):
        for system, distance in distances.items():
            if system != destination:
                yield system, min(y for y in neighbours[system] if telling.get(y) == distance - 1)
