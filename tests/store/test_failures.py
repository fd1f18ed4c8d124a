"""Failures of a store that a whole engine meets only by chance, provoked one by one."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tidelog import Engine, StateError
from tidelog.store.base import frame
from tidelog.store.base.files import FileStore
from tidelog.store.folder.recovery import recover
from tidelog.store.log.log import Log
from tidelog.store.log.piece_log import PieceLog
from tidelog.store.log.snapshot import write_snapshot

from .disks import MemoryDisk, MemoryStore

PROGRAM = "p(X) :- q(X). q(1)."


class BrokenStore(FileStore):
    """A folder that is full, and in which nothing can be cut."""

    def append(self, *_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    write = cut = append


class ForgetfulStore(FileStore):
    """A folder whose files are listed and not there."""

    def read(self, name: str) -> bytes:
        raise FileNotFoundError(errno.ENOENT, "no such file", name)


def state(folder: Path) -> Path:
    with Engine(PROGRAM, path=folder) as db, db.epoch() as e:
        e.insert("q", [(2,)])
    return folder


def test_file_of_a_newer_format_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "FORMAT", 2)
    parts, _ = frame.encode_frame(frame.EPOCH, 1, 0, {}, [])
    monkeypatch.undo()
    with pytest.raises(StateError, match="format 2 is newer than format 1") as refused:
        frame.decode_frame(memoryview(b"".join(map(bytes, parts))), 0)
    assert refused.value.code == "TL5107"


def test_snapshot_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"snapshots/0+3\.\w+ could not be written: no space left") as told:
        write_snapshot(BrokenStore(tmp_path), 3, [])
    assert told.value.code == "TL5122"


def test_piece_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="the part of epoch 3 could not be written: no space left") as told:
        PieceLog(BrokenStore(tmp_path)).append(3, [])
    assert told.value.code == "TL5117"


def test_log_that_cannot_be_cut_is_named(tmp_path: Path) -> None:
    log = Log(BrokenStore(tmp_path))
    log.end.segment, log.end.size, log.end.torn = 1, 8, True
    with pytest.raises(StateError, match=r"log/0+1\.log cannot be truncated: no space left") as told:
        log.begin_segment()
    assert told.value.code == "TL5110"


def test_state_that_cannot_be_repaired_is_named() -> None:
    disk = MemoryDisk()
    disk.nth, disk.code, disk.lasting = 1, errno.EROFS, True
    with pytest.raises(StateError, match=r"cannot write to .*state: injected") as told:
        Engine(PROGRAM, path=MemoryStore(disk))
    assert told.value.code == "TL5105"


def test_gap_in_the_log_is_named(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "000000000005.log").touch()
    with pytest.raises(StateError, match="the log of epoch 1 is missing; the next epoch in the log is 5") as told:
        list(Log(FileStore(tmp_path)).frames_after_snapshot(0, None, 0))
    assert told.value.code == "TL5112"


def test_file_that_is_listed_and_missing_is_named(tmp_path: Path) -> None:
    store = ForgetfulStore(state(tmp_path / "state"))
    with pytest.raises(StateError, match=r"a file is missing: .*no such file") as told:
        recover(store, Log(store), None)
    assert told.value.code == "TL5120"
