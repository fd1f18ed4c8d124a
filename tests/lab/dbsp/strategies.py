"""Random Z-sets, streams and programs for the laws of the calculus; small on purpose, so that elements meet."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from tidelog.lab.dbsp import INTEGERS, ZSETS, Clause, IndexedZSet, Stream, Variable, ZSet, index, streams

LAW = settings(max_examples=30, deadline=None)
HORIZON = 5

integers = st.integers(-5, 5)
weights = st.integers(-2, 2)
pairs = st.tuples(st.integers(0, 2), st.integers(0, 2))
zsets = st.dictionaries(pairs, weights, max_size=5).map(ZSet)
sets = st.sets(pairs, max_size=5).map(lambda elements: ZSet.of(*elements))
integer_streams = st.lists(integers, max_size=HORIZON).map(lambda values: Stream.of(INTEGERS, values))
zset_streams = st.lists(zsets, max_size=4).map(lambda values: Stream.of(ZSETS, values))
nested_values = st.lists(st.lists(zsets, max_size=3), max_size=3)

NODES = st.integers(0, 2)
ARITIES = {"p": 2, "q": 2, "r": 1}


def first(pair: tuple[int, int]) -> int:
    return pair[0]


def indexed_zsets() -> st.SearchStrategy[IndexedZSet]:
    return zsets.map(lambda z: index(z, first))


def nested_stream(rows: list[list[ZSet]]) -> Stream[Stream[ZSet]]:
    return Stream.of(streams(ZSETS), [Stream.of(ZSETS, row) for row in rows])


@st.composite
def atoms(draw: st.DrawFn, terms: st.SearchStrategy) -> tuple:
    predicate = draw(st.sampled_from(sorted(ARITIES)))
    return predicate, tuple(draw(terms) for _ in range(ARITIES[predicate]))


facts = atoms(NODES)


@st.composite
def clauses(draw: st.DrawFn) -> Clause:
    """A safe clause of up to three body atoms with constants, repeated variables and recursion of every kind."""
    names = st.sampled_from("xyz").map(Variable)
    body = tuple(draw(st.lists(atoms(st.one_of(names, names, NODES)), max_size=3)))
    bound = sorted({t.name for _, terms in body for t in terms if isinstance(t, Variable)})
    head_terms = st.one_of(st.sampled_from(bound).map(Variable), NODES) if bound else NODES
    return Clause(draw(atoms(head_terms)), body)


@st.composite
def histories(draw: st.DrawFn, signed: bool = True) -> list[tuple[ZSet, ZSet]]:
    """Changes of rules and facts, each a flip of what is present (or only additions)."""
    steps, rules, present = [], ZSet(), ZSet()
    for _ in range(draw(st.integers(1, 5))):
        flips = draw(st.sets(clauses(), max_size=2)), draw(st.sets(facts, max_size=4))
        change = [_flips(chosen, old, signed) for chosen, old in zip(flips, (rules, present), strict=True)]
        rules, present = rules + change[0], present + change[1]
        steps.append((change[0], change[1]))
    return steps


def _flips(chosen: set, present: ZSet, signed: bool) -> ZSet:
    return ZSet({x: -1 if x in present else 1 for x in chosen if signed or x not in present})
