"""Bit flips, cuts and losses in every file: named, or got round without a difference; never a wrong state."""

from __future__ import annotations

import random
import shutil
import warnings
from functools import cache
from pathlib import Path

import pytest

from tests.store.disks import File, MemoryDisk, MemoryStore
from tests.store.stories import EPOCHS, PROGRAM, expected, facts_of
from tidelog import Engine
from tidelog.errors import StateError, StateWarning

STATES = cache(expected)
UNREAD = (
    "log/000000000001.log",
    "log/000000000004.log",
    "snapshots/000000000003.snapshot",
)  # the last snapshot suffices


@cache
def written() -> dict[str, bytes]:
    """The files after the history, with snapshots of epochs 3 and 5."""
    disk = MemoryDisk()
    with Engine(PROGRAM, path=MemoryStore(disk)) as db:
        for number, change in enumerate(EPOCHS, 2):
            with db.epoch() as e:
                change(e)
            if number in (3, 5):
                db.snapshot()
    return {name: bytes(file.content) for name, file in disk.files.items()}


def disk_with(files: dict[str, bytes]) -> MemoryDisk:
    disk = MemoryDisk()
    disk.files = {name: File(content) for name, content in files.items()}
    return disk


def opened(files: dict[str, bytes]) -> tuple[Engine | None, str]:
    """The engine, or None with the error; and all that was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            db = Engine(path=MemoryStore(disk_with(files)), at=-1)
        except StateError as error:
            return None, str(error)
    return db, "\n".join(str(w.message) for w in caught)


def test_a_flipped_bit_in_any_file_is_named_or_makes_no_difference() -> None:
    rng = random.Random(5)
    for name, content in written().items():
        places = range(len(content)) if len(content) < 64 else rng.sample(range(len(content)), 14)
        for place in places:
            flipped = bytearray(content)
            flipped[place] ^= 1 << rng.randrange(8)
            db, said = opened({**written(), name: bytes(flipped)})
            if db is None:
                assert name in said, f"byte {place}: {said}"
            else:
                assert facts_of(db) == STATES()[-1], f"{name}, byte {place}"
                assert name in said or name in UNREAD, f"{name}, byte {place} was not noticed"


def test_a_flipped_bit_in_an_old_segment_is_noticed_by_whoever_reads_it() -> None:
    files = dict(written())
    name = "log/000000000001.log"
    flipped = bytearray(files[name])
    flipped[len(flipped) // 2] ^= 4
    db, _ = opened({**files, name: bytes(flipped)})
    assert db is not None
    with pytest.raises(StateError, match=name):
        db.changes("reach")
    assert db.changes("reach", since=5)


def test_a_file_cut_anywhere_is_named_or_makes_no_difference() -> None:
    rng = random.Random(6)
    for name, content in written().items():
        for size in rng.sample(range(len(content)), 12):
            db, said = opened({**written(), name: content[:size]})
            if db is None:
                assert name in said or "log was shortened" in said, said
            else:
                assert facts_of(db) == STATES()[-1], f"{name} cut to {size}"


def test_a_file_that_is_gone_is_noticed_or_not_needed() -> None:
    for name in written():
        db, said = opened({n: content for n, content in written().items() if n != name})
        assert (db is None and said) or (db is not None and facts_of(db) == STATES()[-1])


def test_a_damaged_snapshot_gives_way_to_an_older_one_and_the_writer_removes_it() -> None:
    files = dict(written())
    name = "snapshots/000000000005.snapshot"
    disk = disk_with({**files, name: files[name][:-9] + bytes([files[name][-9] ^ 1]) + files[name][-8:]})
    with pytest.warns(
        StateWarning,
        match=f"{name} is damaged: the checksum .* the exact state was restored from an older snapshot and the log",
    ):
        db = Engine(path=MemoryStore(disk))
    assert facts_of(db) == STATES()[-1]
    assert name not in disk.files
    assert facts_of(Engine(path=MemoryStore(disk), at=-1)) == STATES()[-1]


def test_without_the_log_a_damaged_snapshot_is_named_in_the_error() -> None:
    files = {n: c for n, c in written().items() if n.startswith("snapshots/") or n.endswith(("6.log", ".json"))}
    for name in ("snapshots/000000000003.snapshot", "snapshots/000000000005.snapshot"):
        files[name] = files[name][:-20]
    db, said = opened(files)
    assert db is None
    assert "snapshots/000000000005.snapshot is damaged" in said


def test_exchanged_log_files_are_noticed() -> None:
    files = dict(written())
    one, two = "log/000000000004.log", "log/000000000006.log"
    files[one], files[two] = files[two], files[one]
    db, said = opened(files)
    assert db is None
    assert two in said


def test_leftovers_of_an_uncommitted_epoch_are_ignored_and_cleaned_up(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with Engine("p(X) :- q(X).", path=folder) as db, db.epoch() as e:
        e.insert("q", [(1,)])
    log = folder / "log" / "000000000001.log"
    good = log.read_bytes()
    log.write_bytes(good + good[:60])
    (folder / "snapshots").mkdir()
    (folder / "snapshots" / "000000000002.snapshot.tmp").write_bytes(b"half")
    assert list(Engine(path=folder, at=-1)["p"]) == [(1,)]
    assert len(log.read_bytes()) > len(good)  # a reader cleans nothing
    Engine(path=folder).close()
    assert log.read_bytes() == good
    assert not list((folder / "snapshots").iterdir())


def test_a_log_shortened_after_it_was_closed_is_an_error(tmp_path: Path) -> None:
    with Engine("p(X) :- q(X). q(1).", path=tmp_path / "a") as db, db.epoch() as e:
        e.insert("q", [(2,)])
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    log = tmp_path / "b" / "log" / "000000000001.log"
    log.write_bytes(log.read_bytes()[:-5])
    with pytest.raises(StateError, match=r"ends with epoch 1, but epoch 2 was committed.*log was shortened"):
        Engine(path=tmp_path / "b")
