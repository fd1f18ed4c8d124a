"""The client against a server that runs."""

from __future__ import annotations

import datetime
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import httpx
import pyarrow as pa
import pytest

from tests.serve.running import running
from tidelog import Engine, EngineError, ProgramError
from tidelog.client import Client, connect
from tidelog.errors import DataError, ServerError
from tidelog.serve.limits import ServerLimits

W = "w" * 43


@contextmanager
def connected(program: str = "reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z).",
              limits: ServerLimits | None = None, path: Path | None = None) -> Iterator[Client]:  # fmt: skip
    with running(program, limits=limits, path=path) as server, connect(server.url, W) as client:
        yield client


def test_a_client_declares_relations() -> None:
    with connected('.decl person(name: symbol)  person("ann").') as db:
        with db.epoch() as e:
            e.declare(".decl vip(name: symbol, since: date)")
            e.declare(".decl old(name: symbol)  old(n) :- vip(n, _).")
            e.insert("vip", [("ann", datetime.date(2026, 11, 17))])
        assert (e.labels, list(db["old"])) == (["r1"], [("ann",)])
        assert list(db["vip"]) == [("ann", datetime.date(2026, 11, 17))]
        with pytest.raises(ProgramError), db.epoch() as e:
            e.declare(".decl vip(name: number)")


def test_a_server_is_used_as_an_engine(tmp_path: Path) -> None:
    with connected(path=tmp_path / "state") as db:
        with db.epoch(author="ada", note="first") as e:
            e.insert("edge", [(1, 2), (2, 3)])
        assert (e.number, sorted(e.changes["reach"].inserted)) == (2, [(1, 2), (1, 3), (2, 3)])
        view = db["reach"]
        assert (len(view), sorted(view), (1, 3) in view, (3, 1) in view) == (3, [(1, 2), (1, 3), (2, 3)], True, False)
        assert (view.columns, view.types, view.head(2)) == (("X", "Y"), ("number", "number"), view.rows()[:2])
        with db.epoch() as e:
            e.delete("edge", [{"c1": 1, "c2": 2}])
            e.add_rule("near(X) :- reach(2, X).", "near")
        assert (e.labels, list(db["near"]), db.epoch_number) == (["near"], [(3,)], 3)
        assert sorted(view.at(2)) == [(1, 2), (1, 3), (2, 3)]
        assert db.query("reach(X, Y), X < Y").rows() == [(2, 3)]
        assert db.query("reach(1, Y)", at=2).columns == ("Y",)
        assert "near" in db
        assert db.rules["near"] == "near: near(X) :- reach(2, X)."
        assert db.why("near(3)")["rule"] == "near"
        assert db.why_not("near(9)")["present"] is False
        assert db.explain("near")["strata"]
        assert db.profile()["overall"]["epochs"] >= 2
        assert db.statistics()["epoch"] == 3
        assert db.verify()
        assert [entry["author"] for entry in db.log()] == [None, "ada", None]
        assert sorted(db.changes("reach", 2)) == [(3, -1, (1, 2)), (3, -1, (1, 3))]
        with db.epoch() as e:
            e.add_rule("near(X) :- reach(X, 3).", replaces="near")
        assert list(db["near"]) == [(2,)]


def test_many_facts_are_checked_at_one_epoch(tmp_path: Path) -> None:
    program = Engine(
        ".decl q(x: symbol, n: number) .decl p(x: symbol, n: number) .decl d(x: symbol, t: date) p(x, n) :- q(x, n).",
        path=tmp_path / "state",
    )
    with program, running(program) as server, connect(server.url, W) as db:
        with db.epoch() as e:
            e.insert("q", [("a", 1), ("b", 2)])
            e.insert("d", [("a", datetime.date(2026, 6, 1))])
        rows = [("a", datetime.date(2026, 6, 1)), ("a", datetime.date(2026, 6, 2))]
        found = db.check_facts({"p": [("a", 1), ("b", 1)], "d": rows, "q": []})
        assert found.answers == {"p": [True, False], "d": [True, False], "q": []}
        assert found.epoch == e.number
        assert db.check_facts({"p": [("a", 1)]}, at=e.number).epoch == e.number
        with pytest.raises(EngineError, match="unknown relation"):
            db.check_facts({"r": [(1,)]})
        with pytest.raises(DataError, match="has 2 columns"):
            db.check_facts({"p": [(1,)]})


def test_a_preview_changes_nothing() -> None:
    with connected() as db:
        epoch = db.epoch()
        epoch.insert("edge", [(1, 2)])
        db.preview(epoch)
        assert (epoch.number, epoch.changes["reach"].inserted, db.epoch_number) == (None, [(1, 2)], 1)
        epoch.commit()
        assert (epoch.number, bool(epoch.changes["reach"])) == (2, True)


def test_many_rows_come_in_pages() -> None:
    with connected(limits=ServerLimits(rows=10_000)) as db:
        with db.epoch() as e:
            e.insert("edge", [(i, i + 100_000) for i in range(25_000)])
        assert len(set(db["edge"])) == 25_000
        assert db["edge"].to_arrow().num_rows == 25_000


