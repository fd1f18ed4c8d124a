"""Feeds over reconnects, restarts and epochs that are no longer held."""

from __future__ import annotations

import json
import random
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.running import REACH, Running, http_client, refused, running
from tidelog import Engine
from tidelog.client import connect
from tidelog.serve import changes, feeds
from tidelog.serve.limits import ServerLimits

EVENTS = {"Accept": "text/event-stream"}


def events(response: httpx.Response) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """The events of a feed: id, and values."""
    number = None
    for line in response.iter_lines():
        if line.startswith("id:"):
            number = int(line[3:])
        elif line.startswith("data:"):
            yield number, json.loads(line[5:])
        elif not line:
            number = None


def replayed(found: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """What a view holds by what came and went; nothing comes that is there, or goes that is not."""
    held: set[tuple[Any, ...]] = set()
    for change in found:
        for row in map(tuple, change["minus"]):
            held.remove(row)
        for row in map(tuple, change["plus"]):
            assert row not in held
            held.add(row)
    return held


def test_a_poll_gives_what_changed_since_an_epoch() -> None:
    with running() as server:
        server.insert("edge", (1, 2))
        server.insert("other", (1,))
        server.insert("edge", (2, 3))
        output = server.get("/changes/reach", since=1)
        assert [each["epoch"] for each in output["changes"]] == [2, 4]
        assert (output["epoch"], output["more"]) == (4, False)
        assert server.get("/changes/reach", since=4) == {"epoch": 4, "changes": [], "more": False}
        assert server.get("/changes/reach")["epoch"] == 4


def test_a_poll_waits_for_a_change_of_its_view() -> None:
    with running() as server:
        found: list[Any] = []
        waiting = threading.Thread(target=lambda: found.append(server.get("/changes/reach", since=1, wait=60)))
        waiting.start()
        while not server.service.feeds.open:
            waiting.join(0.01)
        server.insert("other", (1,))
        server.insert("edge", (1, 2))
        waiting.join()
        assert found[0]["changes"] == [{"epoch": 3, "plus": [[1, 2]], "minus": []}]
        assert server.get("/changes/reach", since=3, wait=0.05)["changes"] == []


def test_a_feed_tells_every_epoch_once_over_reconnects(tmp_path: Path) -> None:
    draw = random.Random(17)
    with running(path=tmp_path / "state", limits=ServerLimits(kept_changes=6_000)) as server:

        def write() -> None:
            held: set[tuple[int, int]] = set()
            for _ in range(60):
                new = {(draw.randrange(8), draw.randrange(8)) for _ in range(3)}
                old = set(draw.sample(sorted(held), min(len(held), 2))) - new
                server.post("/epochs", {"insert": {"edge": [*map(list, new)]}, "delete": {"edge": [*map(list, old)]}})
                held = (held | new) - old
            server.insert("edge", (100, 101))

        writing = threading.Thread(target=write)
        writing.start()
        found: list[dict[str, Any]] = []
        last = 0
        with http_client(server.url, server.reader.headers) as http:
            while not (found and [100, 101] in found[-1]["plus"]):
                with http.stream("GET", "/v1/changes/reach", headers={**EVENTS, "Last-Event-ID": str(last)}) as feed:
                    for number, (id_, change) in enumerate(events(feed)):
                        assert id_ is not None
                        last = id_
                        if "plus" in change:
                            found.append(change)
                        if number >= 5 or (100, 101) in map(tuple, change.get("plus", ())):
                            break  # the connection breaks
        writing.join()
        assert [each["epoch"] for each in found] == sorted({each["epoch"] for each in found})
        assert replayed(found) == {tuple(row) for row in server.get("/views/reach")["rows"]}
        while server.service.feeds.open:
            server.get("")


def test_a_client_follows_a_view_over_a_restart(tmp_path: Path) -> None:
    found: list[Any] = []
    path = tmp_path / "state"
    with running(path=path) as server:
        port = int(server.url.rpartition(":")[2])
        client = connect(server.url, "r" * 43)

        def follow() -> None:
            for change in client.feed("reach", 0):
                found.append(change)
                if (3, 4) in change.inserted:
                    return

        following = threading.Thread(target=follow)
        following.start()
        server.insert("edge", (1, 2))
        while len(found) < 1:
            following.join(0.01)
    with Engine(REACH, path=path) as db, db.epoch() as epoch:
        epoch.insert("edge", [(2, 3)])
    with running(path=path, port=port) as server:
        server.insert("edge", (3, 4))
        following.join()
    client.close()
    assert [(change.epoch, sorted(change.inserted)) for change in found] == [
        (2, [(1, 2)]),
        (3, [(1, 3), (2, 3)]),
        (4, [(1, 4), (2, 4), (3, 4)]),
    ]


def test_a_large_epoch_comes_in_parts_and_counts_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "PART", 10)
    with running() as server:
        server.insert("edge", *((i, i + 1) for i in range(12)))
        server.post("/epochs", {"delete": {"edge": [[0, 1]]}})
        with server.http.stream("GET", "/v1/changes/edge?since=1", headers=EVENTS) as feed:
            parts = [next(each) for each in [events(feed)] for _ in range(3)]
        assert [(id_, len(part["plus"]), part.get("more")) for id_, part in parts] == [
            (None, 10, True),
            (2, 2, None),
            (3, 0, None),
        ]
        client = connect(server.url, "r" * 43)
        both = client.feed("edge", 1)
        assert [(len(change.inserted), len(change.deleted)) for change in (next(both), next(both))] == [(12, 0), (0, 1)]
        both.close()  # type: ignore[attr-defined]
        client.close()


