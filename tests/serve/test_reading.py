"""Views, questions and descriptions over HTTP."""

from __future__ import annotations

from pathlib import Path

from tests.serve.running import refused, running
from tidelog.client import connect


def test_a_server_tells_what_it_is() -> None:
    with running() as server:
        output = server.get("")
        assert (output["name"], output["epoch"], output["read_only"]) == ("tidelog", 1, False)
        assert output["limits"]["rows"] == server.service.limits.rows
        assert server.reader.get("/v1").json()["read_only"] is True


def test_metrics_are_a_page_for_prometheus() -> None:
    with running() as server:
        server.insert("edge", (1, 2))
        output = server.reader.get("/metrics")
        assert output.headers["content-type"].startswith("text/plain; version=0.0.4")
        assert "tidelog_epoch 2\n" in output.text
        assert 'tidelog_facts{relation="reach"} 1\n' in output.text


def test_a_view_is_read_with_its_epoch() -> None:
    with running() as server:
        server.insert("edge", (1, 2), (2, 3))
        output = server.get("/views/reach")
        assert sorted(output["rows"]) == [[1, 2], [1, 3], [2, 3]]
        assert (output["epoch"], output["columns"], output["types"]) == (2, ["X", "Y"], ["number", "number"])
        assert (output["total"], output["next"]) == (3, None)


def test_a_question_is_answered() -> None:
    with running() as server:
        server.insert("edge", (1, 2), (2, 3))
        output = server.post("/query", {"text": "reach(X, Y), !edge(X, Y)"})
        assert (output["epoch"], output["columns"], output["rows"]) == (2, ["X", "Y"], [[1, 3]])
        assert server.post("/query", {"text": "edge(1, Y)"})["rows"] == [[2]]
        assert server.post("/query", {"text": "edge(1, 2)"})["rows"] == [[]]


def test_pages_name_the_numbers_of_undefined_facts() -> None:
    with running("win(X) :- move(X, Y), !win(Y).") as server:
        server.insert("move", (1, 2), (2, 1), (3, 4), (5, 6))
        page = server.get("/views/win", limit=1)
        assert (page["total"], page["undefined"]) == (2, {"win": 2})
        assert "undefined" not in server.get("/views/win", limit=1, after=page["next"])
        assert server.post("/query", {"text": "move(X, Y), win(X)"})["undefined"] == {"win": 2}
        assert "undefined" not in server.post("/query", {"text": "move(X, Y)"})
        output = server.http.get("/v1/views/win", headers={"Accept": "text/csv"})
        assert (output.headers["Tidelog-Undefined"], output.text.split()) == ("2", ["X", "3", "5"])
        first = server.get("/undefined/win", limit=1)
        rest = server.get("/undefined/win", limit=1, after=first["next"])
        assert sorted(first["rows"] + rest["rows"]) == [[1], [2]]
        with connect(server.url, token="r" * 43) as client:
            assert sorted(client.undefined("win")) == [(1,), (2,)]
        server.insert("move", (2, 7))
        assert "undefined" not in server.get("/views/win")
        assert server.get("/undefined/win")["total"] == 0
        refused(server.http.get("/v1/undefined/wim"), 404, "TL4050")


def test_unknown_relations_are_reported() -> None:
    with running() as server:
        assert "reach" in refused(server.http.get("/v1/views/reech"), 404, "TL4050")["message"]
        refused(server.http.post("/v1/query", json={"text": "reech(X)"}), 400, "TL4070")


def test_a_question_that_is_not_well_formed_is_reported_with_its_place() -> None:
    with running() as server:
        error = server.http.post("/v1/query", json={"text": "edge(X,"}).json()["error"]
        assert error["kind"] == "ProgramError"
        assert error["where"]["line"] == 1
        assert error["diagnostics"][0]["code"] == error["code"]


def test_the_program_is_described() -> None:
    with running("even(X) :- zero(X).  even(Y) :- odd(X), next(X, Y).  odd(Y) :- even(X), next(X, Y).  "
                 "big(X) :- next(X, _), !even(X).") as server:  # fmt: skip
        server.insert("zero", (0,))
        output = server.get("/program")
        relations = {relation["name"]: relation for relation in output["relations"]}
        assert [rule["label"] for rule in output["rules"]] == ["r1", "r2", "r3", "r4"]
        assert output["rules"][1]["body"] == ["odd(X)", "next(X, Y)"]
        assert relations["even"]["recursive"] == relations["odd"]["recursive"] == relations["odd"]["stratum"]
        assert (relations["next"]["base"], relations["big"]["base"], relations["big"]["recursive"]) == (
            True,
            False,
            None,
        )
        assert relations["zero"] | {"last_change": None} == {
            "name": "zero",
            "columns": [{"name": "c1", "type": "number"}],
            "base": True,
            "stratum": 0,
            "recursive": None,
            "size": 1,
            "incomplete": [],
            "last_change": None,
        }
        assert relations["zero"]["last_change"] == {"epoch": 2, "plus": 1, "minus": 0}
        assert {"from": "even", "to": "big", "negated": True} in output["edges"]
        assert {"from": "next", "to": "big", "negated": False} in output["edges"]


def test_a_text_is_checked_without_running_it() -> None:
    with running() as server:
        assert server.post("/check", {"text": "p(X) :- q(X)."})["diagnostics"] == []
        found = server.post("/check", {"text": "p(X) :-\n q(Y)."})["diagnostics"]
        assert [each["code"] for each in found if each["severity"] == "error"] == ["TL301"]
        assert found[0]["where"]["line"] == 1
        assert server.get("")["epoch"] == 1


