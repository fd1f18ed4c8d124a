"""Every single write, sync, rename and removal fails or is the last thing the machine does: no committed epoch is lost.

These tests notice a missing sync, a wrong order of operations, and state that differs between memory and files. They
cannot notice a disk that lies about syncs.
"""

from __future__ import annotations

import contextlib
import errno
import warnings
from collections.abc import Callable
from functools import cache

import pytest

from tests.store.disks import FAIL, STOP, MemoryDisk, MemoryStore, Stopped
from tests.store.stories import EPOCHS, PROGRAM, SNAPSHOTS_AFTER, Facts, expected, facts_of
from tidelog import Engine
from tidelog.errors import StateError, StateWarning

STATES = cache(expected)


class Writer:
    """Runs the history and remembers how far it got."""

    def __init__(self, disk: MemoryDisk) -> None:
        self.disk = disk
        self.committed = 0
        self.failures = 0

    def run(self) -> None:
        """The history once through; whatever fails is tried again."""
        db = self._try(lambda: Engine(PROGRAM, path=MemoryStore(self.disk), history=0))
        self.committed = 1
        for number, change in enumerate(EPOCHS, 2):
            with_change = change

            def commit(change: Callable[..., None] = with_change) -> None:
                with db.epoch() as e:
                    change(e)

            self._try(commit, lambda before=number - 1: facts_of(db) == STATES()[before])
            self.committed = number
            if number in SNAPSHOTS_AFTER:
                self._try(db.snapshot)
        db.close()

    def _try(self, action: Callable[[], Engine], unchanged: Callable[[], bool] = lambda: True) -> Engine:
        try:
            return action()
        except StateError:
            self.failures += 1
            assert unchanged()
            if self.disk.lasting:
                raise
            return action()


def operations() -> int:
    disk = MemoryDisk()
    Writer(disk).run()
    return disk.operations


def reopened(disk: MemoryDisk) -> Facts:
    """The facts that the next process reads."""
    return facts_of(Engine(path=MemoryStore(disk)))


def test_a_stop_at_any_operation_leaves_the_last_committed_epoch_or_the_next() -> None:
    for nth in range(1, operations() + 1):
        writer = Writer(MemoryDisk(nth, STOP))
        with pytest.raises(Stopped):
            writer.run()
        left = {
            "killed": writer.disk.after_kill(),
            "power lost": writer.disk.after_power_loss(),
            "power lost, files removed": writer.disk.after_power_loss(removed=True),
            "power lost, part written": writer.disk.after_power_loss(written=0.7),
            "power lost, zeros": writer.disk.after_power_loss(written=0.4, zeros=True),
        }
        allowed = STATES()[writer.committed : writer.committed + 2]
        seen = []
        for how, disk in left.items():
            content = {name: bytes(file.content) for name, file in disk.files.items()}
            if content in seen:
                continue
            seen.append(content)
            assert reopened(disk) in allowed, f"{how} at operation {nth}, {writer.committed} epochs committed"


def test_a_state_that_was_cut_short_can_be_written_to() -> None:
    for nth in range(1, operations() + 1, 3):
        writer = Writer(MemoryDisk(nth, STOP))
        with pytest.raises(Stopped):
            writer.run()
        disk = writer.disk.after_kill()
        with Engine(path=MemoryStore(disk)) as db:
            before = facts_of(db)
            with db.epoch() as e:
                e.insert("extra", [(1,)])
        assert facts_of(Engine(path=MemoryStore(disk), at=-1)) == {**before, "extra": [(1,)]}


def test_a_failure_at_any_operation_fails_one_call_and_loses_nothing() -> None:
    failed = 0
    for nth in range(1, operations() + 1):
        writer = Writer(MemoryDisk(nth, FAIL))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StateWarning)  # the note written by `close` is a convenience
            writer.run()
        failed += writer.failures
        assert reopened(writer.disk.after_kill()) == STATES()[-1], f"operation {nth}"
        assert reopened(writer.disk.after_power_loss(removed=True)) == STATES()[-1], f"operation {nth}, power lost"
    assert failed > len(EPOCHS)


def test_a_full_disk_fails_epochs_until_there_is_room_again() -> None:
    for nth in range(3, operations() + 1, 4):
        writer = Writer(MemoryDisk(nth, FAIL, errno.ENOSPC, lasting=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StateWarning)
            with contextlib.suppress(StateError):
                writer.run()
        left = writer.disk.after_kill()
        assert reopened(left) in STATES()[writer.committed : writer.committed + 2]


def test_the_message_of_a_full_disk_names_the_file_and_the_reason() -> None:
    disk = MemoryDisk()
    db = Engine(PROGRAM, path=MemoryStore(disk))
    disk.nth, disk.code = disk.operations + 1, errno.ENOSPC
    told = r"state/log/0+1\.log: epoch 2 could not be written: injected; nothing was changed"
    with pytest.raises(StateError, match=told) as failed, db.epoch() as e:
        e.insert("edge", [(7, 8)])
    assert failed.value.code == "TL5109"
    assert (7, 8) not in db["edge"]
    with db.epoch() as e:
        e.insert("edge", [(7, 8)])
    assert db.epoch_number == 2


def test_a_snapshot_that_fails_by_itself_is_a_warning_and_the_epoch_stays_committed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tidelog.store.folder.durable.MARGIN", -(1 << 30))
    disk = MemoryDisk()
    db = Engine(path=MemoryStore(disk))
    disk.nth = disk.operations + 4  # append, sync, sync of the folder, and then the snapshot
    with pytest.warns(StateWarning, match="no snapshot was written"), db.epoch() as e:
        e.insert("p", [(1,)])
    assert db.epoch_number == 1
    assert list(Engine(path=MemoryStore(disk.after_kill()), at=-1)["p"]) == [(1,)]
