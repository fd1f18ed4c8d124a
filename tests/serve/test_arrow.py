"""Rows as streams of Arrow's, both ways."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from tests.serve.running import refused, running
from tidelog.serve import values
from tidelog.serve.values import ARROW

TAKES, SENDS = {"Accept": ARROW}, {"Content-Type": ARROW}


def stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def test_rows_come_and_go_as_streams_of_arrows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "BATCH", 100)
    with running() as server:
        rows = pa.table({"c1": range(300), "c2": range(1, 301)})
        output = server.http.post("/v1/relations/edge/insert", content=stream(rows), headers=SENDS).json()
        assert (output["epoch"], output["changes"]["edge"]["plus_count"]) == (2, 300)
        response = server.reader.get("/v1/views/edge", headers=TAKES)
        assert (response.headers["content-type"], response.headers["tidelog-epoch"]) == (ARROW, "2")
        with pa.ipc.open_stream(response.content) as reader:
            edge = reader.read_all()
        assert edge.num_rows == 300
        assert duckdb.sql("SELECT count(*), max(c2) FROM edge").fetchall() == [(300, 300)]
        gone = server.http.post("/v1/relations/edge/delete", content=stream(rows.slice(0, 299)), headers=SENDS).json()
        assert gone["changes"]["edge"]["minus_count"] == 299
        server.http.post("/v1/relations/edge/insert", json=[[5, 6], {"c1": 1, "c2": 2}][:1]).raise_for_status()
        assert sorted(server.get("/views/edge")["rows"]) == [[5, 6], [299, 300]]


def test_answers_and_pages_as_streams_of_arrows() -> None:
    with running("adult(N) :- person(N, A), A > 17.") as server:
        server.insert("person", ("ada", 36), ("bob", 7), ("cid", 20))
        response = server.http.post("/v1/query", json={"text": "person(N, A), A > 10"}, headers=TAKES)
        assert sorted(_table(response.content).to_pylist(), key=str) == [{"N": "ada", "A": 36}, {"N": "cid", "A": 20}]
        page = server.http.get("/v1/views/person", params={"limit": 2}, headers=TAKES)
        rest = server.http.get("/v1/views/person", params={"after": page.headers["tidelog-next"]}, headers=TAKES)
        assert (_table(page.content).num_rows, _table(rest.content).num_rows) == (2, 1)
        assert "tidelog-next" not in rest.headers
        empty = server.http.get("/v1/views/person", params={"c1": "zoe"}, headers=TAKES)
        assert _table(empty.content).schema.names == ["c1", "c2"]


def _table(content: bytes) -> pa.Table:
    with pa.ipc.open_stream(content) as reader:
        return reader.read_all()


def test_a_body_that_is_no_stream_of_arrows() -> None:
    whole = stream(pa.table({"c1": [1], "c2": [2]}))
    with running() as server:
        for body in (b"", b"x" * 100, whole[:40], whole[:-100]):
            response = server.http.post("/v1/relations/edge/insert", content=body, headers=SENDS)
            refused(response, 400, "TL8014")
        nulls = stream(pa.table({"c1": [1, None], "c2": [2, 3]}))
        response = server.http.post("/v1/relations/edge/insert", content=nulls, headers=SENDS)
        assert (response.status_code, response.json()["error"]["kind"]) == (400, "DataError")
        assert server.get("")["epoch"] == 1