def test_tables_go_and_come_as_arrow() -> None:
    with connected() as db:
        with db.epoch() as e:
            e.insert("edge", pa.table({"c1": [1, 2], "c2": [2, 3]}))
            e.insert("edge", [(3, 4)])
        assert e.number == 2
        reach = db["reach"]
        assert duckdb.sql("SELECT count(*) FROM reach").fetchall() == [(6,)]
        assert pa.table(reach.where(X=1)).num_rows == 3
        assert list(reach.to_pandas().columns) == ["X", "Y"]
        epoch = db.epoch()
        epoch.delete("edge", pa.table({"c1": [1], "c2": [2]}))
        epoch.preview()
        assert epoch.changes["reach"].deleted_count == 3
        assert db.statistics()["open_epochs"] == 0


def test_values_are_those_of_python() -> None:
    with connected("at(W, D, L, F) :- event(W, D, L, F).") as db:
        row = ("a", datetime.date(2026, 11, 17), (1, ("x",)), float("inf"))
        with db.epoch() as e:
            e.insert("event", pa.table({"w": ["b"], "d": [row[1]], "l": [[2]], "f": [0.5]}))  # which have types
        with db.epoch() as e:
            e.insert("event", [row])
        assert row in db["at"].rows()
        assert len(db["event"].where(w="a", d=row[1])) == 1


def test_errors_are_those_of_the_engine() -> None:
    with connected() as db:
        with pytest.raises(EngineError, match="did you mean `reach`") as unknown:
            len(db["reech"])
        assert (unknown.value.code, bool(unknown.value.hint)) == ("TL4050", True)
        with pytest.raises(ProgramError) as wrong:
            db.query("edge(X,")
        assert wrong.value.diagnostics
        with pytest.raises(DataError), db.epoch() as e:
            e.insert("edge", [(1,)])
            e.insert("edge", [(1, 2)])
        with pytest.raises(EngineError, match="not true"):
            db.why("reach(1, 2)")


def test_an_epoch_that_fails_is_over() -> None:
    with connected() as db:
        with pytest.raises(ZeroDivisionError), db.epoch() as e:
            e.insert("edge", [(1, 2)])
            raise ZeroDivisionError
        with pytest.raises(ServerError) as over:
            e.insert("edge", [(1, 2)])
        assert over.value.code == "TL8043"
        assert db.epoch_number == 1


def test_a_server_that_cannot_be_reached() -> None:
    with connect("http://127.0.0.1:9", W) as db, pytest.raises(ServerError) as raised:
        _ = db.epoch_number
    assert raised.value.code == "TL8040"
    with connect("http://127.0.0.1:9", W) as db, pytest.raises(ServerError):
        next(db.feed("edge", 0, patience=0))


def test_an_answer_that_was_lost_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with connected() as client:
        sent, real = [], client._wire._http.request

        def lossy(*args: object, **named: object) -> httpx.Response:
            response = real(*args, **named)  # type: ignore[arg-type]
            sent.append(args)
            if len(sent) == 1:
                raise httpx.ReadError("the connection broke")
            return response

        monkeypatch.setattr(client._wire._http, "request", lossy)
        with client.epoch("clicks", 7) as e:
            e.insert("edge", [(1, 2)])
        assert (e.repeated, len(sent)) == (True, 2)
        assert (client.epoch_number, client["edge"].rows()) == (2, [(1, 2)])


def test_an_answer_that_is_not_a_servers() -> None:
    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>hello")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Other) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            with connect(f"http://127.0.0.1:{other.server_port}", W) as db, pytest.raises(ServerError) as raised:
                _ = db.epoch_number
        finally:
            other.shutdown()
            thread.join()
    assert raised.value.code == "TL8041"


def test_a_token_comes_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(W + "\n")
    with running() as server, connect(server.url, token_file=tmp_path / "token") as db:
        assert db.epoch_number == 1
    with pytest.raises(ServerError) as raised:
        connect("http://127.0.0.1:9", token_file=tmp_path / "none")
    assert raised.value.code == "TL8042"
    assert W not in repr(db)


def test_names_with_question_marks_are_distinguished() -> None:
    with connected(".decl ok(x: number)\n.decl ?ok(x: number)\nok(1).  ?ok(2).\n") as db:
        assert (list(db["ok"]), list(db["?ok"])) == ([(1,)], [(2,)])
        assert db["?ok"].to_arrow().to_pylist() == [{"x": 2}]


def test_texts_with_ends_of_lines_of_any_kind_come_over_feeds() -> None:
    text = "a\x85b\u2028c\u2029d\ne"
    with connected("shown(X) :- told(X).") as db:
        with db.epoch() as e:
            e.insert("told", [(text,)])
        change = next(db.feed("shown", 1))
        assert list(change.inserted) == [(text,)]


def test_nulls_and_columns_that_are_ignored_are_reported_to_the_client() -> None:
    with connected(".decl emp(name: symbol, mgr: symbol)") as db:
        with db.epoch() as e:
            e.insert("emp", [("ann", None)], nulls="mgr=none")
            e.insert("emp", pa.table({"MGR": ["ann", None], "name": ["bob", "cid"], "n": [1, 2]}), nulls="skip")
        assert sorted(db["emp"]) == [("ann", "none"), ("bob", "ann")]
        assert e.nulls == {"emp": {"skipped": 1, "replaced": {"mgr": 1}}}
        assert e.ignored == {"emp": ["n"]}
