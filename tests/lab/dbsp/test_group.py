"""Group laws for every group of the package. What it cannot notice: a law that fails beyond the compared prefix."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog.lab.dbsp import INDEXED_ZSETS, INTEGERS, ZSETS, IndexedZSet, ZSet, flatten, index, product_group, streams

from .strategies import HORIZON, LAW, first, indexed_zsets, integer_streams, integers, zset_streams, zsets

GROUPS = {
    "integers": (INTEGERS, integers, lambda v: v),
    "pairs": (product_group(INTEGERS, ZSETS), st.tuples(integers, zsets), lambda v: v),
    "zsets": (ZSETS, zsets, lambda v: v),
    "indexed": (INDEXED_ZSETS, indexed_zsets(), lambda v: v),
    "integer streams": (streams(INTEGERS), integer_streams, lambda s: s.prefix(HORIZON)),
    "zset streams": (streams(ZSETS), zset_streams, lambda s: s.prefix(HORIZON)),
}


@pytest.mark.parametrize("name", GROUPS)
@LAW
@given(data=st.data())
def test_addition_is_an_abelian_group(name, data):
    group, values, seen = GROUPS[name]
    a, b, c = (data.draw(values) for _ in range(3))
    assert seen(group.add(a, group.zero)) == seen(a)
    assert seen(group.add(a, b)) == seen(group.add(b, a))
    assert seen(group.add(group.add(a, b), c)) == seen(group.add(a, group.add(b, c)))
    assert seen(group.add(a, group.negate(a))) == seen(group.zero)
    assert seen(group.subtract(a, b)) == seen(group.add(a, group.negate(b)))


@LAW
@given(zsets, zsets)
def test_indexing_is_linear_and_flatten_undoes_it(a, b):
    assert flatten(index(a, first)) == a
    assert index(a + b, first) == index(a, first) + index(b, first)
    assert index(a - a, first) == IndexedZSet()


def test_zsets_are_values():
    assert ZSet({"a": 1}) != {"a": 1}
    assert len({ZSet.of("a", "b"), ZSet.of("b", "a")}) == 1
    assert list(ZSet.of("a")) == ["a"]
    assert "a" in ZSet.of("a")
    assert repr(ZSet.of("a")) == "ZSet({'a': 1})"


def test_indexed_zsets_are_values():
    one = index(ZSet.of((1, 2)), first)
    assert len({one, index(ZSet.of((1, 2)), first)}) == 1
    assert len(one) == 1
    assert one != 1
    assert one[7] == ZSet()
    assert repr(one) == "IndexedZSet({1: ZSet({(1, 2): 1})})"
