"""Answers as files: whole, of one epoch, read back as the same rows; and escaped for spreadsheets."""

from __future__ import annotations

import csv
import datetime
import io
import json
import random
import socket
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.serve.running import READS, refused, running
from tidelog import Engine
from tidelog.io.files import InputFile, read_input
from tidelog.io.parameters import Layout, kind_of_file
from tidelog.serve import exports, responses
from tidelog.serve.exports import CSV, JSON_LINES, SPREADSHEET
from tidelog.serve.limits import ServerLimits
from tidelog.serve.values import ARROW

DECLARED = ".decl p(a: number, b: symbol, c: float, d: date, e: boolean, f: list, g: unsigned)"
ODD = ["", " ", "=1+1", 'say "hi"', "a,b", "line\nbreak", "\r", "tab\there", "\u202egnp.exe", "日本", "-1", "'", "\x07"]


def rows(choose: random.Random, count: int) -> list[tuple[Any, ...]]:
    return [
        (
            choose.randint(-(2**63), 2**63 - 1),
            choose.choice(ODD) + str(number),
            choose.choice([0.1, -2.5e300, 1.0, float("inf")]),
            datetime.date(1900, 1, 1) + datetime.timedelta(choose.randint(0, 90_000)),
            choose.random() < 0.5,
            (1, ("x, y", 2.5), ""),
            choose.randint(0, 2**64 - 1),
        )
        for number in range(count)
    ]


@pytest.mark.parametrize(("type_", "suffix"), [(CSV, "csv"), (JSON_LINES, "jsonl")])
def test_a_file_is_read_back_as_the_same_rows(
    type_: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "BATCH", 50)
    with Engine(DECLARED) as db:
        with db.epoch() as e:
            e.insert("p", rows(random.Random(7), 230))
        with running(db) as server:
            response = server.reader.get("/v1/views/p", headers={"Accept": type_})
            assert response.status_code == 200
            assert response.headers["content-type"].startswith(type_)
            assert (response.headers["tidelog-total"], response.headers["tidelog-epoch"]) == ("230", "2")
            (tmp_path / f"p.{suffix}").write_bytes(response.content)
            page = server.reader.get("/v1/views/p", params={"limit": 3}, headers={"Accept": type_})
            assert "tidelog-next" in page.headers
        with Engine(DECLARED) as again:
            file = InputFile("p", tmp_path / f"p.{suffix}", Layout(kind_of_file(f"p.{suffix}") or "", named_kind=True))
            with again.epoch() as e:
                e.insert("p", read_input(file, db["p"].columns, db["p"].types))
            assert sorted(map(repr, again["p"])) == sorted(map(repr, db["p"]))


def test_all_rows_are_sent_beyond_the_limit_of_a_page_and_filtered_as_rows_are() -> None:
    with running(limits=ServerLimits(rows=100)) as server:
        server.insert("edge", *((i % 7, i) for i in range(500)))
        lines = server.reader.get("/v1/views/edge", headers={"Accept": CSV}).text.splitlines()
        assert (lines[0], len(lines)) == ("c1,c2", 501)
        lines = server.reader.get("/v1/views/edge", params={"c1": 3}, headers={"Accept": JSON_LINES}).text.splitlines()
        assert {json.loads(line)["c2"] for line in lines} == {i for i in range(500) if i % 7 == 3}
        with pa.ipc.open_stream(server.reader.get("/v1/views/edge", headers={"Accept": ARROW}).content) as reader:
            assert reader.read_all().num_rows == 500
        asked = server.http.post("/v1/query", json={"text": "edge(3, X), X < 20"}, headers={"Accept": CSV})
        assert sorted(asked.text.split()) == ["10", "17", "3", "X"]
        refused(server.reader.get("/v1/views/edge", params={"limit": 101}), 400, "TL8009")


def test_an_export_is_of_one_epoch_while_others_are_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "BATCH", 10)
    with running() as server:
        server.insert("edge", *((i, i + 1) for i in range(200)))
        with server.reader.stream("GET", "/v1/views/edge", headers={"Accept": CSV}) as response:
            parts = response.iter_lines()
            found = [next(parts), next(parts)]
            server.post("/epochs", {"delete": {"edge": [[i, i + 1] for i in range(200)]}})
            found += parts
        assert (len(found), response.headers["tidelog-epoch"]) == (201, "2")


def test_cells_that_a_spreadsheet_would_run_are_escaped_for_spreadsheets_alone() -> None:
    dangerous = ["=1+1", "+1", "-1", "@cmd", "\tx", "\rx", "\uff1d1"]
    harmless = ["a=1", "", "x", "'='", "12"]
    with running(".decl p(name: symbol, n: number)") as server:
        server.insert("p", *((name, -5) for name in dangerous + harmless))
        plain = server.reader.get("/v1/views/p", headers={"Accept": CSV}).text
        assert {row[0] for row in csv.reader(io.StringIO(plain, ""))} == {"name", *dangerous, *harmless}
        response = server.reader.get("/v1/views/p", headers={"Accept": "text/csv; formulas=escaped; q=0.9"})
        assert response.content.startswith(b"\xef\xbb\xbfname,n\n")
        cells = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"), "")))
        assert {row[0] for row in cells} == {"name", *("'" + name for name in dangerous), *harmless}
        assert {row[1] for row in cells[1:]} == {"-5"}
        assert response.headers["content-type"].startswith(SPREADSHEET)
        refused(server.reader.get("/v1/views/p", headers={"Accept": "text/csv; formulas=other"}), 406, "TL8007")
        charset = server.reader.get("/v1/views/p", headers={"Accept": "text/csv; charset=utf-8"})
        assert charset.text == plain


def test_large_answers_at_once_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "SMALL", 100)
    with running() as server:
        server.service.exports._room = 5_000
        server.insert("edge", *((i, i) for i in range(200)))
        server.service.exports.enter(3_000)
        refused(server.reader.get("/v1/views/edge", headers={"Accept": CSV}), 429, "TL8050")
        server.service.exports.leave(3_000)
        assert server.reader.get("/v1/views/edge", headers={"Accept": CSV}).status_code == 200
        until(lambda: server.service.exports.held == 0)


def test_a_client_that_goes_away_or_does_not_read_gives_back_what_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "STALL", 0.5)
    monkeypatch.setattr(exports, "SMALL", 1000)
    with running(".decl p(n: number, t: symbol)") as server:
        server.insert("p", *((i, f"{i}" * 40) for i in range(60_000)))
        host, port = server.url.removeprefix("http://").split(":")
        header = "".join(f"{name}: {value}\r\n" for name, value in {**READS, "Accept": CSV, "Host": host}.items())
        with socket.create_connection((host, int(port))) as stalled:
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stalled.sendall(f"GET /v1/views/p HTTP/1.1\r\n{header}\r\n".encode())
            until(lambda: server.service.exports.held > 0)
            until(lambda: server.service.exports.held == 0)
        with server.reader.stream("GET", "/v1/views/p", headers={"Accept": CSV}) as response:
            next(response.iter_raw())
            assert server.service.exports.held > 0
        until(lambda: server.service.exports.held == 0)


def until(is_so: Any) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
