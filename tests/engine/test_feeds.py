"""The change feed of a view in a folder: every epoch once, also after a failure and a restart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import EngineError, StateError, StateWarning
from tidelog.io.feed import FolderFeed
from tidelog.spark.streams import check_checkpoint
from tidelog.spark.table_feed import TableFeed

REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z)."


def told(folder: Path) -> list[tuple[int, ...]]:
    """All rows of a feed: columns, change, epoch."""
    found = ds.dataset(str(folder), format="parquet", partitioning="hive").to_table()
    return sorted(tuple(row.values()) for row in found.to_pylist())


def insert(db: Engine, *edges: tuple[int, int]) -> None:
    with db.epoch() as e:
        e.insert("edge", edges)


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
    with Engine(path=tmp_path / "state") as db, db.epoch() as e:  # no one feeds
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
        with pytest.warns(StateWarning, match="epoch 2 was committed, but the feed"), db.epoch() as e:
            e.insert("edge", [(1, 2)])
        feed.unlink()
        with db.epoch() as e:
            e.insert("edge", [(2, 3)])
        assert told(feed) == [(1, 2, 1, 2), (1, 3, 1, 3), (2, 3, 1, 3)]


@pytest.mark.parametrize("kept", [False, True])
def test_a_feed_that_fails_in_an_unexpected_way_leaves_the_epoch_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, kept: bool
) -> None:
    feeds = [tmp_path / "one", tmp_path / "two"]
    heard: list[int | None] = []

    def fail(*_: object) -> None:
        raise ValueError("no feed today")

    with Engine(REACH, path=tmp_path / "state" if kept else None) as db:
        for feed in feeds:
            db.write_feed("reach", folder=str(feed))
        core_of(db).listeners.append(lambda epoch: heard.append(epoch.number))
        with monkeypatch.context() as patched:
            patched.setattr("tidelog.io.feed.FolderFeed.put", fail)
            with pytest.warns(StateWarning, match="the feed of `reach` failed: ValueError: no feed today") as caught:
                insert(db, (1, 2))
        assert len(caught) == len([record for record in caplog.records if record.exc_info]) == 2
        with monkeypatch.context() as patched:  # warnings are errors: that is all that is raised, and it is raised last
            patched.setattr("tidelog.io.feed.FolderFeed.put", fail)
            with pytest.raises(StateWarning, match="epoch 3 was committed"):
                insert(db, (2, 3))
        assert (heard, sorted(db["reach"]), db.epoch_number) == ([2, 3], [(1, 2), (1, 3), (2, 3)], 3)
        insert(db, (3, 4))
        assert told(feeds[0]) == told(feeds[1])
        assert {row[-1] for row in told(feeds[0])} == {2, 3, 4}


def test_a_feed_without_a_history_misses_no_epoch_either(tmp_path: Path) -> None:
    feed = tmp_path / "feed"
    with Engine(REACH) as db:
        db.write_feed("reach", folder=str(feed))
        feed.write_text("in the way")
        for edge in ((1, 2), (2, 3)):
            with pytest.warns(StateWarning, match="was committed, but the feed"), db.epoch() as e:
                e.insert("edge", [edge])
        feed.unlink()
        with db.epoch() as e:
            e.delete("edge", [(1, 2)])
        with db.epoch() as e:
            e.insert("edge", [(3, 4)])
    assert told(feed) == [
        (1, 2, -1, 4),
        (1, 2, 1, 2),
        (1, 3, -1, 4),
        (1, 3, 1, 3),
        (2, 3, 1, 3),
        (2, 4, 1, 5),
        (3, 4, 1, 5),
    ]


def test_a_feed_needs_one_place(tmp_path: Path) -> None:
    db = Engine(REACH)
    with pytest.raises(EngineError, match="needs exactly one of `folder`, `table` and `topic`"):
        db.write_feed("reach")
    with pytest.raises(EngineError, match="unknown relation"):
        db.write_feed("reech", folder=str(tmp_path))
    with pytest.raises(StateError, match=r"nowhere://feed: .*; use a local folder or a URI that Arrow supports"):
        db.write_feed("reach", folder="nowhere://feed")


def test_a_feed_of_another_state_is_refused(tmp_path: Path) -> None:
    for state, epochs in (("one", 3), ("two", 1)):
        with Engine(REACH, path=tmp_path / state) as db:
            for n in range(epochs):
                insert(db, (n, n + 1))
            if state == "one":
                db.write_feed("reach", folder=tmp_path / "feed")
                continue
            with pytest.raises(StateError, match="contains epoch 4, but the state folder is at epoch 2") as refused:
                db.write_feed("reach", folder=tmp_path / "feed")
            assert refused.value.code == "TL5203"


def test_a_topic_needs_a_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.engine.write.feeds.session_or_active", lambda session: None)
    with Engine(REACH) as db, pytest.raises(EngineError, match="a feed to a topic needs a state folder"):
        db.write_feed("reach", topic="reach")


@pytest.mark.parametrize(
    "given", [{"merge": True}, {"folder": "f", "topic": "t"}, {"options": {"a": "b"}, "folder": "f"}]
)
def test_targets_of_feeds_do_not_mix(given: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as refused:
        Engine(REACH).write_feed("reach", **given)
    assert refused.value.code == "TL4057"


def test_half_an_epoch_of_a_feed_is_removed(tmp_path: Path) -> None:
    def write(folder: str) -> list[dict[str, str]]:
        Path(folder, "part-0.parquet").write_text("half")
        raise OSError("no space left")

    with pytest.raises(StateError, match="was not written: no space left") as told:
        FolderFeed("reach", str(tmp_path)).put(2, write, None)  # type: ignore[arg-type]  # a folder needs no frame
    assert told.value.code == "TL5002"
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_spark_does_not_write_is_told_as_the_feed_that_it_is() -> None:
    @contextmanager
    def frame() -> Iterator[None]:
        raise RuntimeError("[TABLE_OR_VIEW_NOT_FOUND] no such table\n\tat org.apache.spark")
        yield

    feed = TableFeed("reach", "told", None)  # type: ignore[arg-type]  # the session is not reached
    with pytest.raises(
        StateError, match=r"the feed of `reach` in table told was not written: \[TABLE.* table$"
    ) as told:
        feed.put(2, lambda folder: [], frame)  # type: ignore[arg-type]  # as a DataFrame that Spark refuses
    assert told.value.code == "TL5201"


@pytest.mark.parametrize("as_uri", [False, True])
def test_a_checkpoint_that_is_ahead_of_the_state_or_new_is_refused(tmp_path: Path, as_uri: bool) -> None:
    checkpoint = tmp_path.as_uri() if as_uri else str(tmp_path)
    check_checkpoint("clicks", checkpoint, None)
    with pytest.raises(EngineError, match="is new") as new:
        check_checkpoint("clicks", checkpoint, 4)
    assert new.value.code == "TL4703"
    for kind, batches in (("offsets", range(7)), ("commits", range(6))):
        (tmp_path / kind).mkdir()
        for batch in batches:
            (tmp_path / kind / str(batch)).touch()
    check_checkpoint("clicks", checkpoint, 5)
    with pytest.raises(
        EngineError, match="is at batch 5, but the state contains the stream `clicks` only up to 4"
    ) as ahead:
        check_checkpoint("clicks", checkpoint, 4)
    assert ahead.value.code == "TL4704"


def test_a_checkpoint_that_cannot_be_looked_at_is_warned_of() -> None:
    with pytest.warns(StateWarning, match="make sure that it belongs to this state folder"):
        check_checkpoint("clicks", "nowhere://bucket/checkpoint", None)


def test_a_feed_keeps_its_names_when_a_rule_gives_others(tmp_path: Path) -> None:
    feed, state = tmp_path / "feed", tmp_path / "state"
    with Engine("first: p(X) :- q(X).", path=state) as db:
        db.write_feed("p", folder=str(feed))
        with db.epoch() as e:
            e.insert("q", [(1,)])
        with db.epoch() as e:
            e.remove_rule("first")
            e.add_rule("p(Y + 1) :- q(Y).")
    with Engine(path=state) as db:
        db.write_feed("p", folder=str(feed))
        assert db["p"].columns == ("c1",)
        with db.epoch() as e:
            e.insert("q", [(2,)])
    for part in feed.iterdir():
        assert ds.dataset(str(part), format="parquet").schema.names == ["X", "change"]
