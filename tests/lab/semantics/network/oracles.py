"""Independent answers for the programs of `programs/network`: breadth-first search, Dijkstra, walks, by hand in Python.

Law: nothing here reads a rule. Each function takes the base facts as plain rows and computes the tables that the
program of the same name must derive, by an algorithm from a textbook on graphs.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

Facts = dict[str, set[tuple]]
Tables = dict[str, set[tuple]]

PROGRAMS = Path(__file__).parents[4] / "programs" / "network"
_FACT = re.compile(r"([+-]?)(\w+)\(([^)]*)\)\.")


def value(text: str) -> int | str:
    text = text.strip().lstrip("@")
    return int(text) if text.isdigit() else text


def read_changes(path: Path) -> list[list[tuple[str, str, tuple]]]:
    """Epochs of (sign, relation, row); the text of a topology is one epoch with empty signs."""
    text = re.sub(r"//.*", "", path.read_text())
    epochs = [
        [(sign, name, tuple(value(arg) for arg in args.split(","))) for sign, name, args in _FACT.findall(part)]
        for part in text.split("commit.")
    ]
    return [epoch for epoch in epochs if epoch]


def base_facts(name: str, *, epochs: int | None = 0) -> Facts:
    """The topology of a program after that many epochs of its script; None for all of them."""
    facts: Facts = defaultdict(set)
    for _, relation, row in read_changes(PROGRAMS / name / "topology.dl")[0]:
        facts[relation].add(row)
    for epoch in read_changes(PROGRAMS / name / "changes.dl")[:epochs]:
        for sign, relation, row in epoch:
            (facts[relation].add if sign == "+" else facts[relation].remove)(row)
    return facts


def neighbours(links: set[tuple]) -> dict:
    graph = defaultdict(set)
    for source, target, *cost in links:
        graph[source].add((target, cost[0] if cost else 1))
    return graph


def nodes(links: set[tuple]) -> set:
    return {end for link in links for end in link[:2]}


def dijkstra(links: set[tuple], source: object) -> dict:
    graph, best, agenda = neighbours(links), {}, [(0, source)]
    while agenda:
        cost, node = heapq.heappop(agenda)
        if node not in best:
            best[node] = cost
            for target, step in graph[node]:
                heapq.heappush(agenda, (cost + step, target))
    return best


def breadth_first(links: set[tuple], source: object) -> set:
    """What a walk of at least one step reaches."""
    graph, seen, agenda = neighbours(links), set(), [source]
    while agenda:
        for target, _ in graph[agenda.pop()]:
            if target not in seen:
                seen.add(target)
                agenda.append(target)
    return seen


def simple_paths(links: set[tuple]) -> set[tuple]:
    """Every path without a repeated node, with its cost: (source, target, path, cost)."""
    graph, found = neighbours(links), set()
    agenda = [((node,), 0) for node in nodes(links)]
    while agenda:
        path, cost = agenda.pop()
        for target, step in graph[path[-1]]:
            if target not in path:
                found.add((path[0], target, (*path, target), cost + step))
                agenda.append(((*path, target), cost + step))
    return found


def distances(links: set[tuple]) -> set[tuple]:
    return {(s, d, c) for s in nodes(links) for d, c in dijkstra(links, s).items() if s != d}


def reachability(facts: Facts) -> Tables:
    links = facts["link"]
    return {"reachable": {(s, d) for s in nodes(links) for d in breadth_first(links, s)}}


def hops(facts: Facts) -> Tables:
    links = facts["link"]
    hop = {(x, y) for x, z in links for w, y in links if z == w}
    return {"hop": hop, "tri_hop": {(x, y) for x, z in hop for w, y in links if z == w}}


def path_vector(facts: Facts) -> Tables:
    paths, best = simple_paths(facts["link"]), {(s, d): c for s, d, c in distances(facts["link"])}
    return {"path": paths, "route": {row for row in paths if row[3] == best[row[:2]]}}


def distance_vector(facts: Facts) -> Tables:
    """Walks are counted from the target backwards: `ends[d]` holds the (node, cost) pairs already known."""
    links, cost = facts["link"], set()
    for target in nodes(links):
        known = agenda = {(s, target, c) for s, d, c in links if d == target and c < 16}
        while agenda:
            agenda = {
                (s, z, c + c2)
                for s, z, c in links
                for node, _, c2 in agenda
                if node == z and c + c2 < 16 and s != target
            } - known
            known = known | agenda
        cost |= {(s, target, z, c) for s, z, c in known}
    best = {(s, d): c for s, d, c in distances(links)}
    return {"cost": cost, "next_hop": {row for row in cost if row[3] == best[row[:2]]}}


def shortest_path(facts: Facts) -> Tables:
    return {"shortest": distances(facts["link"])}


def link_state(facts: Facts) -> Tables:
    links = facts["link"]
    holders = {node: breadth_first(links, node) | {node} for node in nodes(links)}
    flooded = {(holder, *link) for link in links for holder in holders[link[0]]}
    return {"lsa": flooded, "distance": distances(links)}


def tree(links: set[tuple], depth: dict) -> set[tuple]:
    """Every node that has one hangs below its smallest neighbour one step nearer to the root."""
    nearer = defaultdict(set)
    for node, other in links:
        if node in depth and depth.get(other) == depth[node] - 1:
            nearer[node].add(other)
    return {(node, min(others)) for node, others in nearer.items()}


def spanning_tree(facts: Facts) -> Tables:
    links = facts["link"]
    root = {(n, min(breadth_first(links, n) | {n})) for (n,) in facts["node"]}
    depth = {n: dijkstra(links, r)[n] for n, r in root}
    return {"root": root, "depth": set(depth.items()), "parent": tree(links, depth)}


def multicast_tree(facts: Facts) -> Tables:
    links, ((source,),) = facts["link"], facts["source"]
    depth = dijkstra(links, source)
    upstream = dict(tree(links, depth))
    on_tree, forward = set(), set()
    for (member,) in facts["member"]:
        node = member if member in depth else None
        while node is not None:
            on_tree.add((node,))
            if node in upstream:
                forward.add((upstream[node], node))
            node = upstream.get(node)
    return {"on_tree": on_tree, "forward": forward}


def policy_routing(facts: Facts) -> Tables:
    """A loop-free path is a route when every node on it but the last two lets the one before hear of it."""
    kind = {(s, z): r for s, z, r in facts["neighbour"]}
    routes = set()
    for source, target, path, _ in simple_paths({(s, z) for s, z in kind}):
        hops_of = list(pairwise(path))
        learnt = [kind[hop] for hop in hops_of]
        exported = ((z, learnt[i + 1], kind.get((z, s))) in facts["allow"] for i, (s, z) in enumerate(hops_of[:-1]))
        if all(exported):
            routes.add((source, target, path, learnt[0]))
    return {"route": routes}


def best_paths(links: set[tuple]) -> dict[tuple, tuple]:
    """Of all loop-free paths between two nodes the cheapest, then the shortest, then the least: (cost, path)."""
    found: dict[tuple, tuple] = {}
    for source, target, path, cost in simple_paths(links):
        key = (cost, len(path), path)
        if (source, target) not in found or key < found[source, target]:
            found[source, target] = key
    return {ends: (cost, path) for ends, (cost, _, path) in found.items()}


def best_path(facts: Facts) -> Tables:
    return {"bestPath": {(*ends, *best) for ends, best in best_paths(facts["link"]).items()}}


def next_hops(links: set[tuple]) -> set[tuple]:
    """For all pairs the least neighbour that is first on a shortest path: (source, target, first, cost)."""
    best, found = {(s, d): c for s, d, c in distances(links)}, set()
    for (source, target), cost in best.items():
        through = {
            z for s, z, c in links if s == source and c + (0 if z == target else best.get((z, target), 99)) == cost
        }
        found.add((source, target, min(through), cost))
    return found


def split_horizon(facts: Facts) -> Tables:
    return {"best": next_hops(facts["link"])}


def link_state_routes(facts: Facts) -> Tables:
    return {"route": next_hops(facts["link"])}


def source_routing(facts: Facts) -> Tables:
    """A request goes on from every node but its destination, so that its ways are those of the links without these."""
    requests = set()
    for source, target in facts["ask"]:
        hops_only = {(s, d, 1) for s, d, _ in facts["link"] if s != target}
        requests |= {(d, source, target, *best) for (s, d), best in best_paths(hops_only).items() if s == source}
        requests.add((source, source, target, 0, (source,)))
    return {
        "bestRequest": requests,
        "sourceRoute": {(s, d, c, path) for node, s, d, c, path in requests if node == d},
    }


def overlay(facts: Facts) -> Tables:
    """The ring by hand: distances clockwise, the nearest known node from each power of two on, keys by their owners."""
    ident = dict(facts["ident"])
    far = {
        (n, m): (ident[m] - ident[n]) % 64
        for n, m in facts["knows"]
        if n in ident and m in ident and ident[n] != ident[m]
    }
    succ, finger = {}, {}
    for (n, m), d in sorted(far.items(), key=lambda item: (item[1], item[0])):
        succ.setdefault(n, (m, d))
        for f in range(6):
            if d >= 2**f:
                finger.setdefault((n, f), (m, d))
    answers = set()
    for origin, key in facts["ask"]:
        agenda, seen = [origin], set()
        while agenda:
            node = agenda.pop()
            if node in seen or node not in ident:
                continue
            seen.add(node)
            way = (key - ident[node]) % 64
            if way == 0:
                answers.add((origin, key, node))
            elif node in succ and way <= succ[node][1]:
                answers.add((origin, key, succ[node][0]))
            fitting = [(-d, m) for (n, _), (m, d) in finger.items() if n == node and d <= way]
            agenda += [min(fitting)[1]] if fitting else []
    return {
        "succ": {(n, *best) for n, best in succ.items()},
        "finger": {(*place, *best) for place, best in finger.items()},
        "answer": answers,
    }


ORACLES: dict[str, Callable[[Facts], Tables]] = {
    oracle.__name__: oracle
    for oracle in (
        reachability,
        hops,
        path_vector,
        distance_vector,
        shortest_path,
        link_state,
        spanning_tree,
        multicast_tree,
        policy_routing,
        best_path,
        split_horizon,
        link_state_routes,
        source_routing,
        overlay,
    )
}


def text(item: object) -> str:
    return f"[{','.join(map(text, item))}]" if isinstance(item, tuple) else str(item)


def table_text(rows: set[tuple]) -> str:
    """A table as the expected files hold it: one row per line, columns separated by tabs, sorted by text."""
    return "".join(sorted("\t".join(map(text, row)) + "\n" for row in rows))
