"""Containment of paths against brute force: words of the inner path as lines, and random graphs."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from tidelog.program import PathAtom
from tidelog.program.graph.path_containment import is_contained
from tidelog.program.values.path import Alternative, Inverse, Label, Path, Repeat, Sequence
from tidelog.syntax import parse_rule

Pairs = frozenset[tuple[int, int]]
Graph = dict[str, Pairs]
LETTERS = [(name, backwards) for name in "ab" for backwards in (False, True)]


def path(text: str) -> Path:
    (atom,) = parse_rule(f"p(X, Y) :- ({text})(X, Y).").body
    assert isinstance(atom, PathAtom)
    return atom.path


def nodes(graph: Graph) -> set[int]:
    return {node for pairs in graph.values() for pair in pairs for node in pair}


def named(path: Path) -> set[str]:
    match path:
        case Label(relation=name):
            return {name}
        case Inverse(path=inner) | Repeat(path=inner):
            return named(inner)
    return set().union(*map(named, path.parts))


def joined(path: Path, graph: Graph) -> Pairs:
    """The pairs of a path, by the definition: the empty path at the nodes of the labels of the whole expression."""
    inside = walked(path, graph)
    ends = {node for name in named(path) for pair in graph.get(name, ()) for node in pair}
    return frozenset((x, y) for x, y in inside if x != y or x in ends)


def walked(path: Path, graph: Graph) -> Pairs:
    here = frozenset((node, node) for node in nodes(graph))
    match path:
        case Label(relation=name):
            return graph.get(name, frozenset())
        case Inverse(path=inner):
            return frozenset((y, x) for x, y in walked(inner, graph))
        case Sequence(parts=parts):
            found = here
            for part in parts:
                found = composed(found, walked(part, graph))
            return found
        case Alternative(parts=parts):
            return frozenset().union(*(walked(part, graph) for part in parts))
        case Repeat(path=inner, least=least, most=most):
            once, found = walked(inner, graph), here
            for _ in range(least):
                found = composed(found, once)
            for _ in range(most - least if most is not None else len(here) ** 2):
                more = found | composed(found, once)
                if more == found:
                    break
                found = more
            return found
    raise AssertionError(path)


def composed(left: Pairs, right: Pairs) -> Pairs:
    return frozenset((x, z) for x, y in left for other, z in right if y == other)


def random_path(rng: Random, depth: int) -> Path:
    kind = rng.choice("llisaar") if depth else "l"
    if kind == "l":
        return Label(rng.choice("ab"))
    if kind == "i":
        return Inverse(random_path(rng, depth - 1))
    if kind == "r":
        return Repeat(random_path(rng, depth - 1), *rng.choice([(0, None), (1, None), (0, 1), (1, 2), (2, None)]))
    parts = tuple(random_path(rng, depth - 1) for _ in range(2))
    return Sequence(parts) if kind == "s" else Alternative(parts)


def line(word: tuple[tuple[str, bool], ...]) -> Graph:
    """A line from 0 to the length of the word; its ends are joined by the word."""
    graph: dict[str, set[tuple[int, int]]] = {"a": set(), "b": set()}
    for at, (name, backwards) in enumerate(word):
        graph[name].add((at + 1, at) if backwards else (at, at + 1))
    return {name: frozenset(pairs) for name, pairs in graph.items()}


LINES = [line(word) for length in range(1, 5) for word in product(LETTERS, repeat=length)]


def random_graph(rng: Random) -> Graph:
    return {name: frozenset((rng.randrange(4), rng.randrange(4)) for _ in range(rng.randint(0, 5))) for name in "ab"}


def test_containment_is_that_of_brute_force() -> None:
    rng, verdicts = Random(3), {True: 0, False: 0}
    graphs = [random_graph(rng) for _ in range(60)]
    for _ in range(1000):
        inner, outer = random_path(rng, 2), random_path(rng, 2)
        found = is_contained(inner, outer)
        assert found is not None
        verdicts[found] += 1
        holds = all(joined(inner, graph) <= joined(outer, graph) for graph in (LINES if not found else graphs + LINES))
        assert holds == found, (inner, outer)
    assert min(verdicts.values()) > 100, verdicts


@pytest.mark.parametrize(
    ("inner", "outer", "found"),
    [
        ("a", "a+", True),
        ("a+", "a", False),
        ("a/b", "(a|b)+", True),
        ("(a|b)*", "(a*/b*)*", True),
        ("a{2,4}", "a+", True),
        ("a+", "a{1,49}", False),
        ("a", "a/^a/a", True),
        ("a/^a/a", "a", False),
        ("^(a/b)", "^b/^a", True),
        ("a?", "a|a/^a|^a/a", True),
        ("a?", "a|a/^a", False),
        ("b?", "(a|b)*", True),
        ("(a|b)?", "a*|b", True),
        ("(a|b)?", "a*", False),
        ("a & b", "a", None),
        ("a{1,51}", "a+", None),
    ],
)
def test_cases(inner: str, outer: str, found: bool | None) -> None:
    assert is_contained(path(inner), path(outer)) is found


@pytest.mark.parametrize(("places", "found"), [(5, True), (12, None)])
def test_too_many_states_are_not_decided(places: int, found: bool | None) -> None:
    """Every long word has an a or a b at a place counted from its end."""
    rest = "/".join(["(a|b)"] * places)
    outer = f"(a|b)*/a/{rest} | (a|b)*/b/{rest} | (a|b){{1,{places}}}"
    assert is_contained(path("(a|b)+"), path(outer)) is found