def test_feeds_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "BEAT", 0.05)
    with running() as server:
        with server.http.stream("GET", "/v1/changes/reach", headers=EVENTS) as feed:
            assert next(events(feed)) == (1, {"epoch": 1})
        with server.http.stream("GET", "/v1/changes", headers=EVENTS) as feed:
            lines = feed.iter_lines()
            while not next(lines).startswith(": alive"):
                pass


def test_all_views_are_followed_in_numbers(tmp_path: Path) -> None:
    with running(path=tmp_path / "state") as server:
        server.insert("edge", (1, 2), (2, 3))
        output = server.get("/changes", since=0)
        assert [each["epoch"] for each in output["epochs"]] == [1, 2]
        assert output["epochs"][1]["changes"] == {"edge": {"plus": 2, "minus": 0}, "reach": {"plus": 3, "minus": 0}}
        with server.http.stream("GET", "/v1/changes?since=1", headers=EVENTS) as feed:
            id_, change = next(events(feed))
            assert (id_, change["changes"]["reach"]) == (2, {"plus": 3, "minus": 0})
        assert server.get("/changes", since=2, wait=0.01)["epochs"] == []


def test_open_feeds_are_limited() -> None:
    with running(limits=ServerLimits(feeds=2)) as server:
        with (
            server.http.stream("GET", "/v1/changes/edge", headers=EVENTS) as one,
            server.http.stream("GET", "/v1/changes", headers=EVENTS) as two,
        ):
            assert (one.status_code, two.status_code) == (200, 200)
            refused(server.reader.get("/v1/changes/edge", headers=EVENTS), 429, "TL8013")
            refused(server.reader.get("/v1/changes/edge?wait=1"), 429, "TL8013")
        server.insert("edge", (1, 2))
        while server.service.feeds.open:
            server.get("")
        assert server.get("/changes/edge", since=1)["epoch"] == 2


def test_a_feed_from_an_epoch_that_has_not_been() -> None:
    with running() as server:
        refused(server.http.get("/v1/changes/edge?since=9"), 400, "TL8016")
        refused(server.http.get("/v1/changes?since=9", headers=EVENTS), 400, "TL8016")
        refused(server.http.get("/v1/changes/edge", headers={**EVENTS, "Last-Event-ID": "x"}), 400, "TL8009")
        refused(server.http.get("/v1/changes/edges", headers=EVENTS), 404, "TL4050")


def test_changes_that_are_no_longer_held() -> None:
    with running(limits=ServerLimits(kept_changes=2_000)) as server:
        for i in range(9):
            server.insert("edge", (i, i + 1))
        refused(server.http.get("/v1/changes/edge?since=1"), 410, "TL8021")
        refused(server.http.get("/v1/changes?since=1", headers=EVENTS), 410, "TL8021")
        assert server.get("/changes/edge", since=9)["changes"][0]["plus"] == [[8, 9]]


def test_changes_that_the_state_no_longer_keeps(tmp_path: Path) -> None:
    with (
        Engine(REACH, path=tmp_path / "state", history=2, strict=True) as db,
        running(db, limits=ServerLimits(kept_changes=2_000)) as server,
    ):
        for i in range(9):
            server.insert("edge", (i, i + 1))
            db.snapshot()
        refused(server.http.get("/v1/changes/edge?since=1"), 410, "TL5103")
        refused(server.http.get("/v1/changes?since=1"), 410, "TL5103")
        kept = server.get("/epochs")
        assert 2 <= len(kept["epochs"]) < 10


def test_feeds_end_when_the_server_stops() -> None:
    with running() as server:
        ended: list[bool] = []

        def follow(server: Running = server) -> None:
            with server.reader.stream("GET", "/v1/changes/edge", headers=EVENTS) as feed:
                ended.append(list(feed.iter_lines()) is not None)

        following = threading.Thread(target=follow)
        following.start()
        while not server.service.feeds.open:
            following.join(0.01)
        with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as late:
            server.service.hub.close()  # as the server does when it stops
            following.join()
            late.sendall(f"GET /v1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {'r' * 43}\r\n\r\n".encode())
            with late.makefile("rb") as answer:
                assert b"503" in answer.readline()
                output = b"".join(iter(answer.readline, b"\r\n"))
                length = int(output.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                assert b"TL8020" in answer.read(length)
        assert ended == [True]
