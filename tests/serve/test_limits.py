"""What requests may use, and how they must look."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.serve.running import refused, running
from tidelog.engine.engine import core_of
from tidelog.serve.limits import ServerLimits
from tidelog.serve.values import ARROW

JSON = {"Content-Type": "application/json"}


def test_a_body_beyond_the_limit() -> None:
    with running(limits=ServerLimits(body=1000)) as server:
        refused(server.http.post("/v1/epochs", json={"insert": {"edge": [[1, 2]] * 200}}), 413, "TL8005")
        parts = (b"[[1, 2]," for _ in range(1000))  # of a length that is not announced
        refused(server.http.post("/v1/relations/edge/insert", content=parts, headers=JSON), 413, "TL8005")
        assert server.insert("edge", (1, 2))["epoch"] == 2


def test_a_body_of_another_type() -> None:
    with running() as server:
        refused(server.http.post("/v1/epochs", content=b"{}"), 415, "TL8006")
        refused(server.http.post("/v1/epochs", content=b"{}", headers={"Content-Type": "text/plain"}), 415, "TL8006")
        refused(server.http.post("/v1/epochs", content=b"{}", headers={"Content-Type": ARROW}), 415, "TL8006")
        refused(server.http.post("/v1/epochs", json={}, headers={"Content-Encoding": "gzip"}), 415, "TL8006")


def test_an_answer_of_another_type() -> None:
    with running() as server:
        refused(server.http.get("/v1/program", headers={"Accept": ARROW}), 406, "TL8007")
        refused(server.http.get("/v1/views/edge", headers={"Accept": "text/html"}), 406, "TL8007")
        assert server.http.get("/v1/views/edge", headers={"Accept": "text/html, */*;q=0.1"}).status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"{", b"\xff", b'{"note": NaN}', b'{"note": "\\ud800"}', b"[" * 100_000, b'{"offset": ' + b"1" * 5000 + b"}"],
)
def test_a_body_that_is_not_json(body: bytes) -> None:
    with running() as server:
        refused(server.http.post("/v1/epochs", content=body, headers=JSON), 400, "TL8008")


@pytest.mark.parametrize(
    "body",
    [
        [],
        "text",
        {"inserts": {}},
        {"insert": {"edge": [1]}},
        {"insert": []},
        {"offset": 1.5, "source": "s"},
        {"offset": True, "source": "s"},
        {"offset": 2**63, "source": "s"},
        {"add_rules": [{"label": "x"}]},
        {"dry_run": 1},
        {"rows": -1},
        {"note": "x" * 10_001},
    ],
)
def test_a_request_that_is_not_as_described(body: Any) -> None:
    with running() as server:
        refused(server.http.post("/v1/epochs", json=body), 400, "TL8009")


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=x", "limit=1.5", "limit=" + "9" * 30, "after=1", "at=-1", "limit=1&limit=2", "limit=2000000"],
)
def test_parameters_that_are_not_as_described(query: str) -> None:
    with running() as server:
        refused(server.http.get(f"/v1/views/edge?{query}"), 400, "TL8009")


def test_a_question_that_runs_away_ends_with_an_error() -> None:
    limits = ServerLimits(seconds=0.3, rows=1 << 40)
    with running(limits=limits) as server:
        server.insert("edge", *((i, i + 1) for i in range(400)))
        began = time.process_time()
        away = "reach(A, B), reach(C, D), reach(E, F), A + C + E < 0"
        refused(server.http.post("/v1/query", json={"text": away}), 422, "TL8022")
        assert time.process_time() - began < 20
        assert server.insert("edge", (1000, 1001))["epoch"] == 3  # its limits are its own: epochs have others
        assert server.post("/query", {"text": "edge(1000, X)"})["rows"] == [[1001]]


def test_a_question_with_too_many_answers_ends_with_an_error() -> None:
    with running(limits=ServerLimits(rows=1000)) as server:
        server.insert("edge", *((i, i + 1) for i in range(100)))
        refused(server.http.post("/v1/query", json={"text": "edge(A, B), edge(C, D)"}), 422, "TL8023")
        assert len(server.post("/query", {"text": "edge(A, B), A < 50"})["rows"]) == 50


def test_a_question_that_runs_away_beside_an_epoch_ends_too() -> None:
    with running(limits=ServerLimits(seconds=0.3, rows=1 << 40)) as server:
        server.insert("edge", *((i, i + 1) for i in range(400)))
        with core_of(server.service.engine).writing:  # as an epoch has it
            text = "reach(A, B), reach(C, D), reach(E, F), A + C + E < 0"
            refused(server.http.post("/v1/query", json={"text": text}), 422, "TL8022")
            assert len(server.post("/query", {"text": "reach(0, X), X < 10"})["rows"]) == 9


def test_a_question_of_too_many_parts() -> None:
    with running() as server:
        many = ", ".join(f"edge(X{i}, X{i + 1})" for i in range(65))
        refused(server.http.post("/v1/query", json={"text": many}), 422, "TL8024")
        tests = "edge(X, Y), " + ", ".join(f"X > {i}" for i in range(200))
        refused(server.http.post("/v1/query", json={"text": tests}), 422, "TL8024")
        inside = "X = count : { " + ", ".join(f"edge(X{i}, _)" for i in range(65)) + " }"
        refused(server.http.post("/v1/query", json={"text": inside}), 422, "TL8024")


def test_patterns_of_questions_take_time_that_grows_with_the_text() -> None:
    with running("p(X) :- q(X).") as server:
        server.insert("q", ("a" * 60 + "!",))
        left_out = "a?" * 30 + "a" * 30
        for pattern in ("(a+)+b", "(a|a)*b", "a*a*a*a*b", "(x+x+)+y", left_out, "((a|aa){9}){9}", "[^](a+)+b]"):
            assert server.post("/query", {"text": f'q(X), match("{pattern}", X)'})["total"] == 0
        assert server.post("/query", {"text": 'q(X), match("a+.*", X)'})["total"] == 1
        assert server.post("/query", {"text": "q(X), q(Y), match(X, Y)"})["total"] == 1
        refused(server.http.post("/v1/query", json={"text": 'q(X), match("(?=a)a", X)'}), 400, "TL414")


def test_an_epoch_of_a_client_ends_at_its_limits_and_leaves_no_trace() -> None:
    rules = "n(0). n(X + 1) :- n(X), go(_), X < 100000000."
    with running(rules, limits=ServerLimits(epoch_seconds=0.3)) as server:
        for more in ({}, {"dry_run": True}):
            refused(server.http.post("/v1/epochs", json={"insert": {"go": [[1]]}, **more}), 422, "TL3001")
        assert server.get("/views/n")["rows"] == [[0]]
        server.insert("other", (1,))  # what follows is not limited by what was
    with running(rules, limits=ServerLimits(epoch_memory=1 << 20)) as server:
        refused(server.http.post("/v1/epochs", json={"insert": {"go": [[1]]}}), 422, "TL3003")
        assert server.get("/views/n")["rows"] == [[0]]
