"""Why, why not, how, and whether all is true."""

from __future__ import annotations

from pathlib import Path

from tests.serve.running import refused, running
from tidelog.engine.engine import core_of


def test_a_proof_is_returned_as_a_tree() -> None:
    with running() as server:
        server.insert("edge", *((i, i + 1) for i in range(6)))
        output = server.get("/why", fact="reach(0, 6)", depth=2)
        assert (output["fact"], output["rule"], output["how"], output["epoch"]) == ("reach(0, 6)", "r2", "derived", 2)
        edge, reach = output["premises"]
        assert (edge["fact"], edge["how"], edge["premises"]) == ("edge(0, 1)", "asserted", [])
        assert (reach["fact"], reach["values"]) == ("reach(1, 6)", [1, 6])
        assert output["hidden"] > 0
        deep = server.get("/why", fact="reach(0, 6)", depth=20)
        assert deep["hidden"] == 0
        refused(server.http.get("/v1/why", params={"fact": "reach(6, 0)"}), 404, "TL4601")
        refused(server.http.get("/v1/why"), 400, "TL8009")


def test_a_proof_of_a_group_and_of_an_absence() -> None:
    with running("n(X, sum<Y>) :- q(X, Y).  lone(X) :- q(X, _), !r(X).  t(X, 1.0 / Y) :- q(X, _), f(Y).") as server:
        server.post("/epochs", {"insert": {"q": [[1, 2], [1, 3]], "r": [[9]], "f": [[0.5]]}})
        group = server.get("/why", fact="n(1, 5)")["premises"][0]
        assert (group["aggregate"], group["value"], group["size"], len(group["rows"])) == ("sum", 5, 2, 2)
        assert {"absent": "r(1)"} in server.get("/why", fact="lone(1)")["premises"]


def test_why_a_fact_is_absent() -> None:
    with running() as server:
        server.insert("edge", (1, 2))
        output = server.get("/why-not", fact="reach(2, 1)")
        assert (output["present"], output["epoch"]) == (False, 2)
        assert [attempt["failed"] for attempt in output["attempts"]] == ["edge(2, 1)", "edge(2, Y)"]


def test_why_a_fact_changed(tmp_path: Path) -> None:
    with running(path=tmp_path / "state") as server:
        server.insert("edge", (1, 2))
        server.post("/epochs", {"insert": {"edge": [[2, 3], [7, 8]]}, "author": "ada"})
        output = server.get("/blame", fact="reach(1, 3)")
        assert "edge(2, 3)" in output["text"]
        assert "edge(7, 8)" not in output["text"]


def test_a_constraint_that_is_violated() -> None:
    with running("path(X, Y) :- edge(X, Y).  :- path(X, X).") as server:
        server.insert("edge", (1, 2))
        response = server.http.post("/v1/epochs", json={"insert": {"edge": [[3, 3]]}})
        assert (response.status_code, response.json()["error"]["kind"]) == (409, "ConstraintError")
        assert server.get("")["epoch"] == 2


def test_plans_and_profiles() -> None:
    with running() as server:
        server.insert("edge", (1, 2))
        output = server.get("/explain", rule="r2", analyze="true")
        (stratum,) = output["strata"]
        assert [rule["label"] for rule in stratum["rules"]] == ["r2"]
        assert stratum["rules"][0]["orders"][0]["numbers"]
        refused(server.http.get("/v1/explain", params={"rule": "r9"}), 404, "TL4501")
        assert server.get("/profile")["last"]["epochs"] == 1
        assert server.post("/profile", {"sampling": True})["sampling"] is True
        assert server.service.engine.profiling


def test_a_state_is_certified(tmp_path: Path) -> None:
    with running(path=tmp_path / "state") as server:
        server.insert("edge", (1, 2))
        output = server.post("/verify")
        assert (output["valid"], output["epoch"]) == (True, 2)


def test_verification_is_done_once_at_a_time() -> None:
    with running() as server, server.service.alone("a verification"):
        refused(server.http.post("/v1/verify", json={}), 503, "TL8015")


def test_reading_waits_for_no_epoch() -> None:
    with running() as server:
        server.insert("edge", (1, 2), (2, 3))
        with core_of(server.service.engine).writing:  # as an epoch has it
            assert server.get("/views/reach")["total"] == 3
            assert server.get("/views/reach", c1=1)["total"] == 2
            assert server.post("/query", {"text": "reach(X, Y), !edge(X, Y)"})["rows"] == [[1, 3]]
            assert server.get("/program")["epoch"] == 2
            assert server.get("/statistics")["epoch"] == 2
            assert server.get("/changes/reach", since=1)["epoch"] == 2


def test_dates_and_booleans_are_written_as_in_programs() -> None:
    program = """.decl share(u: symbol, d: date, b: boolean)
.decl due(u: symbol)
due(u) :- share(u, d, true), d > "2026-06-01".
share("a", "2027-01-01", true).
"""
    with running(program) as server:
        for date in ('"2027-01-01"', 'date("2027-01-01")'):
            found = server.http.post("/v1/query", json={"text": f"share(U, {date}, true)"})
            assert found.json()["rows"] == [["a"]], found.text
            proof = server.http.get("/v1/why", params={"fact": f'share("a", {date}, true)'})
            assert proof.status_code == 200, proof.text
        refused(server.http.post("/v1/query", json={"text": "share(U, 2027-01-01, true)"}), 400, "TL401")
        refused(server.http.get("/v1/why", params={"fact": "share(a, 2027-01-01, true)"}), 400, "TL1303")
