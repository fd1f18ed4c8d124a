"""Requests at random: whatever is sent is answered, or refused by name; no traceback, no 500."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pyarrow as pa
import pytest

from tests.serve.running import READS, WRITES, Running, http_client, running
from tidelog.serve.limits import ServerLimits
from tidelog.serve.operation import EVENTS, Operation
from tidelog.serve.routes import OPERATIONS
from tidelog.serve.values import ARROW

PROGRAM = """
.type Point = [x: number, y: number]
.decl edge(a: number, b: number)
.decl reach(a: number, b: number)
.decl name(n: symbol, f: float, u: unsigned)
.decl at(p: Point)
.decl total(a: number, s: number)
reach(a, b) :- edge(a, b).
reach(a, c) :- edge(a, b), reach(b, c).
total(a, s) :- edge(a, _), s = sum b : { edge(a, b) }.
"""
NAMES = ["edge", "reach", "name", "at", "total", "nobody", "__x", "a.b", "é", "", "x" * 300, "../../etc/passwd", "\0"]
TEXTS = [
    "reach(a, b), !edge(a, b)", "edge(1, x)", "name(n, f, u), f > 0.5", "at([x, y])", "total(a, s), s > 3",
    "reach(a, b) :- edge(b, a).", 'name(cat("a", n), f, u) :- name(n, f, u).', "edge(1, 2).", "x = 1 / 0",
    "n(x + 1) :- n(x).", '.input edge(filename="/etc/passwd")', '#include "/etc/passwd"', "edge(a, a)",
    "edge(a, b), edge(c, d), a / c = d", "reach(1, 2)", "at([1, 2])", 'name("a", 1.5, 3)', "edge(", "\U0001f600",
    "", ")" * 500, "(" * 500, "x" * 5000, "s = count : { edge(_, _) }", "!!edge(1, 2)", "?", "edge(1, 2), ",
    'match("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaa!")',
]  # fmt: skip
TYPES = [
    "application/json",
    ARROW,
    EVENTS,
    "text/plain",
    "*/*",
    "",
    "application/*",
    "\xff",
    "application/json; charset=x",
]


def fuzz_value(draw: random.Random, depth: int = 0) -> Any:
    kind = draw.randrange(12 if depth < 4 else 9)
    simple: list[Any] = [
        draw.randrange(5),
        draw.choice([2**63, -(2**63) - 1, 2**64, 10**400, -1]),
        draw.choice([1.5, -0.0, 1e308, 1e-320]),
        draw.choice(["", "a", "\u0000", "\u2028", "x" * 300, "nil", "[1, 2]", "Infinity", "$X"]),
        None,
        draw.random() < 0.5,
        draw.choice(NAMES),
        draw.choice(TEXTS),
        draw.randrange(3),
    ]
    if kind < len(simple):
        return simple[kind]
    if kind == 9:
        return {draw.choice(NAMES): fuzz_value(draw, depth + 1) for _ in range(draw.randrange(3))}
    return [fuzz_value(draw, depth + 1) for _ in range(draw.randrange(4))]


def fuzz_schema(draw: random.Random, schema: Any) -> Any:
    """A value that is as described, more or less."""
    if draw.random() < 0.06:
        return fuzz_value(draw)
    kind = schema.get("type")
    kind = draw.choice(kind) if isinstance(kind, list) else kind
    if kind == "object":
        found = {
            name: fuzz_schema(draw, inner)
            for name, inner in schema.get("properties", {}).items()
            if draw.random() < 0.4 or name in schema.get("required", ())
        }
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            found |= {draw.choice(NAMES[:5]): fuzz_schema(draw, more) for _ in range(draw.randrange(3))}
        return found
    if kind == "array":
        if "items" not in schema:
            return [draw.choice([1, 2, 3, "a", 1.5, fuzz_value(draw)]) for _ in range(draw.randrange(1, 4))]
        return [fuzz_schema(draw, schema["items"]) for _ in range(draw.randrange(4))]
    if kind == "string":
        return draw.choice([mutated(draw, draw.choice(TEXTS)), draw.choice(["r1", "r2", "edge", "s", "1.1"])])
    if kind == "boolean":
        return draw.random() < 0.5
    return draw.choice([0, 1, 2, 3, 10, 1000, draw.randrange(10**20)])


def mutated(draw: random.Random, text: str) -> str:
    for _ in range(draw.randrange(3)):
        at = draw.randrange(len(text) + 1)
        text = (
            text[:at]
            + draw.choice(["", "(", ")", ",", '"', "!", ".", "_", "\n", "9", "é"])
            + text[at + draw.randrange(2) :]
        )
    return text


def fuzz_body(draw: random.Random, operation: Operation) -> tuple[bytes, str]:
    if operation.takes_arrow and draw.random() < 0.4:
        columns = {
            f"c{i}": draw.choice([[1, 2], ["a", "b"], [1.5, None], [[1], [2]]]) for i in range(draw.randrange(4))
        }
        sink = pa.BufferOutputStream()
        table = pa.table(columns)
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return damaged(draw, sink.getvalue().to_pybytes()), ARROW
    if operation.body is None and draw.random() < 0.9:
        return b"", ""
    text = json.dumps(fuzz_schema(draw, operation.body or {})).encode()
    return (damaged(draw, text) if draw.random() < 0.1 else text), "application/json"


def damaged(draw: random.Random, body: bytes) -> bytes:
    if not body or draw.random() < 0.5:
        return body
    at = draw.randrange(len(body))
    return draw.choice([body[:at], body[:at] + bytes([draw.randrange(256)]) + body[at + 1 :], body[at:]])


def fuzz_request(draw: random.Random, server: Running) -> httpx.Request:
    operation = draw.choice(OPERATIONS)
    path = operation.path.replace("{name}", quote(draw.choice(NAMES), safe="")).replace(
        "{id}", quote(draw.choice(NAMES))
    )
    query = {name: fuzz_schema(draw, schema) for name, schema in operation.query.items() if draw.random() < 0.4}
    for name in operation.required:
        query.setdefault(name, mutated(draw, draw.choice(TEXTS)))
    query.pop("wait", None)
    if draw.random() < 0.1:
        query[draw.choice(["a", "b", "n", "token", "é"])] = draw.choice(["1", "x", "", "1.5"])
    body, type_ = fuzz_body(draw, operation)
    headers = {**(WRITES if draw.random() < 0.9 else READS)}
    if type_:
        headers["Content-Type"] = (
            type_ if draw.random() < 0.95 else draw.choice(TYPES).encode("latin-1").decode("latin-1")
        )
    if draw.random() < 0.2:
        headers["Accept"] = draw.choice(TYPES)
    if draw.random() < 0.05:
        headers["Last-Event-ID"] = draw.choice(["1", "x", "-1", "9" * 40])
    method = operation.method if draw.random() < 0.97 else draw.choice(["PUT", "PATCH", "DELETE", "GET", "POST"])
    raw = {name: value.encode("latin-1") for name, value in headers.items()}
    output = {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
    return httpx.Request(method, f"{server.url}{path}", params=output, headers=raw, content=body)


def fuzz(server: Running, seed: int, requests: int) -> dict[int, int]:
    draw, statuses = random.Random(seed), dict[int, int]()
    with http_client() as http:
        for number in range(requests):
            request = fuzz_request(draw, server)
            response = http.send(request, stream=True)
            statuses[response.status_code] = statuses.get(response.status_code, 0) + 1
            where = f"seed {seed}, request {number}: {request.method} {request.url} {request.content[:300]!r}"
            if response.headers.get("content-type", "").startswith(EVENTS):
                response.close()
                continue
            text = response.read()
            assert response.status_code < 500 or response.status_code == 503, (where, text)
            assert b"Traceback" not in text, where
            if response.status_code >= 400:
                assert json.loads(text)["error"]["code"].startswith("TL"), where
    return statuses


def run(path: Path, seed: int, requests: int, caplog: pytest.LogCaptureFixture) -> None:
    limits = ServerLimits(seconds=0.2, rows=20_000, body=1 << 20, open_epochs=20)
    with running(PROGRAM, path=path, limits=limits) as server:
        statuses = fuzz(server, seed, requests)
        assert statuses[200] > requests // 10
        assert server.post("/verify")["valid"]
        while server.service.feeds.open:
            server.get("")
    assert "Traceback" not in caplog.text


def test_a_few_hundred_requests_at_random(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run(tmp_path / "state", 17, 300, caplog)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_some_thousand_requests_at_random(tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    run(tmp_path / "state", seed, 1_500, caplog)
