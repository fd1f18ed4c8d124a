"""One writer, many readers (D20), and a writer that is killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.store import load
from tidelog import Engine
from tidelog.errors import EngineError, StateError, StateWarning
from tidelog.testing.invariants import violations

KILLS = int(os.environ.get("TIDELOG_KILLS", "12"))
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.store.load"])


class Writer:
    """Another process that has a state open."""

    def __init__(self, work: Callable[[str, int, Connection], None], folder: Path, seed: int) -> None:
        self._here, there = SERVER.Pipe()
        self._process = SERVER.Process(target=work, args=(str(folder), seed, there), daemon=True)
        self._process.start()
        there.close()
        self.told: list[tuple[str, int]] = []

    @property
    def number(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def wait_for(self, what: str, number: int = 0) -> None:
        """Wait until the process has printed something about this epoch or a later one."""
        while not any(told == what and n >= number for told, n in self.told):
            self.told.append(self._here.recv())

    def kill(self) -> None:
        """Kill it, and read what it printed until then."""
        self._process.kill()
        self._process.join()
        try:
            while self._here.poll():
                self.told.append(self._here.recv())
        except EOFError:
            pass
        self._here.close()

    def last(self, what: str) -> int:
        """The last epoch for which this was printed."""
        return max((n for told, n in self.told if told == what), default=0)


@contextmanager
def writer(work: Callable[[str, int, Connection], None], folder: Path, seed: int = 0) -> Iterator[Writer]:
    process = Writer(work, folder, seed)
    try:
        yield process
    finally:
        process.kill()


def test_a_second_writer_of_one_process_is_told_to_close_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with Engine("p(1).", path=folder):
        with pytest.raises(StateError, match=r"this process opened the state at .* with `db\.close\(\)`"):
            Engine(path=folder)
        assert list(Engine(path=folder, at=-1)["p"]) == [(1,)]
    Engine(path=folder).close()


def test_the_lock_of_a_dead_process_is_no_lock(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    Engine("p(1).", path=folder).close()
    with writer(load.hold, folder) as holder:
        holder.wait_for("open")
        wanted = (
            f"another writer has this state open: process {holder.number} of .* since .*; wait until it has finished"
        )
        with pytest.raises(StateError, match=wanted):
            Engine(path=folder)
    assert json.loads((folder / "lock").read_text())["process"] == holder.number
    with Engine(path=folder) as db:
        assert list(db["p"]) == [(1,)]


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("snapshot", [False, True])
def test_a_writer_that_finds_epochs_of_another_one_refuses_to_write(
    snapshot: bool, partitions: int, tmp_path: Path
) -> None:
    one = Engine("p(X) :- q(X).", path=tmp_path, partitions=partitions)
    with one.epoch() as e:
        e.insert("q", [(1,)])
    (tmp_path / "lock").rename(tmp_path / "aside")  # as on a file system that knows no locks
    with Engine(path=tmp_path) as other:
        if snapshot:
            other.snapshot()
        with other.epoch() as e:
            e.insert("q", [(2,)])
    (tmp_path / "aside").rename(tmp_path / "lock")
    for _ in range(2):
        with pytest.raises(StateError) as error, one.epoch() as e:
            e.insert("q", [(3,)])
        assert error.value.code == "TL5185"
    with pytest.raises(StateError, match="another writer has modified this state since epoch 2"):
        one.snapshot()
    assert list(one["p"]) == [(1,)]
    assert one.epoch_number == 2
    with pytest.warns(StateWarning, match="another writer has modified"):
        one.close()
    with Engine(path=tmp_path) as again:
        assert sorted(again["p"]) == [(1,), (2,)]
        assert again.verify()


def test_an_engine_that_could_not_start_leaves_no_lock(tmp_path: Path) -> None:
    Engine("p(1).", path=tmp_path).close()
    with pytest.raises(StateError, match="contains a different program"):
        Engine("q(1).", path=tmp_path)
    Engine(path=tmp_path).close()


def test_a_reader_sees_its_epoch_and_cannot_write(tmp_path: Path) -> None:
    with Engine("p(X) :- q(X).", path=tmp_path) as db:
        with db.epoch() as e:
            e.insert("q", [(1,)])
        reader = Engine(path=tmp_path, at=-1)
        with db.epoch() as e:
            e.insert("q", [(2,)])
        assert list(reader["p"]) == [(1,)]
        assert sorted(Engine(path=tmp_path, at=-1)["p"]) == [(1,), (2,)]
        assert list(Engine(path=tmp_path, at=-2)["p"]) == [(1,)]
        with pytest.raises(EngineError, match="opened read-only at epoch 2"), reader.epoch() as e:
            e.insert("q", [(3,)])
        assert list(reader["p"]) == [(1,)]
        with pytest.raises(EngineError, match="opened read-only"):
            reader.snapshot()
        assert reader.query("p(X)").rows() == [(1,)]


def test_readers_open_committed_epochs_while_a_writer_works(tmp_path: Path) -> None:
    Engine(load.RULES, path=tmp_path).close()
    with writer(load.write, tmp_path) as other:
        other.wait_for("done", 5)
        for _ in range(8):
            reader = Engine(path=tmp_path, at=-1)
            assert reader.epoch_number >= other.last("done")
            assert sorted(reader["written"])[-1] == (reader.epoch_number,)
            assert not violations(reader.state())


@pytest.mark.long
def test_a_killed_writer_loses_no_epoch_that_it_told_of(tmp_path: Path) -> None:
    Engine(load.RULES, path=tmp_path).close()
    rng = random.Random(KILLS)
    for attempt in range(KILLS):
        with writer(load.write, tmp_path, attempt) as other:
            other.wait_for("done")
            time.sleep(rng.uniform(0.0, 0.1))
        reader = Engine(path=tmp_path, at=-1)
        assert other.last("done") <= reader.epoch_number <= other.last("begin")
        assert sorted(reader["written"]) == [(n,) for n in range(2, reader.epoch_number + 1)]
        assert not violations(reader.state())


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_folder_that_is_removed_under_an_engine_is_told_to_be_gone(tmp_path: Path, partitions: int) -> None:
    db = Engine("p(X) :- q(X).", path=tmp_path / "state", partitions=partitions)
    with db.epoch() as e:
        e.insert("q", [(1,)])
    (tmp_path / "state").rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(StateError, match="is gone: it was removed or moved") as caught, db.epoch() as e:
            e.insert("q", [(2,)])
        assert caught.value.code == "TL5184"
        with pytest.raises(StateError, match="is gone"):
            db.snapshot()
        assert not (tmp_path / "state").exists()
    assert sorted(db["p"]) == [(1,)]
    (tmp_path / "away").rename(tmp_path / "state")
    with db.epoch() as e:
        e.insert("q", [(3,)])
    db.snapshot()
    shutil.rmtree(tmp_path / "state")
    with Engine("r(1).", path=tmp_path / "state") as other:
        with pytest.raises(StateError, match="is gone"), db.epoch() as e:
            e.insert("q", [(4,)])
        assert list(other["r"]) == [(1,)]
    with pytest.warns(StateWarning, match="was not written"):
        db.close()
    with Engine(path=tmp_path / "state", at=-1) as read:
        assert list(read["r"]) == [(1,)]
