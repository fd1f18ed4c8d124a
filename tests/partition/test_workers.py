"""Threads that wait for something to do: all take part, errors are reported, none outlives its pool or a fork."""

from __future__ import annotations

import gc
import os
import threading
import time

import pytest

from tidelog.partition.base.workers import Workers


def named(number: int) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == f"tidelog-{number}"]


def until(holds: object, seconds: float = 10.0) -> bool:
    """Whether something comes true within some time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():  # type: ignore[operator]
            return True
        time.sleep(0.01)
    return False


def test_all_take_part_and_the_caller_is_number_0() -> None:
    workers, seen = Workers(3), {}

    def task(number: int) -> int:
        seen[number] = threading.get_ident()
        return 10 * number

    assert workers.run(task) == [0, 10, 20]
    assert seen[0] == threading.get_ident()
    assert len(set(seen.values())) == 3
    workers.close()


def test_error_of_any_thread_is_told_after_all_have_ended() -> None:
    workers, ended = Workers(3), []

    def task(number: int) -> int:
        if number == 1:
            raise MemoryError("no more")
        time.sleep(0.05)
        ended.append(number)
        return 0

    with pytest.raises(MemoryError, match="no more"):
        workers.run(task)
    assert sorted(ended) == [0, 2]
    assert workers.run(lambda number: number) == [0, 1, 2]
    workers.close()


def test_threads_start_late_and_end_with_their_pool() -> None:
    others = set(named(1))  # of engines before, which may end meanwhile
    workers = Workers(2)
    assert not set(named(1)) - others
    workers.run(lambda _: 0)
    assert len(set(named(1)) - others) == 1
    workers.close()
    assert until(lambda: not set(named(1)) - others)
    workers.run(lambda _: 0)
    del workers
    gc.collect()
    assert until(lambda: not set(named(1)) - others)


def test_fork_starts_its_own_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers(2)
    workers.run(lambda _: 0)
    inboxes = workers._inboxes
    monkeypatch.setattr(os, "getpid", lambda: -1)  # what a child sees: another process, and no thread but its own
    assert workers.run(lambda number: number) == [0, 1]
    assert workers._inboxes is not inboxes
    for inbox in inboxes:
        inbox.put(None)
    workers.close()
