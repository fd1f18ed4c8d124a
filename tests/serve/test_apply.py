"""`POST /v1/apply`, `Client.apply`, `tidelog apply --server`: edited programs, facts, scripts on a running server."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.serve.running import READS, Running, refused, running
from tidelog import Engine
from tidelog.cli import app
from tidelog.client import connect
from tidelog.errors import ServerError
from tidelog.serve.grants import Grant
from tidelog.serve.routes.apply import check_grant

TYPED = """.decl edge(x: number, y: number)
.decl seen(who: symbol, day: date, path: list)
.decl reach(x: number, y: number)
reach(x, y) :- edge(x, y).
reach(x, z) :- edge(x, y), reach(y, z).
edge(1, 2).
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    with running(TYPED, path=tmp_path / "state") as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "token").write_text("w" * 43)
    return tmp_path


def run(server: Running, folder: Path, *words: object, code: int = 0) -> str:
    fixed = ["--server", server.url, "--token-file", str(folder / "token")]
    result = CliRunner().invoke(app, ["apply", *map(str, words), *fixed])
    assert result.exit_code == code, result.output
    return result.output


def test_an_edited_program_is_shown_first_and_then_committed(server: Running, folder: Path) -> None:
    edited = folder / "edited.dl"
    (folder / "far.dl").write_text(".decl far(x: number)\nfar(x) :- reach(x, 3).\n")
    edited.write_text(TYPED + '#include "far.dl"\nedge(2, 3).\n')
    dry = run(server, folder, edited, "--dry-run")
    assert dry.splitlines()[:3] == ["+ far(x) :- reach(x, 3).", "+ edge(2, 3).", "+ .decl far(x: number)"]
    assert "dry run, nothing was changed" in dry
    assert "  far    +2 -0  +far(2) +far(1)" in dry
    assert server.get("")["epoch"] == 1
    assert "epoch 2 committed" in run(server, folder, edited, "--author", "ada")
    assert sorted(server.get("/views/far")["rows"]) == [[1], [2]]
    assert server.get("/epochs")["epochs"][0]["author"] == "ada"
    assert "already matches" in run(server, folder, edited)
    assert server.get("")["epoch"] == 2


def test_a_folder_of_facts_replaces_those_of_its_files(server: Running, folder: Path) -> None:
    facts = folder / "facts"
    facts.mkdir()
    (facts / "edge.facts").write_text("1\t2\n2\t3\n")
    (facts / "seen.csv").write_text('who,day,path\nann,2026-11-17,"[1, [""a""]]"\n')
    assert "  edge   +1 -0  +edge(2, 3)" in run(server, folder, facts, "--dry-run")
    run(server, folder, facts)
    with connect(server.url, "w" * 43) as db:
        assert list(db["seen"]) == [("ann", datetime.date(2026, 11, 17), (1, ("a",)))]
        assert sorted(db["reach"]) == [(1, 2), (1, 3), (2, 3)]
    (facts / "edge.facts").write_text("5\tx\n")
    assert "error[" in run(server, folder, facts, code=1)
    assert server.get("")["epoch"] == 2


def test_a_script_is_committed_epoch_by_epoch(server: Running, folder: Path) -> None:
    script = folder / "changes.txt"
    script.write_text("+edge(2, 3).\ncommit.\n-edge(1, 2).\n+ loop: reach(x, x) :- edge(x, _).\ncommit.\n")
    assert "TL4891" in run(server, folder, script, "--script", "--dry-run", code=1)
    assert server.get("")["epoch"] == 1
    assert "epoch 3 committed" in run(server, folder, script, "--script")
    assert sorted(server.get("/views/reach")["rows"]) == [[2, 2], [2, 3]]
    script.write_text("+edge(3, 4).\npreview.\n")
    assert "dry run, nothing was changed" in run(server, folder, script, "--script")
    assert server.get("")["epoch"] == 3


def test_what_a_constraint_refuses_is_reported_by_the_dry_run(folder: Path) -> None:
    text = TYPED + "none: :- reach(x, x).\n"
    with running(text, path=folder / "other") as server:
        edited = folder / "edited.dl"
        edited.write_text(text + "edge(2, 1).\n")
        assert "would be refused" in run(server, folder, edited, "--dry-run", code=1)
        assert "error[" in run(server, folder, edited, code=1)
        assert server.get("")["epoch"] == 1


