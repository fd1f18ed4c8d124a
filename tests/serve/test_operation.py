"""What an operator needs: health, request metrics, the audit log."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx

from tests.serve.running import running
from tidelog.serve.audit import AuditLog
from tidelog.serve.request_metrics import BOUNDS, RequestMetrics


def test_health_needs_no_token() -> None:
    with running() as server, httpx.Client(base_url=server.url) as http:
        assert http.get("/livez").json() == {"status": "live"}
        assert http.head("/readyz").status_code == 200
        assert http.get("/readyz").json() == {"status": "ready"}
        server.service.hub.close()
        assert http.get("/readyz").status_code == 503
        assert http.get("/livez").status_code == 200


def test_requests_are_counted_by_path_and_timed() -> None:
    with running() as server:
        server.get("/views/reach")
        server.get("/views/edge")
        server.http.get("/v1/views/none")
        server.http.get("/v1/nothing")
        server.http.put("/v1/epochs")
        page = server.http.get("/metrics").text
        assert 'tidelog_http_requests_total{method="GET",path="/v1/views/{name}",status="200"} 2' in page
        assert 'tidelog_http_requests_total{method="GET",path="/v1/views/{name}",status="404"} 1' in page
        assert 'tidelog_http_requests_total{method="other",path="other",status="404"} 1' in page
        assert 'tidelog_http_request_seconds_count{method="GET",path="/v1/views/{name}"} 3' in page
        names = set(re.findall(r'path="([^"]*)"', page))
        assert names <= {"/v1/views/{name}", "/v1/epochs", "other"}
        assert server.get("/statistics")["requests"].keys() >= {"200", "404"}


def test_a_histogram_counts_every_request_once() -> None:
    metrics = RequestMetrics()
    seconds = [0.0, *BOUNDS, 0.0009, 0.0011, 60.0]
    for each in seconds:
        metrics.note("GET", "/v1", 200, each)
    buckets = [line for line in metrics.page().splitlines() if "_bucket" in line]
    counts = {line.partition('le="')[2].partition('"')[0]: int(line.rpartition(" ")[2]) for line in buckets}
    assert counts == {f"{b}": sum(s <= b for s in seconds) for b in BOUNDS} | {"+Inf": len(seconds)}


def test_the_audit_log_has_a_line_for_every_request_with_a_token(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with running() as server:
        server.service.audit = AuditLog(file)
        server.insert("edge", (1, 2), (2, 3))
        server.post("/query", {"text": "reach(1, X)"})
        server.get("/views/reach", c1="1")
        server.reader.post("/v1/epochs", json={"insert": {"edge": [[7, 7]]}})
        httpx.get(f"{server.url}/v1")
        (tmp_path / "old").write_bytes(file.read_bytes())
        file.rename(tmp_path / "moved")
        server.post("/epochs", {"add_rules": ["back(Y, X) :- reach(X, Y)."], "dry_run": True})
        server.post("/apply", {"script": "+edge(3, 4).", "dry_run": True})
    lines = [json.loads(line) for line in (tmp_path / "moved").read_text().splitlines()]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("POST", "/v1/epochs", 200),
        ("POST", "/v1/query", 200),
        ("GET", "/v1/views/reach", 200),
        ("POST", "/v1/epochs", 403),
    ]
    assert lines[0]["insert"] == {"edge": 2}
    assert lines[1]["text"] == "reach(1, X)"
    assert lines[2]["parameters"] == {"c1": "1"}
    new, applied = map(json.loads, file.read_text().splitlines())
    assert applied["script"] == "+edge(3, 4)."
    assert new["add_rules"] == ["back(Y, X) :- reach(X, Y)."]
    assert {each.stat().st_mode & 0o777 for each in (file, tmp_path / "moved")} == {0o600}
    assert "w" * 43 not in file.read_text() + (tmp_path / "moved").read_text()
