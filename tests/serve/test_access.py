"""Who may do what, and what is answered to those who may not."""

from __future__ import annotations

import logging

import pytest

from tests.serve.running import http_client, refused, running
from tidelog.serve.document import DOCUMENT, PAGE
from tidelog.serve.grants import READ
from tidelog.serve.operation import Operation
from tidelog.serve.routes import OPERATIONS


def path_of(operation: Operation) -> str:
    return operation.path.replace("{name}", "edge").replace("{id}", "x")


def test_every_request_needs_a_token() -> None:
    with running() as server, http_client(server.url) as http:
        for operation in OPERATIONS:
            for headers in ({}, {"Authorization": "Bearer " + "x" * 43}, {"Authorization": "Basic " + "w" * 43}):
                response = http.request(operation.method, path_of(operation), headers=headers)
                refused(response, 401, "TL8001")
                assert response.headers["www-authenticate"] == "Bearer"
        refused(http.get("/v1", params={"token": "w" * 43, "access_token": "w" * 43}), 401, "TL8001")


def test_a_reading_token_changes_nothing() -> None:
    with running() as server:
        for operation in OPERATIONS:
            if operation.access != READ:
                refused(server.reader.request(operation.method, path_of(operation)), 403, "TL8002")
        assert server.get("")["epoch"] == 1
        assert server.reader.post("/v1/query", json={"text": "edge(X, Y)"}).status_code == 200


def test_an_address_that_there_is_not() -> None:
    with running() as server:
        refused(server.http.get("/v1/nothing"), 404, "TL8003")
        refused(server.http.get("/v1/"), 404, "TL8003")
        assert "GET, POST" in refused(server.http.put("/v1/epochs"), 405, "TL8004")["message"]
        assert server.http.head("/v1/check").status_code == 405
        assert server.http.options("/v1").status_code == 405


def test_nothing_of_another_origin_is_let_in() -> None:
    with running() as server:
        asked = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
        for response in (server.http.options("/v1/epochs", headers=asked), server.http.get("/v1", headers=asked)):
            assert not [name for name in response.headers if name.startswith("access-control")]
        assert server.http.get("/v1").headers["cache-control"] == "no-store"


def test_the_api_is_described_for_everybody() -> None:
    with running() as server, http_client(server.url) as http:
        output = http.get(DOCUMENT).json()
        assert {(method.upper(), path) for path, known in output["paths"].items() for method in known} == {
            (operation.method, operation.path) for operation in OPERATIONS
        }
        assert len({each["operationId"] for known in output["paths"].values() for each in known.values()}) == len(
            OPERATIONS
        )
        page = http.get(PAGE)
        assert "<script" not in page.text
        assert "http://" not in page.text.replace(server.url, "")
        assert all(operation.path in page.text for operation in OPERATIONS)
        assert "default-src 'none'" in page.headers["content-security-policy"]


def test_no_token_is_logged(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    with caplog.at_level(logging.DEBUG), running() as server:
        server.get("")
        server.http.get("/v1/nothing", params={"token": "w" * 43})
        server.reader.post("/v1/epochs", json={})
    output = caplog.text + "".join(capfd.readouterr())
    assert "w" * 43 not in output.replace("?token=" + "w" * 43, "")  # what httpx, the client, logs about its request
    assert "r" * 43 not in output
    assert "w" * 43 not in repr(server.service.tokens)


def test_a_defect_is_reported_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running() as server:
        monkeypatch.setattr(server.service, "statistics", lambda: 1 // 0)
        response = server.http.get("/v1/statistics")
        assert "Zero" not in refused(response, 500, "TL8019")["message"]
        assert server.get("")["epoch"] == 1
    assert "ZeroDivisionError" in caplog.text
