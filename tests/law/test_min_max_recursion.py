"""Min and max inside recursion against textbook algorithms, after every change of a random graph.

Dijkstra, widest paths, union-find, longest paths of a DAG and a search for least labels are written here once more,
in a few lines each, and share nothing with Tidelog. They notice wrong values, groups that stay or vanish, and ties
handled wrongly. They do not look at counts: those are checked with the naive evaluator in `test_law.py` and at the end
of each run here.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

import pytest

from tests.law.harness import story
from tests.law.share import share
from tidelog.engine.engine import Engine
from tidelog.testing.invariants import violations

Edges = set[tuple[int, int, int]]
CASES = share(60, 2)
NODES = 8

SHORTEST = "d(X, min<C>) :- s(X), C = 0.  d(Y, min<C>) :- d(X,A), e(X,Y,W), C = A + W."
WIDEST = "d(X, max<C>) :- s(X), C = 9.  d(Y, max<C>) :- d(X,A), e(X,Y,W), C = min(A, W)."
LONGEST = "d(X, max<C>) :- s(X), C = 0.  d(Y, max<C>) :- d(X,A), e(X,Y,W), C = A + W."
COMPONENTS = "d(X, min<X>) :- n(X).  d(Y, min<C>) :- d(X,C), e(X,Y,_).  d(X, min<C>) :- d(Y,C), e(X,Y,_)."
LEAST_LABEL = "d(X, min<L>) :- own(X,L).  d(Y, min<L>) :- d(X,L), e(X,Y,_)."


def dijkstra(edges: Edges, sources: set[int]) -> dict[int, int]:
    heap, done = [(0, s) for s in sources], {}
    heapq.heapify(heap)
    while heap:
        cost, node = heapq.heappop(heap)
        if node not in done:
            done[node] = cost
            for x, y, w in edges:
                if x == node:
                    heapq.heappush(heap, (cost + w, y))
    return done


def widest(edges: Edges, sources: set[int]) -> dict[int, int]:
    best = dict.fromkeys(sources, 9)
    while True:
        better = {(y, min(best[x], w)) for x, y, w in edges if x in best and min(best[x], w) > best.get(y, -1)}
        if not better:
            return best
        for y, width in sorted(better):
            best[y] = max(width, best.get(y, -1))


def longest(edges: Edges, sources: set[int]) -> dict[int, int]:
    best = dict.fromkeys(sources, 0)
    for x, y, w in sorted(edges):  # edges go from low to high, so that low nodes are settled first
        if x in best:
            best[y] = max(best.get(y, -(10**9)), best[x] + w)
    return best


def components(edges: Edges, nodes: set[int]) -> dict[int, int]:
    parent = {x: x for x in nodes | {x for x, _, _ in edges} | {y for _, y, _ in edges}}

    def find(x: int) -> int:
        while parent[x] != x:
            x = parent[x]
        return x

    for x, y, _ in edges:
        parent[find(x)] = find(y)
    roots: dict[int, int] = {}
    for x in sorted(nodes):
        roots.setdefault(find(x), x)
    return {x: roots[find(x)] for x in parent if find(x) in roots}


def least_label(edges: Edges, labels: set[tuple[int, str]]) -> dict[int, str]:
    found: dict[int, str] = {}
    for start, label in sorted(labels, key=lambda pair: pair[1]):
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in found:
                found[node] = label
                waiting += [y for x, y, _ in edges if x == node]
    return found


def random_edges(rng: Random, acyclic: bool) -> Iterator[tuple[int, int, int]]:
    """Edges with few weights, zero among them: ties and zero-weight cycles are common."""
    while True:
        x, y = rng.randrange(NODES), rng.randrange(NODES)
        if x != y or not acyclic:
            yield (*((min(x, y), max(x, y)) if acyclic else (x, y)), rng.choice([0, 0, 1, 1, 2, 5]))


def toggles(rng: Random, pool: Iterable[Any], most: int) -> Iterator[set[Any]]:
    """Sets of things whose presence is turned over, one set per epoch."""
    source, seen = iter(pool), []
    while True:
        turned = set()
        for _ in range(rng.choice([1, 1, 2, most])):
            seen.append(next(source) if not seen or rng.random() < 0.5 else rng.choice(seen))
            turned.add(seen[-1])
        yield turned


def turn(db: Engine, relation: str, present: set[Any], turned: set[Any]) -> None:
    with db.epoch() as e:
        e.insert(relation, sorted(turned - present))
        e.delete(relation, sorted(turned & present))
    present ^= turned


def follow(
    rng: Random,
    program: str,
    judge: Callable[[Edges, set[Any]], dict[int, Any]],
    starts: tuple[str, Iterable[Any]],
    acyclic: bool,
) -> None:
    """Edges and starts come and go; after every change the view is what the judge says."""
    db, edges, begin = Engine(program), set[tuple[int, int, int]](), set[Any]()
    changes, relation = toggles(rng, random_edges(rng, acyclic), 12), starts[0]
    begins = toggles(rng, starts[1], 2)
    for _ in range(25):
        if not begin or rng.random() < 0.25:
            turn(db, relation, begin, next(begins))
        else:
            turn(db, "e", edges, next(changes))
        given = begin if relation == "own" else {x for (x,) in begin}
        assert dict(db["d"]) == judge(edges, given)
        assert len(db["d"]) == len(judge(edges, given))
    assert not violations(db.state())


def nodes(rng: Random) -> Iterator[tuple[int]]:
    while True:
        yield (rng.randrange(NODES),)


def labels(rng: Random) -> Iterator[tuple[int, str]]:
    while True:
        yield rng.randrange(NODES), rng.choice(["", "a", "b", "ab", "Z", "ä"])


@pytest.mark.parametrize("seed", range(CASES))
def test_shortest_paths_equal_dijkstra(seed: int) -> None:
    rng = Random(seed)
    follow(rng, SHORTEST, dijkstra, ("s", nodes(rng)), acyclic=False)


@pytest.mark.parametrize("seed", range(CASES))
def test_widest_paths_equal_a_search(seed: int) -> None:
    rng = Random(seed)
    follow(rng, WIDEST, widest, ("s", nodes(rng)), acyclic=False)


@pytest.mark.parametrize("seed", range(CASES))
def test_longest_paths_of_a_dag_equal_a_sweep(seed: int) -> None:
    rng = Random(seed)
    follow(rng, LONGEST, longest, ("s", nodes(rng)), acyclic=True)


@pytest.mark.parametrize("seed", range(CASES))
def test_connected_components_equal_union_find(seed: int) -> None:
    rng = Random(seed)
    follow(rng, COMPONENTS, components, ("n", nodes(rng)), acyclic=False)


@pytest.mark.parametrize("seed", range(CASES))
def test_least_labels_equal_a_search(seed: int) -> None:
    rng = Random(seed)
    follow(rng, LEAST_LABEL, least_label, ("own", labels(rng)), acyclic=False)


def test_zero_weight_cycle_vanishes_with_its_source() -> None:
    told = story(SHORTEST, "+s(0). +e(0,1,0). +e(1,2,0). +e(2,1,0). +e(1,0,0).", "-e(0,1,0).", "+e(0,2,0).", "-s(0).")
    assert len(told[3][1]["d"]) == 0


def test_tie_is_one_more_support() -> None:
    told = story(SHORTEST, "+s(0). +e(0,1,1). +e(0,2,1). +e(1,3,1). +e(2,3,1).", "-e(1,3,1).", "-e(2,3,1).")
    assert not told[1][0].changes["d"]
    assert told[2][0].changes["d"].deleted == [(3, 2)]


def test_several_rules_give_candidates_to_one_group() -> None:
    program = SHORTEST + "  d(Y, min<C>) :- d(X,A), ferry(X,Y), C = A + 3.  d(X, min<C>) :- taxi(X,C)."
    told = story(program, "+s(0). +e(0,1,5). +ferry(0,1).", "+taxi(1,2).", "-taxi(1,2). -ferry(0,1).", "-e(0,1,5).")
    assert [sorted(db_change.changes["d"].inserted) for db_change, _ in told[1:3]] == [[(1, 2)], [(1, 5)]]


def test_two_aggregates_in_one_stratum() -> None:
    program = """
        near(X, min<C>) :- s(X), C = 0.
        near(Y, min<C>) :- far(X,A), e(X,Y,W), C = A + W.
        far(X, min<C>) :- near(X,C).
        far(Y, min<C>) :- far(X,A), f(X,Y,W), C = A + W.
    """
    told = story(
        program, "+s(0). +e(0,1,1). +f(1,2,1). +e(2,0,0). +f(0,2,5).", "-f(1,2,1).", "+f(1,2,1). -f(0,2,5).", "-s(0)."
    )
    assert len(told[3][1]["far"]) == 0


def test_group_that_vanishes_comes_back() -> None:
    told = story(SHORTEST, "+s(0). +e(0,1,4).", "-e(0,1,4).", "+e(0,1,4).", "-e(0,1,4). +e(0,1,3).", "-s(0).", "+s(0).")
    assert sorted(told[5][1]["d"]) == [(0, 0), (1, 3)]


def test_rule_of_a_recursive_minimum_is_removed_and_added() -> None:
    told = story(
        SHORTEST,
        "+s(0). +e(0,1,4). +e(1,2,1).",
        "- r2.",
        "+ r2b: d(Y, min<C>) :- d(X,A), e(X,Y,W), C = A + W.",
        "- r1.",
    )
    assert [len(epoch.changes["d"].deleted) for epoch, _ in told] == [0, 2, 0, 3]
