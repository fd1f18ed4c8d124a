"""Counted keys: exact for few rows, close for many, and counted again only when a relation has changed its size."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.partition.memory import statistics
from tidelog.partition.memory.statistics import Statistics, count_keys


@pytest.mark.parametrize("rows", [1, 100, 3_000, 20_000, 200_000])
@pytest.mark.parametrize("values", [1, 30, 2_000, 10**6])
def test_distinct_keys_are_close_to_the_truth(rows: int, values: int) -> None:
    cells = np.random.default_rng(rows + values).integers(0, values, (rows, 2))
    for columns in ((0,), (0, 1)):
        true = len(np.unique(cells[:, columns], axis=0))
        assert count_keys(cells, columns).distinct == pytest.approx(true, rel=0.15, abs=1)


def test_heavy_keys_make_chains_longer_than_the_average() -> None:
    even = np.arange(40_000)[:, None] % 2_000
    skewed = even.copy()
    skewed[:10_000] = 7  # a quarter of all rows has one key
    assert count_keys(even, (0,)).chain == pytest.approx(20, rel=0.1)
    assert count_keys(skewed, (0,)).chain > 150


def test_empty_relation_has_no_chains() -> None:
    assert count_keys(np.zeros((0, 2), np.int64), (0,)).chain == 0


def test_keys_are_counted_again_when_the_size_has_changed_by_a_factor() -> None:
    db = Engine("p(X) :- e(X, _).")
    known = Statistics(core_of(db).runtime.node.partition.relations)
    with patch.object(statistics, "count_keys", side_effect=count_keys) as counted:
        for rows, times in ((100, 1), (150, 1), (1000, 2), (1500, 2), (100, 3)):
            with db.epoch() as e:
                e.delete("e", [(i, 0) for i in range(2000)])
            with db.epoch() as e:
                e.insert("e", [(i, 0) for i in range(rows)])
            assert known.keys("e", (1,)).chain >= 100
            assert counted.call_count == times


def test_freed_records_are_not_counted() -> None:
    db = Engine("p(X) :- e(X, _).")
    with db.epoch() as e:
        e.insert("e", [(i, i) for i in range(100)])
    with db.epoch() as e:
        e.delete("e", [(i, i) for i in range(90)])
    assert Statistics(core_of(db).runtime.node.partition.relations).keys("e", (0,)).distinct == 10


def test_relations_of_the_own_stratum_are_expected_to_grow() -> None:
    db = Engine("p(X, X) :- e(X, _).")
    with db.epoch() as e:
        e.insert("e", [(1, 1)])
    known = Statistics(core_of(db).runtime.node.partition.relations)
    assert known.seen_from({"p"}).matching("p", 2, ()) == statistics.GROWING
    assert known.seen_from({"p"}).matching("e", 2, ()) == 1
    assert known.seen_from(()).matching("p", 2, ()) == 1
