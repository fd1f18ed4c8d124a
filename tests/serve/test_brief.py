"""Look-ups on the server's loop: only those that need not wait, of kinds that were brief."""

from __future__ import annotations

import threading
import time

import pytest

from tests.serve.running import Running, running
from tidelog.engine.engine import core_of
from tidelog.serve.brief import PROBATION, BriefLookUps


def holds(server: Running, *row: int) -> bool:
    (found,) = server.post("/check-facts", {"facts": {"reach": [list(row)]}})["answers"]["reach"]
    assert server.get("/views/reach", c1=row[0], c2=row[1])["total"] == found
    return bool(found)


def test_answers_are_the_same_on_the_loop_and_beside_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[bool] = []
    run = BriefLookUps.run_at_once
    monkeypatch.setattr(
        BriefLookUps, "run_at_once", lambda *args: [found := run(*args), threads.append(found is None)][0]
    )
    with running() as server:
        for n in range(5):
            server.insert("edge", (n, n + 1))
            assert holds(server, 0, n + 1)
            assert not holds(server, 0, n + 2)
        assert False in threads  # some ran on the loop
        threads.clear()
        with core_of(server.service.engine).writing:  # as during an epoch
            assert holds(server, 0, 5)
            assert not holds(server, 0, 6)
        assert threads
        assert all(threads)


def test_an_epoch_waits_for_a_brief_look_up_and_goes_before_the_next() -> None:
    with running() as server:
        turn, began, ended = core_of(server.service.engine).writing, threading.Event(), threading.Event()

        def write() -> None:
            began.set()
            with server.service.engine.epoch() as e:
                e.insert("edge", [(1, 2)])
            ended.set()

        writer = threading.Thread(target=write)
        with turn.brief_look_ups() as possible:
            assert possible
            writer.start()
            began.wait()
            assert not ended.wait(0.2)
            with turn.brief_look_ups() as again:
                assert not again
        writer.join()
        assert holds(server, 1, 2)


def test_a_kind_that_took_long_is_on_probation() -> None:
    brief = BriefLookUps()
    assert not brief.is_brief("a")
    brief.run("a", lambda: None)
    assert brief.is_brief("a")
    with running() as server:
        brief.run_at_once(core_of(server.service.engine), "a", lambda: time.sleep(0.01))
    for _ in range(PROBATION):
        assert not brief.is_brief("a")
        brief.run("a", lambda: None)
    assert brief.is_brief("a")
