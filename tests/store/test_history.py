"""History: earlier epochs, change feeds, what is kept and what is removed; repeated input; automatic snapshots."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.disks import MemoryDisk, MemoryStore
from tests.store.stories import EPOCHS, PROGRAM, expected, facts_of
from tidelog import Engine
from tidelog.errors import EngineError, StateError
from tidelog.store.base.frame import Bytes


def grown(path: object, epochs: int, **options: object) -> Engine:
    db = Engine("p(X) :- q(X), !r(X).", path=path, **options)  # type: ignore[arg-type]  # passed through
    for number in range(epochs):
        with db.epoch() as e:
            e.insert("q", [(number,)])
            if number % 3 == 2:
                e.insert("r", [(number - 1,)])
    return db


def test_every_epoch_can_be_read_again(tmp_path: Path) -> None:
    with Engine(PROGRAM, path=tmp_path) as db:
        for change in EPOCHS:
            with db.epoch() as e:
                change(e)
            if db.epoch_number == 3:
                db.snapshot()
    for number, facts in enumerate(expected()[1:], 1):
        assert facts_of(Engine(path=tmp_path, at=number)) == facts
    with pytest.raises(StateError, match="there is no epoch 99; the last epoch is 6"):
        Engine(path=tmp_path, at=99)


def test_changes_since_an_epoch_go_on_where_the_last_reader_stopped(tmp_path: Path) -> None:
    with grown(tmp_path, 6) as db:
        first = db.changes("p", since=0)
        seen = max(change.epoch for change in first)
        with db.epoch() as e:
            e.insert("q", [(50,)])
    with Engine(path=tmp_path) as again:
        assert again.changes("p", since=0)[: len(first)] == first
        assert again.changes("p", since=seen) == [(8, 1, (50,))]
        assert [c for c in first if c.sign < 0] == [(4, -1, (1,)), (7, -1, (4,))]


def test_symbols_lists_and_floats_come_back_in_the_feed(tmp_path: Path) -> None:
    row = ("a\ud800b", (1, (2.5, "c"), ()), -0.5, 2**64 - 1)
    with Engine(path=tmp_path) as db, db.epoch() as e:
        e.insert("p", [row])
    with Engine(path=tmp_path) as db:
        assert db.changes("p") == [(1, 1, row)]
        assert list(db["p"]) == [row]
        with db.epoch() as e:
            e.delete("p", [row])
        assert db.changes("p", since=1) == [(2, -1, row)]


def test_an_engine_in_memory_keeps_no_history() -> None:
    db = Engine("p(1).")
    for ask in (lambda: db.changes("p"), db.log, db.snapshot):
        with pytest.raises(EngineError, match="needs a state folder"):
            ask()
    with pytest.raises(EngineError, match="pass its `path`, too"):
        Engine(at=1)


def test_snapshots_are_taken_when_the_log_outgrows_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.store.folder.durable.MARGIN", 3000)
    disk = MemoryDisk()
    db = grown(MemoryStore(disk), 20)
    taken = disk.names("snapshots")
    assert 2 <= len(taken) <= 12
    assert facts_of(Engine(path=MemoryStore(disk), at=-1)) == facts_of(db)


def test_old_files_are_removed_only_when_no_kept_epoch_needs_them() -> None:
    disk = MemoryDisk()
    db = grown(MemoryStore(disk), 5, history=4)
    states = {db.epoch_number: facts_of(db)}
    for number in range(6, 30):
        with db.epoch() as e:
            e.insert("q", [(number,)])
        states[db.epoch_number] = facts_of(db)
        if number % 2:
            db.snapshot()
        for back in range(min(4, len(states))):
            wanted = db.epoch_number - back
            assert facts_of(Engine(path=MemoryStore(disk), at=wanted)) == states[wanted]
            assert all(change.epoch > wanted for change in db.changes("p", since=wanted))
    assert len(disk.names("snapshots")) <= 6
    assert disk.names("log")[0] > "000000000010"
    with pytest.raises(StateError, match=r"epoch 3 is no longer kept; the oldest available epoch is \d+") as failed:
        Engine(path=MemoryStore(disk), at=3)
    assert failed.value.code == "TL5118"
    with pytest.raises(
        StateError,
        match=r"the changes since epoch 3 are no longer kept; the oldest available are those since epoch \d+",
    ) as failed:
        db.changes("p", since=3)
    assert failed.value.code == "TL5103"


def test_unlimited_history_keeps_every_epoch() -> None:
    disk = MemoryDisk()
    db = grown(MemoryStore(disk), 3, history=None)
    for number in range(10, 20):
        with db.epoch() as e:
            e.insert("q", [(number,)])
        db.snapshot()
    assert len(disk.names("snapshots")) == 3  # the first, and two in case one is damaged
    assert len(db.changes("q")) == 13
    assert len(Engine(path=MemoryStore(disk), at=2)["q"]) == 1


def test_input_that_was_committed_is_not_applied_again(tmp_path: Path) -> None:
    with Engine("p(X) :- q(X).", path=tmp_path) as db:
        for offset in (16, 17):
            with db.epoch(source="orders", offset=offset) as e:
                e.insert("q", [(offset,)])
        with db.epoch() as e:
            e.delete("q", [(17,)])
        db.snapshot()
    with Engine(path=tmp_path) as db:
        with db.epoch(source="orders", offset=17) as e:
            e.insert("q", [(17,)])
        assert e.number is None
        assert db.epoch_number == 4
        with db.epoch(source="returns", offset=17) as e:
            e.insert("q", [(99,)])
        with db.epoch(source="orders", offset=18):
            pass
        assert sorted(db["p"]) == [(16,), (99,)]
        assert [(entry.source, entry.offset) for entry in db.log()][-2:] == [("returns", 17), ("orders", 18)]
        with pytest.raises(EngineError, match="a source and an offset, or neither"):
            db.epoch(source="orders")


def test_author_and_note_of_an_epoch_are_kept(tmp_path: Path) -> None:
    with Engine("p(X) :- q(X).", path=tmp_path) as db:
        with db.epoch(author="ann", note="the first\nrows") as e:
            e.insert("q", [(1,)])
        with db.epoch(source="orders", offset=1, author="bob") as e:
            e.insert("q", [(2,)])
        with pytest.raises(EngineError, match="`author` must be the name of the author, or None, not 3"):
            db.epoch(author=3)  # type: ignore[arg-type]  # what is refused
    with Engine(path=tmp_path) as db:
        told = [(entry.author, entry.note, entry.source) for entry in db.log()]
    assert told == [(None, None, None), ("ann", "the first\nrows", None), ("bob", None, "orders")]


def test_input_is_recognised_without_a_state_folder_too() -> None:
    db = Engine()
    for _ in range(2):
        with db.epoch(source="orders", offset=1) as e:
            e.insert("q", [(1,)])
    assert db.epoch_number == 1


class Meddled(MemoryStore):
    """A disk on which a writer is busy while a reader reads its first snapshot."""

    def __init__(self, disk: MemoryDisk, meddle: Callable[[], None]) -> None:
        super().__init__(disk)
        self._meddle: Callable[[], None] | None = meddle

    def read(self, name: str) -> Bytes:
        content = super().read(name)
        if self._meddle is not None and name.startswith("snapshots/"):
            meddle, self._meddle = self._meddle, None
            meddle()
        return content


def test_a_reader_overtaken_by_snapshots_and_removals_starts_over() -> None:
    disk = MemoryDisk()
    db = grown(MemoryStore(disk), 3, history=0)
    db.snapshot()

    def meddle() -> None:
        for number in range(10, 14):
            with db.epoch() as e:
                e.insert("q", [(number,)])
            db.snapshot()

    reader = Engine(path=Meddled(disk, meddle), at=-1)
    assert facts_of(reader) == facts_of(db)