def test_values_of_every_type_come_back_as_they_went_in() -> None:
    program = """
        .type Point = [x: number, y: number]
        .type Shape = Dot {at: Point} | Nothing {}
        .decl all_(n: number, u: unsigned, f: float, s: symbol, p: Point, v: Shape)
    """
    rows = [
        [-(2**63), 2**64 - 1, 1.5, 'a "b" é\u2028', "[1, -2]", "$Dot([3, 4])"],
        [7, 0, "Infinity", "", "nil", "$Nothing"],
    ]
    with running(program) as server:
        server.insert("all_", *rows)
        output = server.get("/views/all_")
        assert sorted(output["rows"], key=str) == sorted(rows, key=str)
        assert output["types"] == ["number", "unsigned", "float", "symbol", "Point", "Shape"]
        server.post("/epochs", {"delete": {"all_": output["rows"]}})
        assert server.get("/views/all_")["rows"] == []


def test_lists_and_moments_come_back_as_they_went_in() -> None:
    with running("at(W, D, L) :- event(W, D, L).") as server:
        rows = [["a", "2026-11-17", [1, [2, "x"]]]]
        server.insert("event", *rows)
        assert server.get("/views/at")["rows"] == rows


def test_old_epochs_are_read_as_they_were(tmp_path: Path) -> None:
    with running(path=tmp_path / "state") as server:
        server.insert("edge", (1, 2))
        server.insert("edge", (2, 3))
        server.post("/epochs", {"delete": {"edge": [[1, 2]]}, "add_rules": ["back(Y, X) :- reach(X, Y)."]})
        assert [len(server.get("/views/reach", at=epoch)["rows"]) for epoch in (1, 2, 3, 4)] == [0, 1, 3, 1]
        assert server.post("/query", {"text": "edge(1, X)", "at": 3})["rows"] == [[2]]
        assert server.get("/why", fact="reach(1,3)", at=3)["epoch"] == 3
        refused(server.http.get("/v1/views/back?at=3"), 404, "TL4050")
        refused(server.http.get("/v1/views/reach?at=9"), 400, "TL8016")


def test_the_history_is_returned_in_pages(tmp_path: Path) -> None:
    with running(path=tmp_path / "state") as server:
        server.post(
            "/epochs", {"insert": {"edge": [[1, 2]]}, "author": "ada", "note": "first", "source": "s", "offset": 7}
        )
        label = server.post("/epochs", {"add_rules": [{"text": "back(Y, X) :- reach(X, Y).", "label": "mirror"}]})
        assert label["labels"] == ["mirror"]
        first = server.get("/epochs", limit=2)
        assert [entry["epoch"] for entry in first["epochs"]] == [3, 2]
        assert first["epochs"][0]["rules"]["added"] == ["mirror: back(Y, X) :- reach(X, Y)."]
        second = first["epochs"][1]
        assert (second["author"], second["note"], second["source"], second["offset"]) == ("ada", "first", "s", 7)
        assert second["facts"] == {"edge": {"plus": 1, "minus": 0}}
        assert second["changes"]["reach"] == {"plus": 1, "minus": 0}
        rest = server.get("/epochs", before=first["next"])
        assert ([entry["epoch"] for entry in rest["epochs"]], rest["next"]) == ([1], None)


def test_statistics_tell_how_the_server_is_doing() -> None:
    class Beside:
        name = "beside"

        def start(self, engine: object) -> None:
            """Nothing runs."""

        def stop(self) -> None:
            """Nothing runs."""

        def health(self) -> dict[str, object]:
            return {"state": "running", "detail": "", "lag": 0.5, "reconnects": 2}

        def quarantine(self) -> list[dict[str, object]]:
            return [{"relation": "edge", "table": "public.edge", "rows": 3, "first": []}]

    with running(sources=[Beside()]) as server:
        server.insert("edge", (1, 2))
        output = server.get("/statistics")
        assert (output["epoch"], output["epochs"]["lately"], output["feeds"]) == (2, 1, 0)
        assert output["memory"]["engine"] > 0
        assert output["requests"]["200"] == 1
        health = {"name": "beside", "state": "running", "detail": "", "lag": 0.5, "reconnects": 2}
        assert (output["sources"], output["incomplete"]) == ([health], ["edge"])
        found = server.get("/sources")
        assert found == {"sources": [{**health, "quarantine": Beside().quarantine()}], "incomplete": ["edge"]}
        relations = server.get("/program")["relations"]
        assert {each["name"]: each["incomplete"] for each in relations} == {"edge": ["edge"], "reach": ["edge"]}
        lines = server.reader.get("/metrics").text.splitlines()
        assert 'tidelog_source_running{source="beside"} 1' in lines
        assert 'tidelog_source_lag_seconds{source="beside"} 0.5' in lines
        assert 'tidelog_source_reconnects_total{source="beside"} 2' in lines
        assert 'tidelog_source_quarantined_rows{source="beside",relation="edge"} 3' in lines


def test_facts_are_counted_as_the_program_page_counts_them() -> None:
    program = "p(X) :- q(X).  s(N) :- N = count : { q(_) }.  t(X) :- q(X), !r(X).  safe: :- q(X), X > 99."
    with running(program) as server:
        server.insert("q", *((i,) for i in range(10)))
        server.insert("r", (3,))
        sizes = sum(relation["size"] for relation in server.get("/program")["relations"])
        found = server.get("/statistics")
        assert (found["facts"], found["auxiliary_facts"] >= 0) == (sizes, True)
        assert sizes == 10 + 10 + 1 + 1 + 9
