"""Epochs over HTTP: at once, over several requests, tried, repeated."""

from __future__ import annotations

import time

from tests.serve.running import refused, running
from tidelog import Engine
from tidelog.serve.limits import ServerLimits
from tidelog.serve.staging import OpenEpochs


def test_an_epoch_tells_what_it_changed() -> None:
    with running() as server:
        report = server.insert("edge", (1, 2), (2, 3))
        assert (report["epoch"], report["repeated"], report["dry_run"]) == (2, False, False)
        assert sorted(report["changes"]["reach"]["plus"]) == [[1, 2], [1, 3], [2, 3]]
        report = server.post("/epochs", {"delete": {"edge": [{"c1": 1, "c2": 2}]}, "rows": 1})
        assert len(report["changes"]["reach"]["minus"]) == 1
        assert report["changes"]["reach"]["minus_count"] == 2


def test_rules_come_are_replaced_and_go() -> None:
    with running() as server:
        server.insert("edge", (1, 2))
        report = server.post("/epochs", {"add_rules": ["back(Y, X) :- edge(X, Y)."]})
        assert (report["labels"], report["changes"]["back"]["plus"]) == (["r3"], [[2, 1]])
        report = server.post("/epochs", {"add_rules": [{"text": "back(Y, Y) :- edge(X, Y).", "replaces": "r3"}]})
        assert (report["changes"]["back"]["plus"], report["changes"]["back"]["minus"]) == ([[2, 2]], [[2, 1]])
        report = server.post("/epochs", {"remove_rules": report["labels"]})
        assert report["changes"]["back"]["minus"] == [[2, 2]]
        refused(server.http.post("/v1/epochs", json={"remove_rules": ["r3"]}), 404, "TL4501")


def test_a_dry_run_changes_nothing() -> None:
    with running() as server:
        server.insert("edge", (1, 2))
        report = server.post(
            "/epochs", {"add_rules": ["back(Y, X) :- edge(X, Y)."], "delete": {"edge": [[1, 2]]}, "dry_run": True}
        )
        assert (report["epoch"], report["repeated"], report["dry_run"]) == (None, False, True)
        assert report["changes"]["reach"]["minus"] == [[1, 2]]
        assert report["statistics"]["supports"]
        assert (server.get("")["epoch"], len(server.get("/program")["rules"])) == (2, 2)
        assert server.get("/views/edge")["rows"] == [[1, 2]]


def test_an_epoch_that_fails_leaves_no_trace() -> None:
    with running("p(X / Y) :- q(X, Y).") as server:
        server.insert("q", (4, 2))
        refused(server.http.post("/v1/epochs", json={"insert": {"q": [[1, 1], [1, 0]]}}), 422, "TL2002")
        refused(server.http.post("/v1/epochs", json={"insert": {"q": [[1, "x"]]}}), 400, "TL1002")
        refused(server.http.post("/v1/epochs", json={"insert": {"q": [[1, None]]}}), 400, "TL1003")
        refused(server.http.post("/v1/epochs", json={"insert": {"q": [[1]]}}), 400, "TL1201")
        refused(server.http.post("/v1/epochs", json={"add_rules": ["p(X) :- q(Y, Y)."]}), 400, "TL301")
        assert (server.get("")["epoch"], server.get("/views/p")["rows"]) == (2, [[2]])


def test_input_with_a_source_and_an_offset_is_applied_once() -> None:
    with running() as server:
        body = {"insert": {"edge": [[1, 2]]}, "source": "clicks", "offset": 7}
        assert server.post("/epochs", body)["epoch"] == 2
        again = server.post("/epochs", {**body, "insert": {"edge": [[8, 9]]}})
        assert (again["epoch"], again["repeated"], again["changes"]) == (None, True, {})
        assert server.post("/epochs", {**body, "offset": 8})["repeated"] is False
        assert server.get("/views/edge")["rows"] == [[1, 2]]
        refused(server.http.post("/v1/epochs", json={"source": "clicks"}), 400, "TL4052")