def test_a_program_with_mistakes_changes_nothing(server: Running, folder: Path) -> None:
    wrong = folder / "wrong.dl"
    wrong.write_text("reach(X, Y) :- edge(X, Z).\n")
    assert "error[" in run(server, folder, wrong, code=1)
    refused(server.http.post("/v1/apply", json={"program": "reach(X, Y) :- edge(X, Z)."}), 400, "TL301")
    assert server.get("")["epoch"] == 1


def test_the_read_token_applies_nothing(server: Running) -> None:
    refused(server.http.post("/v1/apply", json={"program": TYPED}, headers=READS), 403, "TL8002")


def test_a_request_has_one_input(server: Running) -> None:
    refused(server.http.post("/v1/apply", json={}), 400, "TL8053")
    refused(server.http.post("/v1/apply", json={"program": TYPED, "script": "+edge(1, 1)."}), 400, "TL8053")


def test_a_script_of_several_epochs_is_several_requests(server: Running) -> None:
    script = "+edge(1, 1). commit. -edge(1, 1). commit."
    refused(server.http.post("/v1/apply", json={"script": script}), 400, "TL8054")


def test_a_client_applies_a_program(server: Running) -> None:
    with connect(server.url, "w" * 43) as db:
        assert db.apply(TYPED).matches
        epoch = db.apply(facts={"edge": [(7, 8)]}, dry_run=True)
        assert (epoch.number, epoch.changes["reach"].inserted) == (None, [(7, 8)])
        assert db.apply(facts={"edge": []}, note="cleared").number == 2
        assert db["reach"].rows() == []


def test_a_token_is_needed(server: Running, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "p.dl").write_text(TYPED)
    words = ["apply", str(folder / "p.dl"), "--server", server.url]
    monkeypatch.delenv("TIDELOG_TOKEN", raising=False)
    assert "error[TL4892]" in CliRunner().invoke(app, words).output
    monkeypatch.setenv("TIDELOG_TOKEN", "w" * 43)
    assert "already matches" in CliRunner().invoke(app, words).output
    assert "error[TL4898]" in CliRunner().invoke(app, [*words, "--state", "s"]).output


def test_columns_change_on_a_server(server: Running, folder: Path) -> None:
    edited = folder / "edited.dl"
    text = TYPED.replace("edge(x: number, y: number)", 'edge(to: number, x: number, w: symbol = "new")')
    text = text.replace("edge(x, y)", "edge(y, x, _)").replace("edge(1, 2).", "")
    edited.write_text(text)
    assert "TL4660" in run(server, folder, edited, code=1)
    server.insert("edge", (2, 3))
    assert server.get("/changes/reach", since=1)["epoch"] == 2
    words = ["--column", "edge.to=y"]
    dry = run(server, folder, edited, *words, "--dry-run")
    assert '* edge(x: number, y: number) -> edge(to: number, x: number, w: symbol = "new")' in dry
    assert "to = y" in dry
    assert server.get("")["epoch"] == 2
    assert "epoch 3 committed" in run(server, folder, edited, *words)
    assert sorted(server.get("/views/edge")["rows"]) == [[3, 2, "new"]]
    assert sorted(server.get("/views/reach")["rows"]) == [[2, 3]]
    assert server.get("/views/edge", at=2)["columns"] == ["x", "y"]
    refused(server.http.get("/v1/changes/reach", params={"since": 1}), 410, "TL5124")
    server.insert("edge", (4, 3, "more"))
    assert [change["epoch"] for change in server.get("/changes/reach", since=3)["changes"]] == [4]
    assert "TL4894" in run(server, folder, edited, "--column", "to=y", code=1)


def test_named_tokens_apply_what_they_may_change(tmp_path: Path) -> None:
    facts = Grant("facts", frozenset(("read", "write")), writes=("edge",))
    with Engine(TYPED, path=tmp_path / "s") as db:
        check_grant(facts, db, {"facts": {"edge": []}})
        check_grant(facts, db, {"script": "+edge(1, 2). -edge(3, 4)."})
        for body in ({"facts": {"seen": []}}, {"script": "+seen(a, b, c)."}, {"script": "- r1."}, {"program": TYPED}):
            with pytest.raises(ServerError):
                check_grant(facts, db, body)
        partial = Grant("rules", frozenset(("read", "write", "rules")), reads=("edge",))
        with pytest.raises(ServerError):
            check_grant(partial, db, {"program": TYPED})
