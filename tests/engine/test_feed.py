"""The change feed of a view in a folder: every epoch once, also after a failure and a restart."""

from __future__ import annotations

from pathlib import Path

import pyarrow.dataset as ds
import pytest

from tidelog import Engine
from tidelog.errors import EngineError, StateWarning

REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z)."


def told(folder: Path) -> list[tuple[int, ...]]:
    """All rows of a feed: columns, change, epoch."""
    found = ds.dataset(str(folder), format="parquet", partitioning="hive").to_table()
    return sorted(tuple(row.values()) for row in found.to_pylist())


def test_every_epoch_that_changes_the_view_is_written_once(tmp_path: Path) -> None:
    db = Engine(REACH)
    db.write_feed("reach", folder=str(tmp_path / "feed"))
    with db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 3)])
    with db.epoch() as e:
        e.insert("other", [(1,)])
    with db.epoch() as e:
        e.delete("edge", [(2, 3)])
    assert told(tmp_path / "feed") == [(1, 2, 1, 2), (1, 3, -1, 4), (1, 3, 1, 2), (2, 3, -1, 4), (2, 3, 1, 2)]


def test_what_was_missed_is_written_from_the_history(tmp_path: Path) -> None:
    feed = tmp_path / "feed"
    with Engine(REACH, path=tmp_path / "state") as db:
        db.write_feed("reach", folder=str(feed))
        with db.epoch() as e:
            e.insert("edge", [(1, 2)])
    with Engine(path=tmp_path / "state") as db, db.epoch() as e:  # nobody feeds
        e.insert("edge", [(2, 3)])
    with Engine(path=tmp_path / "state") as db:
        db.write_feed("reach", folder=str(feed))
        assert told(feed) == [(1, 2, 1, 2), (1, 3, 1, 3), (2, 3, 1, 3)]
        with db.epoch() as e:
            e.delete("edge", [(1, 2)])
    assert told(feed)[-1] == (2, 3, 1, 3)
    assert len(told(feed)) == 5


def test_a_feed_that_cannot_be_written_is_caught_up_later(tmp_path: Path) -> None:
    feed = tmp_path / "feed"
    with Engine(REACH, path=tmp_path / "state") as db:
        db.write_feed("reach", folder=str(feed))
        feed.write_text("in the way")
        with pytest.warns(StateWarning, match="epoch 2 is committed, but the feed"), db.epoch() as e:
            e.insert("edge", [(1, 2)])
        feed.unlink()
        with db.epoch() as e:
            e.insert("edge", [(2, 3)])
        assert told(feed) == [(1, 2, 1, 2), (1, 3, 1, 3), (2, 3, 1, 3)]


def test_a_feed_needs_one_place(tmp_path: Path) -> None:
    db = Engine(REACH)
    with pytest.raises(EngineError, match="give one of `folder` and `table`"):
        db.write_feed("reach")
    with pytest.raises(EngineError, match="unknown relation"):
        db.write_feed("reech", folder=str(tmp_path))
