"""Group commit: no response and no feed has anything of an epoch that is not durable."""

from __future__ import annotations

import errno
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.serve.running import READS, Running, refused, running
from tidelog import Engine
from tidelog.store.base.disk import LocalDisk


class SlowDisk:
    """Makes the syncs of the log wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open, self.begun, self.count = threading.Event(), threading.Event(), 0
        self.fails = False
        sync = LocalDisk.sync

        def slow(disk: LocalDisk, name: str) -> None:
            if name.startswith("log/"):
                self.count += 1
                self.begun.set()
                assert self.open.wait(60)
                if self.fails:
                    raise OSError(errno.EIO, "injected")
            sync(disk, name)

        monkeypatch.setattr(LocalDisk, "sync", slow)


def begun(server: Running, pool: ThreadPoolExecutor, row: int) -> object:
    return pool.submit(server.insert, "edge", (row, row + 1))


def test_responses_wait_for_one_sync_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(path=tmp_path / "s") as server, ThreadPoolExecutor(20) as pool:
        server.insert("edge", (0, 1))
        disk = SlowDisk(monkeypatch)
        first = pool.submit(server.insert, "edge", (1, 2))
        assert disk.begun.wait(60)
        others = [pool.submit(server.insert, "edge", (row, row + 1)) for row in range(2, 12)]
        while server.service.engine.epoch_number < 13:  # all are applied
            threading.Event().wait(0.01)
        read = pool.submit(server.get, "/views/edge")
        followed = pool.submit(server.get, "/changes/edge", since=2, wait=60)
        threading.Event().wait(0.2)
        assert not any(each.done() for each in (first, *others, read, followed))
        assert server.service.hub.last == 2
        disk.open.set()
        assert sorted(each.result()["epoch"] for each in (first, *others)) == list(range(3, 14))
        assert read.result()["total"] == 12
        assert followed.result()["changes"]
        assert disk.count <= 4
    with Engine(path=tmp_path / "s") as db:
        assert len(db["edge"]) == 12


@pytest.mark.filterwarnings("ignore::tidelog.errors.StateWarning")  # that the note of the last epoch is not written
def test_after_a_sync_that_failed_nothing_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()
    with running(path=tmp_path / "s") as server:
        server.insert("edge", (0, 1))
        server.service.syncer.on_loss = stopped.set
        disk = SlowDisk(monkeypatch)
        disk.fails = True
        disk.open.set()
        body = {"insert": {"edge": [[1, 2]]}}
        refused(server.http.post("/v1/epochs", json=body), 503, "TL5187")
        assert stopped.wait(60)
        refused(httpx.get(f"{server.url}/v1/views/edge", headers=READS), 503, "TL5187")
        assert server.service.hub.last == 2
        disk.fails = False
        refused(server.http.post("/v1/epochs", json=body), 503, "TL5187")


def test_an_epoch_that_is_refused_does_not_end_its_group(tmp_path: Path) -> None:
    program = "reach(X, Y) :- edge(X, Y).  :- edge(X, X)."
    with running(program, path=tmp_path / "s") as server, ThreadPoolExecutor(20) as pool:
        rows = [(n, n if n % 3 == 0 else n + 1) for n in range(30)]
        found = list(pool.map(lambda row: server.http.post("/v1/epochs", json={"insert": {"edge": [list(row)]}}), rows))
        assert [each.status_code for each in found] == [409 if x == y else 200 for x, y in rows]
        assert server.get("/views/edge")["total"] == 20
    with Engine(path=tmp_path / "s") as db:
        assert len(db["reach"]) == 20
