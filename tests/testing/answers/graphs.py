"""Answers about graphs and routes: searches, Tarjan, Dijkstra, depth-first walks."""

import heapq
import math
from collections import Counter, defaultdict
from fractions import Fraction


def successors(edges):
    graph = defaultdict(set)
    for a, b, *_ in edges:
        graph[a].add(b)
    return graph


def search(start, graph):
    """All nodes that a walk of at least one step reaches."""
    seen, queue = set(), [start]
    while queue:
        for node in graph.get(queue.pop(), ()):
            if node not in seen:
                seen.add(node)
                queue.append(node)
    return seen


def reachability(facts, after):
    graph = successors(facts["edge"])
    reach = {(x, y) for x in list(graph) for y in search(x, graph)}
    return {
        "reach": reach,
        "one_way": {(x, y) for x, y in reach if (y, x) not in reach},
        "on_cycle": {(x,) for x, y in reach if x == y},
    }


def same_generation(facts, after):
    parents, people = defaultdict(set), set()
    for parent, child in facts["parent"]:
        parents[child].add(parent)
        people |= {parent, child}

    def ancestors(person):
        """Sets of ancestors, one for each distance."""
        level = {person}
        while level:
            yield level
            level = {p for child in level for p in parents[child]}

    found = {
        (x, y) for x in people for y in people if any(a & b for a, b in zip(ancestors(x), ancestors(y), strict=False))
    }
    siblings = {(x, y) for x in people for y in people if x != y and parents[x] & parents[y]}
    cousins = {(x, y) for x in people for y in people for p in parents[x] for q in parents[y] if (p, q) in siblings}
    return {"same_generation": found, "cousin": cousins}


def tarjan(graph, nodes):
    """Strongly connected components, as lists."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        on_stack.add(v)
        for w in graph.get(v, ()):
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in on_stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            component = []
            while not component or component[-1] != v:
                component.append(stack.pop())
                on_stack.discard(component[-1])
            found.append(component)

    for node in sorted(nodes):
        if node not in index:
            visit(node)
    return found


def components(facts, after):
    nodes = {node for edge in facts["edge"] for node in edge}
    found = tarjan(successors(facts["edge"]), nodes)
    least = {node: min(component) for component in found for node in component}
    return {
        "component": set(least.items()),
        "size": {(min(component), len(component)) for component in found},
        "between": {(least[x], least[y]) for x, y in facts["edge"] if least[x] != least[y]},
        "largest": {(max(map(len, found)),)},
    }


def bipartite(facts, after):
    graph = successors([*facts["edge"], *((y, x) for x, y in facts["edge"])])
    least, colour, spoiled = {}, {}, set()
    for start in sorted(graph):
        if start in colour:
            continue
        colour[start], stack = 0, [start]
        while stack:
            node = stack.pop()
            least[node] = start
            for other in graph[node]:
                if other not in colour:
                    colour[other] = 1 - colour[node]
                    stack.append(other)
                elif colour[other] == colour[node]:
                    spoiled.add(start)
    return {
        "component": set(least.items()),
        "bipartite": {(c,) for c in set(least.values()) - spoiled},
        # Once a component has an odd cycle, every node of it lies on an odd closed walk.
        "odd_cycle": {(node,) for node, c in least.items() if c in spoiled},
    }


def triangles(facts, after):
    graph = successors([*facts["edge"], *((y, x) for x, y in facts["edge"])])
    nodes = sorted(graph)
    found = {
        (x, y, z)
        for x in nodes
        for y in nodes
        for z in nodes
        if x < y < z and y in graph[x] and z in graph[x] & graph[y]
    }
    through = Counter(node for triangle in found for node in triangle)
    degree = {x: len(graph[x]) for x in nodes}
    clustering = {(x, 2.0 * through[x] / (degree[x] * (degree[x] - 1))) for x in nodes if degree[x] > 1}
    exact = sum(Fraction(c) for _, c in clustering) / len(clustering)
    return {"triangle": found, "degree": set(degree.items()), "clustering": clustering, "average": {(float(exact),)}}


def dijkstra(start, legs):
    best, queue = {}, [(0, start)]
    while queue:
        cost, node = heapq.heappop(queue)
        if node not in best:
            best[node] = cost
            for x, y, minutes in legs:
                if x == node:
                    heapq.heappush(queue, (cost + minutes, y))
    return best


def widest(start, limits):
    best, queue = {}, [(-math.inf, start)]
    while queue:
        width, node = heapq.heappop(queue)
        if node not in best:
            best[node] = -width
            for x, y, tons in limits:
                if x == node:
                    heapq.heappush(queue, (max(width, -tons), y))
    return best


def shortest(facts, after):
    legs = {*facts["rail"], *((y, x, m) for x, y, m in facts["rail"])}
    stations = {x for x, _, _ in legs}
    time = {(x, y): m for x in stations for y, m in dijkstra(x, legs).items() if x != y}
    tons = {(x, y, t) for x, _, _ in facts["limit"] for y, t in widest(x, facts["limit"]).items() if x != y}
    first = {(x, z, y) for (x, z), t in time.items() for a, y, m in legs if a == x and m + time.get((y, z), 0) == t}
    first = {(x, z, y) for x, z, y in first if y == z or (y, z) in time}
    farthest = {(x, max(m for (a, _), m in time.items() if a == x)) for x in stations}
    return {"time": {(x, y, m) for (x, y), m in time.items()}, "tons": tons, "first_leg": first, "farthest": farthest}


def simple_paths(facts, after):
    closed = {x for (x,) in facts["closed"]}
    links = [(x, y, c) for x, y, c in facts["link"] if not {x, y} & closed]
    routes = set()

    def walk(path, cost):
        for x, y, c in links:
            if x == path[-1] and y not in path:
                routes.add((path[0], y, (*path, y), cost + c))
                walk((*path, y), cost + c)

    for start in {x for x, _, _ in links}:
        walk((start,), 0)
    best = {}
    for x, y, _, c in routes:
        best[x, y] = min(c, best.get((x, y), c))
    cheapest = {(x, y, p) for x, y, p, c in routes if best[x, y] == c}
    return {"route": routes, "best": cheapest, "via": {(x, y, len(p) - 2) for x, y, p in cheapest}}