def test_an_epoch_over_several_requests() -> None:
    with running() as server:
        name = server.post("/epochs/open", {"source": "s", "offset": 1, "author": "ada"})["id"]
        assert server.post(f"/epochs/open/{name}", {"insert": {"edge": [[1, 2]]}}) == {"id": name, "labels": []}
        added = server.post(f"/epochs/open/{name}", {"add_rules": ["back(Y, X) :- reach(X, Y)."]})
        server.http.post("/v1/relations/edge/insert", params={"open": name}, json=[[2, 3]]).raise_for_status()
        assert (server.get("")["epoch"], server.get("/views/edge")["rows"]) == (1, [])
        server.insert("edge", (7, 8))  # others go on meanwhile
        tried = server.post(f"/epochs/open/{name}/commit", {"dry_run": True})
        assert (tried["epoch"], tried["changes"]["edge"]["plus_count"]) == (None, 2)
        done = server.post(f"/epochs/open/{name}/commit")
        assert (done["epoch"], done["labels"]) == (3, added["labels"])
        assert done["changes"]["back"]["plus_count"] == 4


def test_an_open_epoch_ends_once() -> None:
    with running() as server:
        name = server.post("/epochs/open")["id"]
        assert server.http.delete(f"/v1/epochs/open/{name}").status_code == 204
        refused(server.http.post(f"/v1/epochs/open/{name}", json={}), 404, "TL8011")
        refused(server.http.post(f"/v1/epochs/open/{name}/commit", json={}), 404, "TL8011")
        refused(server.http.delete(f"/v1/epochs/open/{name}"), 404, "TL8011")
        broken = server.post("/epochs/open")["id"]
        server.post(f"/epochs/open/{broken}", {"insert": {"edge": [[1, 2, 3]]}})
        refused(server.http.post(f"/v1/epochs/open/{broken}/commit", json={}), 400, "TL1201")
        refused(server.http.post(f"/v1/epochs/open/{broken}/commit", json={}), 404, "TL8011")


def test_open_epochs_are_limited() -> None:
    with running(limits=ServerLimits(open_epochs=2, open_bytes=200)) as server:
        first, second = (server.post("/epochs/open")["id"] for _ in range(2))
        refused(server.http.post("/v1/epochs/open", json={}), 429, "TL8012")
        many = {"insert": {"edge": [[1, 2]] * 50}}
        refused(server.http.post(f"/v1/epochs/open/{first}", json=many), 413, "TL8005")
        later = server.service.staging.clock() + 1_000
        server.service.staging.clock = lambda: later
        assert server.post("/epochs/open")["id"] not in (first, second)
        refused(server.http.post(f"/v1/epochs/open/{first}", json={}), 404, "TL8011")


def test_an_addition_to_an_open_epoch_that_is_refused_leaves_nothing_in_it() -> None:
    with running() as server:
        name = server.post("/epochs/open", {})["id"]
        server.post(f"/epochs/open/{name}", {"insert": {"edge": [[5, 6]]}})
        body = {"insert": {"edge": [[1, 2]]}, "add_rules": ["back(Y, X) :- edge(X"]}
        assert server.http.post(f"/v1/epochs/open/{name}", json=body).status_code == 400
        done = server.post(f"/epochs/open/{name}/commit")
        assert done["changes"]["edge"]["plus"] == [[5, 6]]


def test_open_epochs_that_nobody_touches_are_forgotten_without_another_request() -> None:
    staging = OpenEpochs(ServerLimits())
    with Engine("p(X) :- q(X).") as db:
        staging.begin(db.epoch())
        assert len(staging) == 1
        staging.clock = lambda: time.monotonic() + 100_000
        assert len(staging) == 0


EMPLOYEES = ".decl emp(name: symbol, mgr: symbol)"


