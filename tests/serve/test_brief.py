"""Look-ups on the server's loop: only those that need not wait, of kinds that were brief."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.serve.running import WRITES, Running, running
from tidelog.engine.engine import core_of
from tidelog.serve.brief import PROBATION, BriefLookUps
from tidelog.serve.threads import Threads


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
        brief.run_at_once(core_of(server.service.engine), "a", lambda: time.sleep(0.03))
    for _ in range(PROBATION):
        assert not brief.is_brief("a")
        brief.run("a", lambda: None)
    assert brief.is_brief("a")


def test_checks_of_few_and_many_facts_beside_an_epoch() -> None:
    with running() as server:
        server.insert("edge", *((n, n + 1) for n in range(30)))
        rows = [[n, m] for n in range(0, 30, 3) for m in range(40)]
        with core_of(server.service.engine).writing:
            for some in (rows[:5], rows):
                (found,) = server.post("/check-facts", {"facts": {"reach": some}})["answers"].values()
                assert found == [n < m <= 30 for n, m in some]


def test_look_ups_between_small_epochs_belong_to_one_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    between: list[bool] = []
    look = Threads.look_between

    async def noted(self: Threads, act: Callable[[], Any]) -> Any:
        found = await look(self, act)
        between.append(found is not None)
        return found

    monkeypatch.setattr(Threads, "look_between", noted)
    stop = threading.Event()
    with running() as server, ThreadPoolExecutor(4) as pool:

        def write(place: int) -> int:
            count = 0
            with httpx.Client(base_url=server.url, headers=WRITES, timeout=60) as client:
                while not stop.is_set():
                    row = [[place, -1], [-1, place]]
                    body = {"delete" if count % 2 else "insert": {"edge": row}}
                    assert client.post("/v1/epochs", json=body).status_code == 200
                    count += 1
            return count

        writers = [pool.submit(write, place) for place in range(1, 4)]
        seen = 0
        until = time.monotonic() + 60
        while (seen < 300 or True not in between) and time.monotonic() < until:
            pairs = [[n, -1] for n in range(1, 4)] + [[-1, n] for n in range(1, 4)]
            answer = server.post("/check-facts", {"facts": {"edge": pairs}})
            there = answer["answers"]["edge"]
            assert there[:3] == there[3:]  # both edges of an epoch, or neither
            seen += 1
        stop.set()
        counts = [each.result() for each in writers]
        assert True in between
        assert server.get("")["epoch"] == 1 + sum(counts)
