"""Every single operation on pieces and on the driver's log fails or is the last thing the machine does.

After it all partitions are at the last epoch whose frame the driver wrote, each with exactly what it held then: facts,
ranks, counts, clock, symbols. These tests notice a missing sync, a marker written before a piece, a piece that was
overwritten, and an old file that is removed too early. They cannot notice a disk that lies about syncs. The slower ones
leave operations out; TIDELOG_FAULTS=1 leaves out none.
"""

from __future__ import annotations

import contextlib
import errno
import os
import warnings
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.store.disks import FAIL, STOP, MemoryDisk, Stopped
from tests.store.team import STORY, Held, Team
from tidelog.errors import StateError, StateWarning

STRIDE = int(os.environ.get("TIDELOG_FAULTS", "4"))


@cache
def states() -> list[Held]:
    """What the partitions hold before anything and after every epoch."""
    team = Team(MemoryDisk())
    found = [team.held()]
    for change in STORY:
        team.commit(change)
        found.append(team.held())
    return found


class Writer:
    """Runs the story and remembers how far it got."""

    def __init__(self, disk: MemoryDisk) -> None:
        self.disk = disk
        self.committed = 0
        self.failures = 0

    def run(self) -> None:
        """The story once through; whatever fails is tried again."""
        team: list[Team] = []
        self._try(lambda: team.append(Team(self.disk)))
        for number, change in enumerate(STORY, 1):
            before = team[0].held()
            self._try(lambda change=change: team[0].commit(change), lambda before=before: team[0].held() == before)
            self.committed = number
            if change.snapshot:
                self._try(team[0].snapshot)
        team[0].durable.close()

    def _try(self, action: Callable[[], None], unchanged: Callable[[], bool] = lambda: True) -> None:
        try:
            action()
        except StateError:
            self.failures += 1
            assert unchanged()
            if self.disk.lasting:
                raise
            action()


@cache
def operations() -> int:
    disk = MemoryDisk()
    Writer(disk).run()
    return disk.operations


def reopened(disk: MemoryDisk) -> Held:
    return Team(disk).held()


def left_by(disk: MemoryDisk) -> dict[str, MemoryDisk]:
    """What the next process may find."""
    return {
        "killed": disk.after_kill(),
        "power lost": disk.after_power_loss(),
        "power lost, files removed": disk.after_power_loss(removed=True),
        "power lost, part written": disk.after_power_loss(written=0.7),
        "power lost, zeros": disk.after_power_loss(written=0.4, zeros=True),
    }


def different(disks: dict[str, MemoryDisk]) -> Iterator[tuple[str, MemoryDisk]]:
    """Those that differ from all before them."""
    seen = []
    for how, disk in disks.items():
        content = {name: bytes(file.content) for name, file in disk.files.items()}
        if content not in seen:
            seen.append(content)
            yield how, disk


def test_a_stop_at_any_operation_leaves_all_pieces_at_the_last_committed_epoch_or_the_next() -> None:
    for nth in range(1, operations() + 1):
        writer = Writer(MemoryDisk(nth, STOP))
        with pytest.raises(Stopped):
            writer.run()
        allowed = states()[writer.committed : writer.committed + 2]
        for how, disk in different(left_by(writer.disk)):
            assert reopened(disk) in allowed, f"{how} at operation {nth}, {writer.committed} epochs committed"


def test_a_state_that_was_cut_short_goes_on_to_the_end() -> None:
    for nth in range(1, operations() + 1, STRIDE):
        writer = Writer(MemoryDisk(nth, STOP))
        with pytest.raises(Stopped):
            writer.run()
        disk = writer.disk.after_power_loss(written=0.5)
        team = Team(disk)
        for change in STORY[team.durable.epoch :]:
            team.commit(change)
        assert team.held() == states()[-1], f"operation {nth}"
        assert reopened(disk.after_power_loss()) == states()[-1], f"operation {nth}, power lost"


def test_a_failure_at_any_operation_fails_one_call_and_loses_nothing() -> None:
    failed = 0
    for nth in range(1, operations() + 1):
        writer = Writer(MemoryDisk(nth, FAIL))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StateWarning)  # the note written by `close`, and old files that are left
            writer.run()
        failed += writer.failures
        assert reopened(writer.disk.after_kill()) == states()[-1], f"operation {nth}"
        assert reopened(writer.disk.after_power_loss(removed=True)) == states()[-1], f"operation {nth}, power lost"
    assert failed > 2 * len(STORY)


def test_after_a_failure_at_any_operation_a_stop_at_any_later_one_loses_nothing() -> None:
    for nth in range(1, operations(), 2 * STRIDE):
        for later in range(1, 8, STRIDE // 2 + 1):
            disk = _FailingThenStopping(nth, nth + later)
            writer = Writer(disk)
            with warnings.catch_warnings(), contextlib.suppress(Stopped):
                warnings.simplefilter("ignore", StateWarning)
                writer.run()
            allowed = states()[writer.committed : writer.committed + 2]
            for how, left in different(left_by(disk)):
                assert reopened(left) in allowed, f"{how}: failed at {nth}, stopped {later} later"


class _FailingThenStopping(MemoryDisk):
    """One operation fails, and a later one is the last."""

    def __init__(self, fails: int, stops: int) -> None:
        super().__init__(fails, FAIL)
        self.stops = stops

    def _operation(self) -> bool:
        now = super()._operation()
        if self.operations == self.stops:
            self.mode = STOP
            return True
        return now


def test_a_full_disk_fails_epochs_until_there_is_room_again() -> None:
    for nth in range(3, operations() + 1, 4):
        writer = Writer(MemoryDisk(nth, FAIL, errno.ENOSPC, lasting=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StateWarning)
            with contextlib.suppress(StateError):
                writer.run()
        assert reopened(writer.disk.after_kill()) in states()[writer.committed : writer.committed + 2]