def test_objects_are_matched_by_name_and_other_fields_are_reported() -> None:
    with running(EMPLOYEES) as server:
        report = server.post("/epochs", {"insert": {"emp": [{"Mgr": "ann", "note": 1, " name": "bob"}]}})
        assert report["changes"]["emp"]["plus"] == [["bob", "ann"]]
        assert report["ignored_columns"] == {"emp": ["note"]}
        refused(server.http.post("/v1/epochs", json={"insert": {"emp": [{"nam": "x", "mgr": "y"}]}}), 400, "TL1016")
        refused(server.http.post("/v1/epochs", json={"insert": {"emp": [{"a": "x", "b": "y"}]}}), 400, "TL1012")


def test_nulls_are_handled_as_the_request_says() -> None:
    with running(EMPLOYEES) as server:
        rows = [["ann", None], ["bob", "ann"], [None, "bob"]]
        refused(server.http.post("/v1/epochs", json={"insert": {"emp": rows}}), 400, "TL1003")
        report = server.post("/epochs", {"insert": {"emp": rows}, "nulls": {"emp": "mgr=none,skip"}})
        assert sorted(report["changes"]["emp"]["plus"]) == [["ann", "none"], ["bob", "ann"]]
        assert report["nulls"] == {"emp": {"skipped": 1, "replaced": {"mgr": 1}}}
        report = server.post("/relations/emp/delete", [["ann", None]], nulls="mgr=none")
        assert report["changes"]["emp"]["minus"] == [["ann", "none"]]
        bad = {"insert": {"emp": rows}, "nulls": {"emp": "drop"}}
        refused(server.http.post("/v1/epochs", json=bad), 400, "TL1019")


PEOPLE = '.decl person(name: symbol)\nperson("ann").'


def test_a_relation_is_declared_filled_and_read_by_rules_in_one_epoch() -> None:
    with running(PEOPLE) as server:
        report = server.post(
            "/epochs",
            {
                "declare": ".type Day = date\n.decl vip(name: symbol, since: Day)\n.decl old(name: symbol)",
                "insert": {"vip": [["ann", "2026-11-17"], ["bob", "2020-01-01"]]},
                "add_rules": ["old(n) :- vip(n, _), !person(n)."],
            },
        )
        assert (report["labels"], report["changes"]["old"]["plus"]) == (["r1"], [["bob"]])
        assert sorted(server.get("/views/vip")["rows"]) == [["ann", "2026-11-17"], ["bob", "2020-01-01"]]
        tried = server.post("/epochs", {"declare": ".decl x(n: symbol)  x(n) :- vip(n, _).", "dry_run": True})
        assert (tried["labels"], tried["changes"]["x"]["plus_count"]) == (["r2"], 2)
        names = {relation["name"] for relation in server.get("/program")["relations"]}
        assert names == {"person", "vip", "old"}


def test_a_relation_is_declared_in_an_open_epoch() -> None:
    with running(PEOPLE) as server:
        name = server.post("/epochs/open")["id"]
        assert server.post(f"/epochs/open/{name}", {"declare": ".decl day(d: date)\nlate: day(d) :- day(d)."})["labels"]
        server.post("/relations/day/insert", [["2026-11-17"]], open=name)
        refused(server.http.post(f"/v1/epochs/open/{name}", json={"declare": ".decl p("}), 400, "TL100")
        report = server.post(f"/epochs/open/{name}/commit")
        assert (report["labels"], report["changes"]["day"]["plus"]) == (["late"], [["2026-11-17"]])


def test_a_declaration_that_contradicts_the_program_is_refused() -> None:
    with running(PEOPLE) as server:
        for text, code in (
            (".decl person(name: number)", "TL203"),
            (".decl vip(name: symbol) .output vip", "TL4093"),
            ('#include "/etc/passwd"', "TL180"),
            (".decl vip(name: Nobody)", "TL206"),
        ):
            report = refused(server.http.post("/v1/epochs", json={"declare": text}), 400, code)
            assert report["notes"]
        refused(server.http.post("/v1/epochs", json={"add_rules": ["vip(n) :- person(n)."]}), 400, "TL201")
        both = [".decl vip(name: symbol)  vip(n) :- person(n)."]
        report = refused(server.http.post("/v1/epochs", json={"add_rules": both}), 400, "TL4094")
        assert "`declare`" in report["hint"]
        assert server.get("")["epoch"] == 1
