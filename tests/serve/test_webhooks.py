"""Webhooks: every epoch that changes a view is one request, in order, at least once."""

from __future__ import annotations

import hashlib
import hmac
import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.serve.running import REACH, running
from tidelog import Engine
from tidelog.errors import EngineError, ServerError
from tidelog.follow.patience import Patience
from tidelog.serve.webhooks import Webhook, make_webhooks


@dataclass
class Receiver:
    """A server that records what it gets, and answers with the statuses it is given, then with 204."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    got: list[tuple[dict[str, str], dict[str, Any], bytes]] = field(default_factory=list)
    accepted: list[dict[str, Any]] = field(default_factory=list)

    @property
    def epochs(self) -> list[int]:
        return [content["epoch"] for content in self.accepted]


@contextmanager
def receiving() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.got.append((dict(self.headers), json.loads(body), body))
            status = found.statuses.pop(0) if found.statuses else 204
            if status == 0:  # the answer is lost
                self.connection.close()
                return
            if 200 <= status < 300:
                found.accepted.append(json.loads(body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.url = f"http://127.0.0.1:{server.server_port}/hook?key=secret"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


def eventually(holds: Callable[[], object], seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def webhook(url: str, secret: bytes | None = None) -> Webhook:
    return Webhook("reach", url, secret, Patience(0.01, 0.05))


@contextmanager
def sending(path: Path, *hooks: Webhook) -> Iterator[Engine]:
    with Engine(REACH if not path.exists() else "", path=path) as db:
        for hook in hooks:
            hook.check(db)
            hook.start(db)
        try:
            yield db
        finally:
            for hook in hooks:
                hook.stop()


def insert(db: Engine, *rows: tuple[int, int]) -> None:
    with db.epoch(author="ada") as e:
        e.insert("edge", rows)


def test_every_epoch_is_sent_in_order_with_a_signature(tmp_path: Path) -> None:
    with receiving() as receiver, sending(tmp_path / "s", webhook(receiver.url, b"key")) as db:
        insert(db, (1, 2))
        insert(db, (2, 3))
        with db.epoch() as e:
            e.insert("other", [(1,)])
        with db.epoch() as e:
            e.delete("edge", [(1, 2)])
        eventually(lambda: len(receiver.accepted) == 3)
        assert receiver.accepted[0] == {
            "view": "reach", "columns": ["X", "Y"], "epoch": 2, "plus": [[1, 2]], "minus": [], "author": "ada",
            "note": None,
        }  # fmt: skip
        assert receiver.epochs == [2, 3, 5]
        assert sorted(receiver.accepted[2]["minus"]) == [[1, 2], [1, 3]]
        headers, _, body = receiver.got[0]
        assert (headers["Tidelog-Epoch"], headers["Idempotency-Key"]) == ("2", "reach-2")
        moment, _, found = headers["Tidelog-Signature"].removeprefix("t=").partition(",v1=")
        assert abs(int(moment) - time.time()) < 60
        assert found == hmac.new(b"key", f"{moment}.".encode() + body, hashlib.sha256).hexdigest()


def test_what_fails_is_sent_again_before_the_next(tmp_path: Path) -> None:
    hook = webhook("")
    with receiving() as receiver:
        hook.url = receiver.url
        receiver.statuses += [500, 0, 302, 404]
        with sending(tmp_path / "s", hook) as db:
            insert(db, (1, 2))
            insert(db, (2, 3))
            eventually(lambda: len(receiver.accepted) == 2)
        assert [content["epoch"] for _, content, _ in receiver.got] == [2, 2, 2, 2, 2, 3]
        assert len({body for _, _, body in receiver.got[:5]}) == 1
        assert (hook.health()["retries"], hook.health()["sent"]) == (4, 2)
        assert "secret" not in hook.name


def test_a_restart_goes_on_after_the_last_acknowledged_epoch(tmp_path: Path) -> None:
    with receiving() as receiver:
        with sending(tmp_path / "s", webhook(receiver.url)) as db:
            insert(db, (1, 2))
            eventually(lambda: receiver.epochs == [2])
            receiver.statuses += [503] * 1000
            insert(db, (2, 3))
            insert(db, (3, 4))
            eventually(lambda: len(receiver.got) > 2)
        with Engine(path=tmp_path / "s") as db:  # without webhooks
            insert(db, (4, 5))
        receiver.statuses.clear()
        with sending(tmp_path / "s", webhook(receiver.url)) as db:
            eventually(lambda: len(receiver.accepted) == 4)
            insert(db, (5, 6))
            eventually(lambda: len(receiver.accepted) == 5)
        assert receiver.epochs == [2, 3, 4, 5, 6]
        summed = {tuple(row) for content in receiver.accepted for row in content["plus"]}
        with Engine(path=tmp_path / "s", at=-1) as db:
            assert summed == set(db["reach"])


def test_many_epochs_while_the_receiver_is_away_come_from_the_history(tmp_path: Path) -> None:
    with receiving() as receiver:
        receiver.statuses += [500] * 20
        with sending(tmp_path / "s", webhook(receiver.url)) as db:
            for number in range(1200):  # more than a feed holds
                insert(db, (2 * number, 2 * number + 1))
            eventually(lambda: len(receiver.accepted) == 1200, 120)
        assert receiver.epochs == list(range(2, 1202))


def test_what_the_history_has_lost_is_a_gap(tmp_path: Path) -> None:
    with receiving() as receiver:
        with sending(tmp_path / "s", webhook(receiver.url)) as db:
            insert(db, (1, 2))
            eventually(lambda: receiver.epochs == [2])
        with Engine(path=tmp_path / "s", history=1) as db:
            for number in range(6):
                insert(db, (10 * number, 10 * number + 1))
                db.snapshot()
        with sending(tmp_path / "s", webhook(receiver.url)) as db:
            eventually(lambda: len(receiver.accepted) == 2)
            insert(db, (7, 8))
            eventually(lambda: len(receiver.accepted) == 3)
        assert receiver.accepted[1] == {"view": "reach", "epoch": 8, "gap": {"first": 3, "last": 8}}
        assert receiver.epochs == [2, 8, 9]


def test_an_idle_view_keeps_its_place(tmp_path: Path) -> None:
    with receiving() as receiver:
        with sending(tmp_path / "s", webhook(receiver.url)) as db:
            for number in range(4):
                with db.epoch() as e:
                    e.insert("other", [(number,)])
        with Engine(path=tmp_path / "s", history=1) as db:
            db.snapshot()
            db.snapshot()
        with sending(tmp_path / "s", webhook(receiver.url)) as db:
            insert(db, (1, 2))
            eventually(lambda: len(receiver.accepted) == 1)
        assert receiver.epochs == [6]


def test_a_server_reports_its_webhooks(tmp_path: Path) -> None:
    with receiving() as receiver:
        hooks = make_webhooks([f"reach={receiver.url}"], None)
        with running(REACH, path=tmp_path / "s", sources=hooks) as server:
            server.insert("edge", (1, 2))
            eventually(lambda: receiver.epochs == [2])
            eventually(lambda: server.get("/sources")["sources"][0]["acknowledged"] == 2)
            found = server.get("/sources")["sources"][0]
            assert (found["state"], found["name"]) == ("running", f"webhook reach {receiver.url.partition('?')[0]}")


def test_what_is_wrong_with_a_webhook(tmp_path: Path) -> None:
    for option in ("reach", "=http://127.0.0.1", "reach=ftp://x", "reach=http://", "reach=http://h:99999"):
        with pytest.raises(ServerError, match="VIEW=URL") as raised:
            make_webhooks([option], None)
        assert raised.value.code == "TL8055"
    with pytest.raises(ServerError, match="twice"):
        make_webhooks(["a=http://h", "a=http://h"], None)
    with pytest.raises(ServerError, match="No such file"):
        make_webhooks([], tmp_path / "none")
    (tmp_path / "empty").write_text(" \n")
    with pytest.raises(ServerError, match="empty"):
        make_webhooks([], tmp_path / "empty")
    with Engine(REACH, path=tmp_path / "s") as db, pytest.raises(EngineError, match="unknown relation"):
        make_webhooks(["raech=http://h"], None)[0].check(db)
