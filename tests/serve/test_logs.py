"""What a server writes into its log."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest

from tests.serve.running import WRITES, running
from tests.serve.test_command import program, typed
from tidelog import Engine
from tidelog.serve import logs
from tidelog.serve.routes import about


def lines(to: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in to.getvalue().splitlines()]


def test_an_unexpected_exception_is_logged_with_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("nobody thought of it")

    monkeypatch.setattr(about, "program_json", fail)
    to = io.StringIO()
    with logs.start_logging("info", "json", to), running() as server:
        assert server.http.get("/v1/program").status_code == 500
    output = [line for line in lines(to) if line["level"] == "error"]
    assert output[0]["message"] == "unexpected exception in GET /v1/program"
    assert "ZeroDivisionError: nobody thought of it" in str(output[0]["exception"])


def test_refusals_are_logged_without_tokens_and_parameters() -> None:
    to = io.StringIO()
    with logs.start_logging("info", "json", to), running() as server:
        server.http.get("/v1/views/none", params={"c1": "secret"})
        server.http.get("/v1/program", headers={"Authorization": "Bearer wrong-token"})
    output = [line for line in lines(to) if line["message"] == "request refused"]
    assert [(line["status"], line["code"], line["path"]) for line in output] == [
        (404, "TL4050", "/v1/views/none"),
        (401, "TL8001", "/v1/program"),
    ]
    text = to.getvalue()
    assert not any(word in text for word in ("secret", "wrong-token", WRITES["Authorization"]))


def test_requests_are_logged_if_asked_for() -> None:
    to = io.StringIO()
    with logs.start_logging("info", "text", to), running() as server:
        server.get("/program")
        assert "/v1/program" not in to.getvalue()
        server.service.logs_all = True
        server.get("/program")
    assert "method=GET path=/v1/program status=200" in to.getvalue()


def test_what_is_sent_begins_no_line_of_the_log() -> None:
    to = io.StringIO()
    with logs.start_logging("info", "text", to), running() as server:
        server.http.get("/v1/%0a2026-01-01T00:00:00.000Z%20ERROR%20forged%1b[2J")
    output = [line for line in to.getvalue().splitlines() if "forged" in line]
    assert len(output) == 1
    assert "forged\\x1b[2J" in output[0]
    assert "\x1b" not in to.getvalue()


def test_a_level_bounds_what_is_logged(tmp_path: Path) -> None:
    for level, expected in (("error", 0), ("info", 1), ("debug", 2)):
        to = io.StringIO()
        with logs.start_logging(level, "json", to), running(path=tmp_path / level) as server:
            server.insert("edge", (1, 2))
            server.http.get("/v1/none")
        output = [line["message"] for line in lines(to) if "epoch 2" in str(line) or "refused" in str(line)]
        assert len(output) == expected


def test_the_logger_is_the_users_again_afterwards() -> None:
    logger = logging.getLogger("tidelog")
    before = (list(logger.handlers), logger.level, logger.propagate)
    with logs.start_logging("debug", "text", io.StringIO()):
        assert len(logger.handlers) == len(before[0]) + 1
    assert (list(logger.handlers), logger.level, logger.propagate) == before
    Engine("p(1).").close()


def test_the_command_logs_its_start_and_its_end(tmp_path: Path) -> None:
    words = [program(tmp_path), "--state", str(tmp_path / "state"), "--log-format", "json", "--access-log"]
    with typed(*words) as server:
        pass
    output = [json.loads(line) for line in server.rest.splitlines() if line.startswith("{")]
    assert any(str(line["message"]).startswith("serving at http://127.0.0.1:") for line in output)
    assert output[-1]["message"] == "stopped"
