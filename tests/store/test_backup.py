"""Backups: a copy made beside a writer has every epoch that was committed before, and is the state at one epoch."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.store.disks import MemoryDisk, MemoryStore
from tests.store.stories import EPOCHS, PROGRAM, SNAPSHOTS_AFTER, expected, facts_of
from tidelog import Engine
from tidelog.errors import StateError
from tidelog.store.base.files import FileStore
from tidelog.store.folder.backup import back_up

PROGRAM_OF_SUMS = "large(X) :- n(X), X > 1.  total(sum<X>) :- n(X)."


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_copy_has_all_epochs_and_goes_its_own_way(tmp_path: Path, partitions: int) -> None:
    states = expected()
    with Engine(PROGRAM, path=tmp_path / "s", partitions=partitions) as db:
        for number, change in enumerate(EPOCHS, 2):
            with db.epoch() as e:
                change(e)
            if number in SNAPSHOTS_AFTER:
                db.snapshot()
            found = back_up(tmp_path / "s", tmp_path / f"copy-{number}")
            assert (found.epoch, found.wrong) == (number, [])
    for number in range(2, len(EPOCHS) + 2):
        with Engine(path=tmp_path / f"copy-{number}", partitions=partitions) as copy:
            assert facts_of(copy) == states[number]
            assert copy.verify()
            for change in EPOCHS[number - 1 :]:
                with copy.epoch() as e:
                    change(e)
            assert facts_of(copy) == states[-1]
            assert len(copy.log()) == len(EPOCHS) + 1


@pytest.mark.parametrize("partitions", [1, 2])
def test_copies_beside_a_writer(tmp_path: Path, partitions: int) -> None:
    stop, committed = threading.Event(), [1]
    with Engine(PROGRAM_OF_SUMS, path=tmp_path / "s", partitions=partitions, history=3) as db:

        def write() -> None:
            n = 0
            while not stop.is_set():
                with db.epoch() as e:
                    e.insert("n", [(n,)])
                n += 1
                committed.append(e.number or 0)
                if n % 7 == 0:
                    db.snapshot()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            copies = []
            for place in range(6):
                before = committed[-1]
                found = back_up(tmp_path / "s", tmp_path / f"copy-{place}")
                copies.append((before, found.epoch))
        finally:
            stop.set()
            writer.join()
    for place, (before, epoch) in enumerate(copies):
        assert before <= epoch <= committed[-1]
        with Engine(path=tmp_path / f"copy-{place}") as copy:
            assert copy.epoch_number == epoch
            assert len(copy["n"]) == epoch - 1
            assert copy.verify()


def test_a_file_that_is_removed_meanwhile_lets_copying_begin_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine(PROGRAM_OF_SUMS, path=tmp_path / "s", history=0) as db:
        for n in range(5):
            with db.epoch() as e:
                e.insert("n", [(n,)])
            db.snapshot()
        read, times = FileStore.read, []

        def gone(store: FileStore, name: str) -> object:
            if name.startswith("log/") and store.root == tmp_path / "s" and not times:
                times.append(name)
                raise FileNotFoundError(name)
            return read(store, name)

        monkeypatch.setattr(FileStore, "read", gone)
        assert back_up(tmp_path / "s", tmp_path / "copy").epoch == 6
        assert times


def test_damage_is_not_copied_silently(tmp_path: Path) -> None:
    with Engine(PROGRAM_OF_SUMS, path=tmp_path / "s") as db:
        for n in range(5):
            with db.epoch() as e:
                e.insert("n", [(n,)])
    (file,) = (tmp_path / "s" / "log").iterdir()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(StateError):
        back_up(tmp_path / "s", tmp_path / "copy")
    assert not list((tmp_path / "copy" / "log").iterdir())


def test_a_folder_with_files_is_refused_and_so_is_one_without_a_state(tmp_path: Path) -> None:
    Engine(PROGRAM_OF_SUMS, path=tmp_path / "s").close()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").touch()
    with pytest.raises(StateError, match=r"letter\.txt"):
        back_up(tmp_path / "s", tmp_path / "full")
    with pytest.raises(StateError):
        back_up(tmp_path / "full" / "nothing", tmp_path / "copy")
    back_up(tmp_path / "s", tmp_path / "copy")
    with pytest.raises(StateError):
        back_up(tmp_path / "s", tmp_path / "copy")


def test_a_copy_is_durable() -> None:
    source, target = MemoryDisk(), MemoryDisk()
    with Engine(PROGRAM_OF_SUMS, path=MemoryStore(source)) as db:
        with db.epoch() as e:
            e.insert("n", [(2,)])
        back_up(MemoryStore(source), MemoryStore(target))
    assert len(Engine(path=MemoryStore(target.after_power_loss()))["large"]) == 1
