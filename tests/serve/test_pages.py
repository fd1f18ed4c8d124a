"""Large answers in pages, and rows by the values of columns."""

from __future__ import annotations

from typing import Any

from tests.serve.running import Running, refused, running
from tidelog.serve.limits import ServerLimits


def pages(server: Running, path: str, **query: Any) -> list[list[Any]]:
    """All rows of a view, page by page, with an epoch in between each."""
    rows: list[list[Any]] = []
    output = server.get(path, **query)
    while True:
        rows += output["rows"]
        if output["next"] is None:
            return rows
        server.insert("other", (len(rows),))
        output = server.get(path, **query, after=output["next"])


def test_all_pages_are_of_one_epoch() -> None:
    with running() as server:
        server.insert("edge", *((i, i + 1) for i in range(20)))
        whole = server.get("/views/reach")
        assert len(whole["rows"]) == 210
        first = server.get("/views/reach", limit=100)
        assert (len(first["rows"]), first["total"], first["next"]) == (100, 210, "2.100")
        server.post("/epochs", {"delete": {"edge": [[3, 4]]}})
        second = server.get("/views/reach", limit=100, after=first["next"])
        third = server.get("/views/reach", limit=100, after=second["next"])
        assert first["rows"] + second["rows"] + third["rows"] == whole["rows"]
        assert (second["epoch"], third["epoch"], third["next"]) == (2, 2, None)
        assert sorted(pages(server, "/views/edge", limit=3)) == sorted(server.get("/views/edge")["rows"])


def test_the_pages_of_a_question_are_of_one_epoch() -> None:
    with running() as server:
        server.insert("edge", *((i, i + 1) for i in range(20)))
        question = {"text": "reach(X, Y), X < Y, !edge(X, Y)", "limit": 100}
        first = server.post("/query", question)
        server.post("/epochs", {"delete": {"edge": [[3, 4]]}})
        second = server.post("/query", {**question, "after": first["next"]})
        assert (first["total"], len(first["rows"]), len(second["rows"]), second["next"]) == (190, 100, 90, None)
        assert len({tuple(row) for row in first["rows"] + second["rows"]}) == 190
        assert (first["epoch"], second["epoch"]) == (2, 2)


def test_pages_that_are_no_longer_kept() -> None:
    with running(limits=ServerLimits(kept_pages=1000)) as server:
        server.insert("edge", *((i, i + 1) for i in range(100)))
        first = server.get("/views/edge", limit=60)
        assert len(server.get("/views/edge", limit=60, after=first["next"])["rows"]) == 40
        server.insert("edge", (500, 501))
        error = refused(server.http.get("/v1/views/edge", params={"after": first["next"]}), 410, "TL8010")
        assert "epoch 2" in error["message"]
        question = {"text": "edge(X, Y), X < Y", "limit": 60}
        first = server.post("/query", question)
        server.insert("edge", (600, 601))
        refused(server.http.post("/v1/query", json={**question, "after": first["next"]}), 410, "TL8010")


def test_answers_are_kept_within_bounds() -> None:
    with running(limits=ServerLimits(kept_pages=20_000)) as server:
        for epoch in range(30):
            server.insert("edge", *((epoch, i) for i in range(10)))
            assert server.get("/views/edge", limit=1)["next"]
            assert 0 < server.service.pages.held <= 20_000


def test_rows_by_the_values_of_columns() -> None:
    program = """
        .decl person(name: symbol, age: number, height: float)
        .decl adult(name: symbol)
        adult(n) :- person(n, a, _), a > 17.
    """
    with running(program) as server:
        server.insert("person", ("ada", 36, 1.7), ("bob", 7, 1.2), ("a&b =", 7, 1.2))
        assert server.get("/views/person", age=7, height=1.2)["total"] == 2
        assert server.get("/views/person", name="a&b =")["rows"] == [["a&b =", 7, 1.2]]
        assert server.get("/views/person", name="ada", age=36, height=1.7)["total"] == 1
        assert server.get("/views/person", name="nobody")["rows"] == []
        assert server.get("/views/adult", name="ada")["rows"] == [["ada"]]
        known = refused(server.http.get("/v1/views/person?nam=x"), 400, "TL8017")
        assert "name, age, height" in known["message"]
        refused(server.http.get("/v1/views/person?age=seven"), 400, "TL8009")
