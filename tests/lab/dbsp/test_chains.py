"""Fewest chains beside trying everything, and circuits that keep their facts by chains."""

from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.lab.dbsp import ChainedCircuit, Clause, DatalogCircuit, IncrementalCircuit, IndexedCircuit, Variable, ZSet
from tidelog.lab.dbsp.chained_circuit import Nest
from tidelog.lab.dbsp.chains import fewest_chains
from tidelog.syntax import parse_program

X, Y, Z = Variable("x"), Variable("y"), Variable("z")
SEARCHES = st.sets(st.frozensets(st.integers(0, 3), min_size=1), max_size=7)


def widest(searches):
    """The largest set of searches none of which is within another: as many chains are needed (Dilworth)."""
    for size in range(len(searches), 0, -1):
        for some in combinations(searches, size):
            if not any(a < b or b < a for a, b in combinations(some, 2)):
                return size
    return 0


@given(SEARCHES)
def test_chains_are_as_few_as_searches_that_do_not_fit_into_each_other(searches):
    chains = fewest_chains(searches)
    assert len(chains) == widest(searches)
    assert sorted(map(sorted, (s for chain in chains for s in chain))) == sorted(map(sorted, searches))
    assert all(a < b for chain in chains for a, b in pairwise(chain))


def test_a_nest_forgets_what_goes():
    nest = Nest((frozenset({0}), frozenset({0, 2})))
    nest.put((1, 2, 3), 0, 1)
    nest.put((1, 2, 3), 0, -1)
    assert nest.root == {}


@pytest.mark.parametrize("seed", range(5))
def test_a_nest_finds_what_a_scan_finds(seed):
    rng = Random(seed)
    chain = (frozenset({2}), frozenset({0, 2}), frozenset({0, 1, 2}))
    nest, held = Nest(chain), {}
    for _ in range(200):
        row = tuple(rng.randrange(3) for _ in range(3))
        weight = -held.pop(row) if row in held else held.setdefault(row, 1)
        nest.put(row, 0, weight)
    for depth, search in enumerate(chain, 1):
        for row in held:
            key = tuple(row[column] for column in sorted(search))
            expected = {other for other in held if tuple(other[c] for c in sorted(search)) == key}
            assert {found for found, _ in nest.below(depth, key)} == expected


def test_searches_of_one_chain_share_an_index_and_a_new_rule_nests_anew():
    circuit = ChainedCircuit()
    by_first = Clause(("a", (Y,)), (("start", (X,)), ("e", (X, Y))))
    both = Clause(("b", (X,)), (("start", (X,)), ("goal", (Y,)), ("e", (X, Y))))
    by_second = Clause(("c", (X,)), (("goal", (Y,)), ("e", (X, Y))))
    facts = ZSet.of(("start", (1,)), ("goal", (2,)), ("e", (1, 2)), ("e", (3, 2)))
    circuit.step(ZSet.of(by_first, both), facts)
    assert circuit.indexes == 3, "start, goal, and one for both searches of e"
    out = circuit.step(ZSet.of(by_second), ZSet())
    assert sorted(out) == [("c", (1,)), ("c", (3,))]
    assert circuit.indexes == 4
    assert sorted(circuit.step(ZSet({by_first: -1, both: -1}), ZSet({("e", (1, 2)): -1})).items()) == [
        (("a", (2,)), -1), (("b", (1,)), -1), (("c", (1,)), -1), (("e", (1, 2)), -1),
    ]  # fmt: skip


@pytest.mark.parametrize(("make", "indexes"), [(IncrementalCircuit, 0), (IndexedCircuit, 5), (ChainedCircuit, 5)])
def test_indexes_of_all_levels_are_counted(make, indexes):
    text = "a(Y) :- s(X), e(X, Y).  b(X) :- s(X), e(X, Y), !a(Y)."
    db = DatalogCircuit(parse_program(text), {"s": [(1,)], "e": [(1, 2)]}, make)
    assert db.indexes == indexes
