"""Named tokens: scopes, relations, expiry, rates, and changes of their file while the server runs."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.runner import CliRunner
from tests.serve.running import Running, refused, running
from tidelog.cli import app
from tidelog.errors import ServerError
from tidelog.serve.grants import ADMIN, READ, RULES, SCOPES, WRITE, Grant
from tidelog.serve.named_tokens import FILE, NamedToken, new_token, read_named, write_named
from tidelog.serve.rates import Rates
from tidelog.serve.tokens import TokenFolder

PROGRAM = """
may(U, O) :- member(U, R), grants(R, O).
secret(U) :- member(U, boss).
:- secret(U), barred(U).
"""
HOUR = datetime.timedelta(hours=1)
DIGEST = "0" * 64


@contextmanager
def client(
    server: Running,
    *,
    scopes: Sequence[str] = (READ,),
    reads: Sequence[str] = ("*",),
    writes: Sequence[str] = ("*",),
    rate: float | None = None,
    expires: datetime.datetime | None = None,
) -> Iterator[httpx.Client]:
    """A client with a named token."""
    tokens = server.service.tokens
    token, entry = new_token(Grant("ann", frozenset(scopes), tuple(reads), tuple(writes), rate), expires)
    assert not isinstance(tokens, TokenFolder)
    server.service.tokens = type(tokens)(tokens.read, tokens.write, {entry.digest: entry})
    with httpx.Client(base_url=f"{server.url}/v1", headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        yield http


@contextmanager
def filled(path: Path | None = None) -> Iterator[Running]:
    """A server with a few facts."""
    with running(PROGRAM, path) as server:
        server.insert("member", ("ann", "staff"), ("bob", "boss"))
        server.insert("grants", ("staff", "wiki"))
        yield server


def test_scopes_are_separate() -> None:
    requests = {
        READ: lambda http: http.get("/views/may"),
        WRITE: lambda http: http.post("/epochs", json={"insert": {"grants": [["staff", "files"]]}}),
        RULES: lambda http: http.post("/epochs", json={"add_rules": ["twice(X) :- may(X, _)."], "dry_run": True}),
        ADMIN: lambda http: http.post("/verify", json={}),
    }
    with filled() as server:
        for scope in SCOPES:
            with client(server, scopes=[scope]) as http:
                for needed, send in requests.items():
                    response = send(http)
                    if needed == scope:
                        assert response.status_code == 200, response.text
                    else:
                        assert f"`{scope}`" not in refused(response, 403, "TL8061")["message"].partition(", but")[0]
        with client(server, scopes=[READ, WRITE]) as http:
            for body in ({"remove_rules": ["r1"]}, {"declare": ".decl x(a: number)"}):
                refused(http.post("/epochs", json=body), 403, "TL8061")
            refused(http.post("/revert", json={"dry_run": True}), 403, "TL8061")
            opened = http.post("/epochs/open", json={}).json()["id"]
            refused(http.post(f"/epochs/open/{opened}", json={"add_rules": ["a(X) :- may(X, _)."]}), 403, "TL8061")
            refused(http.post("/profile", json={"sampling": True}), 403, "TL8061")


def test_a_token_for_some_relations_reads_no_others() -> None:
    with filled() as server, client(server, reads=["may*"]) as http:
        assert http.get("/views/may").json()["rows"] == [["ann", "wiki"]]
        assert http.post("/query", json={"text": "may(X, wiki)"}).json()["rows"] == [["ann"]]
        checked = http.post("/check-facts", json={"facts": {"may": [["ann", "wiki"]]}})
        assert checked.json()["answers"] == {"may": [True]}
        assert http.get("/changes/may", params={"since": 1}).status_code == 200
        assert http.post("/tickets", json={"view": "may"}).status_code == 201
        assert http.get(server.url + "/v1").json()["epoch"] == 3
        queries = (
            "may(X, _), secret(X)",
            "may(X, _), !secret(X)",
            "may(X, _), N = count : { secret(_) }",
            "(may(X, _) ; secret(X))",
            "may/grants*(X, Y)",
            "may*[secret](X, Y)",
        )
        for response in (
            http.get("/views/secret"),
            http.get("/changes/secret"),
            http.post("/tickets", json={"view": "secret"}),
            http.post("/check-facts", json={"facts": {"may": [], "secret": [["bob"]]}}),
            *(http.post("/query", json={"text": text}) for text in queries),
        ):
            refused(response, 403, "TL8062")
        for path in ("/program", "/statistics", "/changes", "/epochs", "/explain", "/profile", "/sources"):
            assert "limited to: may*" in refused(http.get(path), 403, "TL8063")["message"]
        for path in ("/why", "/why-not", "/blame"):
            refused(http.get(path, params={"fact": "may(ann, wiki)"}), 403, "TL8063")
        refused(http.get(f"{server.url}/metrics"), 403, "TL8063")
        refused(http.post("/tickets", json={}), 403, "TL8063")


def test_a_token_for_some_relations_gives_only_facts_that_it_may_change() -> None:
    check = {"facts": {"may": [["ann", "wiki"]]}}
    secret, grants = ({"given": {"insert": {name: []}}} for name in ("secret", "grants"))
    with filled() as server:
        with client(server, reads=["may*"]) as http:
            refused(http.post("/check-facts", json=check | grants), 403, "TL8061")
        with client(server, scopes=[READ, WRITE], reads=["may*"], writes=["grants"]) as http:
            assert http.post("/check-facts", json=check | grants).json()["answers"] == {"may": [True]}
            refused(http.post("/check-facts", json=check | secret), 403, "TL8062")


def test_a_token_for_some_relations_changes_no_others_and_sees_only_what_it_may(tmp_path: Path) -> None:
    scopes, writes = [READ, WRITE], ["grants", "barred"]
    with filled(tmp_path / "s") as server, client(server, scopes=scopes, reads=["may"], writes=writes) as http:
        done = http.post("/epochs", json={"insert": {"grants": [["staff", "files"]]}}).json()
        assert done["changes"].keys() == {"may"}
        assert server.get("/epochs", limit=1)["epochs"][0]["author"] == "ann"
        refused(http.post("/epochs", json={"insert": {"member": [["x", "y"]]}}), 403, "TL8062")
        refused(http.post("/epochs", json={"delete": {"member": [["ann", "staff"]]}}), 403, "TL8062")
        refused(http.post("/relations/member/insert", json=[["x", "y"]]), 403, "TL8062")
        opened = http.post("/epochs/open", json={}).json()["id"]
        refused(http.post(f"/epochs/open/{opened}", json={"insert": {"member": [["x", "y"]]}}), 403, "TL8062")
        barred = {"insert": {"barred": [["bob"]]}}
        shown = http.post("/epochs", json={**barred, "dry_run": True}).json()
        error = refused(http.post("/epochs", json=barred), 409, "TL4951")
        for violated in (*shown["violations"], *error["violations"]):
            assert (violated["count"], violated["first"]) == (1, [])
        assert "bob" not in f"{shown['violations']}{error}"
        assert "bob" in f"{refused(server.http.post('/v1/epochs', json=barred), 409, 'TL4951')}"


def test_an_expired_token_is_refused() -> None:
    now = datetime.datetime.now(datetime.UTC)
    with filled() as server:
        with client(server, expires=now + HOUR) as http:
            assert http.get("/views/may").status_code == 200
        with client(server, expires=now - HOUR) as http:
            response = http.get("/views/may")
            assert "`ann` expired" in refused(response, 401, "TL8060")["message"]
            assert response.headers["www-authenticate"] == "Bearer"


def test_a_rate_is_kept() -> None:
    with filled() as server, client(server, rate=2) as http:
        now = [100.0]
        server.service.rates.clock = lambda: now[0]
        assert [http.get("/views/may").status_code for _ in range(4)] == [200, 200, 429, 429]
        refusal = http.get("/views/may")
        refused(refusal, 429, "TL8064")
        assert refusal.headers["retry-after"] == "1"
        assert server.get("/views/may")["total"] == 1  # other tokens are not affected
        now[0] += 0.5
        assert [http.get("/views/may").status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize(("rate", "burst"), [(10.0, 10), (1.0, 1), (0.5, 1)])
def test_over_any_time_a_rate_allows_no_more_than_it_says(rate: float, burst: int) -> None:
    rates, grant, now = Rates(), Grant("ann", rate=rate), [100.0]
    rates.clock = lambda: now[0]
    allowed = []
    for _ in range(1000):
        allowed += [now[0]] * (rates.wait(grant) == 0)
        now[0] += 0.03
    assert len(allowed) == pytest.approx(30 * rate + burst, abs=1.5)
    for first, one in enumerate(allowed):
        for count, other in enumerate(allowed[first:], 1):
            assert count <= (other - one) * rate + burst + 1e-6


def test_changes_of_the_files_take_effect_while_the_server_runs(tmp_path: Path) -> None:
    folder, now = TokenFolder(tmp_path), [time.monotonic()]
    folder.clock = lambda: now[0]

    def grant(token: str) -> Grant | None:
        now[0] += 2
        return folder.grant(token.encode())

    one, entry = new_token(Grant("one", frozenset((READ,))))
    other, second = new_token(Grant("other", frozenset((WRITE,))))
    assert grant(one) is None
    write_named(tmp_path / FILE, {"one": entry})
    assert grant(one) == entry.grant
    write_named(tmp_path / FILE, {"other": second})
    assert (grant(one), grant(other)) == (None, second.grant)
    (tmp_path / FILE).chmod(0o644)
    assert grant(other) is None  # a file that others may read does not count
    (tmp_path / FILE).chmod(0o600)
    assert grant(other) == second.grant
    (tmp_path / READ).write_text("n" * 43 + "\n")
    assert grant("n" * 43) == Grant(scopes=frozenset((READ,)))


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    expires = datetime.datetime(2027, 1, 1, tzinfo=datetime.UTC)
    whole = Grant("a.b@c-d_e", frozenset(SCOPES), ("may*", 'q"\\'), ("x",), 2.5)
    entries = {
        "a.b@c-d_e": NamedToken(DIGEST, whole, expires),
        "plain": NamedToken("1" * 64, Grant("plain", frozenset((READ,)))),
    }
    write_named(tmp_path / FILE, entries)
    assert read_named(tmp_path / FILE) == entries
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[a]\n", "sha256"),
        ('[a]\nsha256 = "no"\n', "sha256"),
        (f'[a]\nsha256 = "{DIGEST}"\nscopes = ["all"]\n', "unknown scope `all`"),
        (f'[a]\nsha256 = "{DIGEST}"\nscope = ["read"]\n', "unknown field `scope`"),
        (f'[a]\nsha256 = "{DIGEST}"\nread = "may"\n', "not a list of texts"),
        (f'[a]\nsha256 = "{DIGEST}"\nexpires = 2027-01-01\n', "expires"),
        (f'[a]\nsha256 = "{DIGEST}"\nrate = 0\n', "rate"),
        (f'[a]\nsha256 = "{DIGEST}"\n[b]\nsha256 = "{DIGEST}"\n', "two names"),
        ('a = "b"\n', "not the name of a table"),
        ("[a\n", "Expected"),
    ],
)
def test_a_broken_list_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / FILE).write_text(text)
    (tmp_path / FILE).chmod(0o600)
    with pytest.raises(ServerError, match=problem) as raised:
        TokenFolder(tmp_path)
    assert raised.value.code == "TL8065"


def test_tokens_are_added_listed_and_revoked(tmp_path: Path) -> None:
    folder = str(tmp_path / "tokens")

    def call(*words: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, ["token", *words, "--tokens", folder])
        return result.exit_code, result.stdout, result.stderr

    code, token, _ = call("add", "ann", "--scope", "read", "--scope", "write", "--read", "may*", "--expires", "30d")
    assert code == 0
    granted = TokenFolder(Path(folder)).grant(token.strip().encode())
    assert granted is not None
    assert (granted.name, granted.scopes, granted.reads) == ("ann", {READ, WRITE}, ("may*",))
    assert token.strip() not in (Path(folder) / FILE).read_text()
    assert call("add", "bob", "--rate", "5")[0] == 0
    listed = call("list")[1].splitlines()
    assert [line.split("\t")[0] for line in listed] == ["ann", "bob"]
    assert "reads may*" in listed[0]
    assert "5 requests per second" in listed[1]
    assert "TL8066" in call("add", "ann")[2]
    assert call("revoke", "ann")[0] == 0
    assert "TL8067" in call("revoke", "ann")[2]
    for words in (
        ["add"],
        ["add", "a b"],
        ["add", "c", "--expires", "soon"],
        ["add", "c", "--expires", "2027-01-01T00"],
    ):
        assert "TL8068" in call(*words)[2]


def test_a_request_is_logged_with_the_name_of_its_token(caplog: pytest.LogCaptureFixture) -> None:
    with filled() as server, client(server) as http, caplog.at_level("INFO", "tidelog.serve"):
        server.service.logs_all = True
        http.get("/views/may")
    found = [record for record in caplog.records if getattr(record, "path", "") == "/v1/views/may"]
    assert vars(found[-1])["token"] == "ann"
