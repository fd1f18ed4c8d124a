"""Epochs that are synced together: whatever fails, no epoch that was acknowledged is lost, and none is half there."""

from __future__ import annotations

import errno
from functools import cache
from typing import Any

import pytest

from tests.store.disks import FAIL, STOP, MemoryDisk, MemoryStore, Stopped
from tests.store.stories import EPOCHS, PROGRAM, Facts, expected, facts_of
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.engine.write.commit import sync_epochs
from tidelog.errors import StateError

STATES = cache(expected)
GROUP, SNAPSHOT_AFTER = 3, 4


class GroupWriter:
    """Runs the history in groups; ``acknowledged`` is the last epoch that was synced."""

    def __init__(self, disk: MemoryDisk, group: int = GROUP) -> None:
        self.disk, self.group = disk, group
        self.acknowledged = self.written = 0

    def run(self) -> Engine:
        db = Engine(PROGRAM, path=MemoryStore(self.disk), history=0)
        core = core_of(db)
        core.sync_later = lambda: None
        self.acknowledged = self.written = 1
        for number, change in enumerate(EPOCHS, 2):
            epoch = db.epoch()
            epoch.waits = True
            with epoch as e:
                change(e)
            self.written = number
            if number == SNAPSHOT_AFTER:
                db.snapshot()
            if number % self.group == 0:
                self.acknowledged = sync_epochs(core)
        self.acknowledged = sync_epochs(core)
        return db


def reopened(disk: MemoryDisk) -> tuple[int, Facts]:
    db = Engine(path=MemoryStore(disk))
    return db.epoch_number, facts_of(db)


def operations(group: int) -> int:
    disk = MemoryDisk()
    GroupWriter(disk, group).run()
    return disk.operations


@pytest.mark.parametrize("group", [2, 3, 100])
def test_a_stop_at_any_operation_leaves_all_acknowledged_epochs(group: int) -> None:
    for nth in range(1, operations(group) + 1):
        writer = GroupWriter(MemoryDisk(nth, STOP), group)
        with pytest.raises(Stopped):
            writer.run()
        left = [
            writer.disk.after_kill(),
            *(writer.disk.after_power_loss(part, zeros) for part in (0.0, 0.3, 0.7, 1.0) for zeros in (False, True)),
        ]
        if not writer.acknowledged:
            continue
        for disk in left:
            number, facts = reopened(disk)
            assert writer.acknowledged <= number <= writer.written + 1
            assert facts == STATES()[number]


def test_a_group_needs_fewer_syncs() -> None:
    assert operations(100) < operations(2) < operations(1)  # with one snapshot


def many(disk: MemoryDisk) -> tuple[Engine, Any]:
    """A state with some synced epochs, and a group that spans several blocks."""
    db = Engine("p(X) :- q(X).", path=MemoryStore(disk))
    for n in range(3):
        with db.epoch() as e:
            e.insert("q", [(n,)])
    core = core_of(db)
    core.sync_later = lambda: None
    for n in range(40):
        epoch = db.epoch()
        epoch.waits = True
        with epoch as e:
            e.insert("q", [(1000 * n + m,) for m in range(30)])
    return db, core


def with_lost_block(disk: MemoryDisk, after: int) -> MemoryDisk:
    """What is left if all was written but one block."""
    left = disk.after_kill()
    (name,) = (name for name in left.files if name.startswith("log/"))
    content, first = left.files[name].content, after - after % 4096 + 8192
    assert first + 8192 < len(content)
    content[first : first + 4096] = bytes(4096)
    return left


def test_a_block_that_was_never_written_ends_the_log_if_nothing_after_it_was_acknowledged() -> None:
    disk = MemoryDisk()
    db, core = many(disk)
    (name,) = (name for name in disk.files if name.startswith("log/"))
    synced = core.durable.synced
    number, facts = reopened(with_lost_block(disk, len(disk.files[name].synced)))
    assert synced <= number < db.epoch_number
    assert len(facts["q"]) == len(set(facts["q"])) > 0
    sync_epochs(core)
    with db.epoch() as e:  # it shows that those before it are durable
        e.insert("q", [(-1,)])
    with pytest.raises(StateError):
        reopened(with_lost_block(disk, 4096))


def test_after_a_sync_that_failed_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = MemoryDisk()
    db, core = many(disk)
    heard: list[int | None] = []
    core.listeners.append(lambda epoch: heard.append(epoch.number))

    def fail(name: str) -> None:
        raise OSError(errno.EIO, "injected")

    before = reopened(disk.after_power_loss())
    with monkeypatch.context() as patch:
        patch.setattr(disk, "sync", fail)
        with pytest.raises(StateError, match="could not be made durable") as refused:
            sync_epochs(core)
    assert refused.value.code == "TL5187"
    with pytest.raises(StateError), db.epoch() as e:
        e.insert("q", [(-1,)])
    with pytest.raises(StateError):
        sync_epochs(core)
    assert not heard
    assert reopened(disk.after_power_loss()) == before


def test_an_epoch_that_cannot_be_written_leaves_the_others_of_its_group() -> None:
    for nth in range(1, operations(100) + 1):
        disk = MemoryDisk(nth, FAIL, errno.ENOSPC)
        writer = GroupWriter(disk, 100)
        try:
            writer.run()
        except StateError:
            if not writer.written:
                continue
        number, facts = reopened(disk.after_power_loss(1.0))
        assert writer.acknowledged <= number
        assert facts == STATES()[number]


def test_listeners_hear_of_an_epoch_in_order_when_it_is_durable() -> None:
    db, core = many(MemoryDisk())
    heard: list[int | None] = []
    core.listeners.append(lambda epoch: heard.append(epoch.number))
    with db.epoch() as e:  # durable at once, but after the others
        e.insert("q", [(-1,)])
    assert not heard
    assert sync_epochs(core) == db.epoch_number
    assert heard == list(range(5, db.epoch_number + 1))
    db.close()
