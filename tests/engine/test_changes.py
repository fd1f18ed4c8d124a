"""What an epoch tells of its changes: rows with the values that they had.

Cannot notice: a feed of a column whose type changes from one known type to another, which one file cannot hold.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tidelog import Engine

MEANS = "L1: a(X, mean<Y>) :- q(X, Y)."


def means(partitions: int = 1, path: Path | None = None) -> Engine:
    db = Engine(MEANS, partitions=partitions, path=path)
    with db.epoch() as e:
        e.insert("q", [(1, 2), (1, 3)])
    return db


@pytest.mark.parametrize("partitions", [1, 3])
def test_changes_show_a_float_after_the_rule_that_typed_it_has_gone(partitions: int) -> None:
    db = means(partitions)
    epoch = db.epoch()
    epoch.remove_rule("L1")
    epoch.add_rule("z(X) :- a(X, _).")
    db.preview(epoch)
    assert list(epoch.changes["a"].deleted) == [(1, 2.5)]
    epoch.commit()
    assert list(epoch.changes["a"].deleted) == [(1, 2.5)]
    assert epoch.changes["a"].deleted.to_arrow().to_pylist() == [{"c1": 1, "c2": 2.5}]
    assert list(epoch.changes["a"].inserted) == list(db["a"]) == []


@pytest.mark.parametrize("partitions", [1, 3])
def test_changes_tell_both_types_of_a_column_whose_type_changes(partitions: int) -> None:
    db = means(partitions)
    with db.epoch() as e:
        e.remove_rule("L1")
        e.add_rule("a(X, count<Y>) :- q(X, Y).")
    assert list(e.changes["a"].deleted) == [(1, 2.5)]
    assert repr(list(e.changes["a"].inserted)) == repr(list(db["a"])) == "[(1, 2)]"


@pytest.mark.parametrize("partitions", [1, 3])
def test_history_and_feeds_show_a_float_after_the_rule_that_typed_it_has_gone(tmp_path: Path, partitions: int) -> None:
    db = means(partitions, tmp_path / "state")
    db.write_feed("a", folder=str(tmp_path / "feed"))
    with db.epoch() as e:
        e.remove_rule("L1")
        e.add_rule("z(X) :- a(X, _).")
    told = [(2, 1, (1, 2.5)), (3, -1, (1, 2.5))]
    assert [tuple(change) for change in db.changes("a")] == told
    db.write_feed("a", folder=str(tmp_path / "late"))
    for folder in ("feed", "late"):
        rows = pq.read_table(tmp_path / folder).to_pylist()
        assert [(row["epoch"], row["change"], (row["c1"], row["c2"])) for row in rows] == told
    db.close()
    with Engine(path=tmp_path / "state") as again:
        assert [tuple(change) for change in again.changes("a")] == told
    with Engine(path=tmp_path / "state") as again:
        with again.epoch() as e:
            e.remove_rule("r1")
        assert "a" not in again.relations
