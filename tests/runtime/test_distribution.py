"""Facts over partitions: a mirrored relation counts once, rows go to their owners, and an epoch makes a new value."""

from __future__ import annotations

import numpy as np

from tidelog.plan.work import EpochWork
from tidelog.rewrite.place.placement import MIRRORED, SINGLE
from tidelog.runtime.base.distribution import Distribution

THREE = Distribution.empty(3).with_places({"by_column": 1, "one": SINGLE, "all": MIRRORED})


def test_mirrored_relation_counts_once() -> None:
    held = THREE.with_sizes([{"by_column": 2, "one": 5, "all": 7}, {"by_column": 3, "all": 7}, {"all": 7}])
    assert [held.live(name) for name in ("by_column", "one", "all", "unknown")] == [5, 5, 7, 0]
    assert held.fact_count == 17


def test_epoch_makes_a_new_value() -> None:
    held = THREE.with_sizes([{"one": 5}, {}, {}])
    assert (THREE.live("one"), held.live("one"), held.with_sizes([{"one": 4}, {}, {}]).live("one")) == (0, 5, 4)


def test_rows_go_to_their_owners() -> None:
    rows = np.array([[1, i] for i in range(20)], np.int64)
    work = EpochWork({}, inserts={"by_column": rows, "one": rows}, deletes={"all": rows}, signed={"all": [(1, rows)]})
    shares = THREE.shares(work)
    assert sorted(row for share in shares for row in share.inserts["by_column"][:, 1]) == list(range(20))
    assert all(0 < len(share.inserts["by_column"]) < 20 for share in shares)
    assert [len(share.inserts["one"]) for share in shares] == [20, 0, 0]
    assert [len(share.deletes["all"]) for share in shares] == [20, 20, 20]
    assert [len(share.signed["all"][0][1]) for share in shares] == [20, 20, 20]
