"""A dry run reports whatever a commit would refuse; a refusal has its violations with their proofs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.serve.running import Running, refused, running
from tidelog.client import connect
from tidelog.engine.write import refusal_causes
from tidelog.errors import ConstraintError

pytestmark = pytest.mark.filterwarnings("ignore::tidelog.errors.ConstraintWarning")
PROGRAM = """
.decl owns(user: symbol, doc: symbol)
.decl secret(doc: symbol)
.decl cleared(user: symbol)
.decl reads(user: symbol, doc: symbol)
reads(u, d) :- owns(u, d).
safe: :- reads(u, d), secret(d), !cleared(u).
many: :- n = count : { secret(_) }, n > 3.
.constraint many severity(warn)
.decl badge(user: symbol, number: number)
.key badge(number)
.decl room(name: symbol, floor: number)
.decl desk(user: symbol, room: symbol)
.reference desk(room) -> room(name)
.decl seat(user: symbol, place: number)
materialize(seat, infinity, infinity, keys(1)).
.decl next(user: symbol, place: number)
next(u, 1 / p) :- seat(u, p).
"""
RELATIONS = {
    "owns": (("ann", "bob"), ("plan", "memo")),
    "secret": (("plan", "memo", "note", "file", "a", "b"),),
    "cleared": (("ann", "bob"),),
    "badge": (("ann", "bob"), (1, 2)),
    "room": (("hall", "attic"), (0, 1)),
    "desk": (("ann", "bob"), ("hall", "attic")),
    "seat": (("ann", "bob"), (0, 1, 2)),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(PROGRAM) as found:
        yield found


def fill(server: Running, **facts: Any) -> None:
    """Delete everything, and insert these facts."""
    there = {name: server.get(f"/views/{name}")["rows"] for name in RELATIONS}
    server.post("/epochs", {"delete": there})
    server.post("/epochs", {"insert": facts})


def test_a_dry_run_reports_the_violations_that_a_commit_is_refused_for(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusal_causes, "LONG", 600.0)  # however busy the machine is, causes are looked for
    fill(server, owns=[[f"u{i}", "plan"] for i in range(72)])
    change = {"insert": {"secret": [["plan"]]}}
    tried = server.post("/epochs", {**change, "dry_run": True})
    assert (tried["refused"], tried["changes"]["secret"]["plus"]) == (True, [["plan"]])
    (violated,) = tried["violations"]
    assert (violated["constraint"], violated["severity"], violated["count"]) == ("safe", "refuse", 72)
    assert [len(violated["first"]), violated["first"][0]["values"]["d"]] == [72, "plan"]
    assert {one["values"]["u"] for one in violated["first"]} == {f"u{i}" for i in range(72)}
    proof = violated["first"][0]["proof"]
    assert (proof["how"], [next(iter(part)) for part in proof["premises"]]) == ("derived", ["fact", "fact", "absent"])
    output = refused(server.http.post("/v1/epochs", json=change), 409, "TL4951")
    assert output["violations"] == tried["violations"]
    assert [cause.replace('"', "") for cause in output["causes"]] == ["secret(plan) was asserted"]
    assert "and 69 more" in output["message"]
    assert server.get("/views/secret")["total"] == 0


def test_a_violation_that_only_warns_refuses_nothing(server: Running) -> None:
    fill(server)
    change = {"insert": {"secret": [[doc] for doc in "abcd"]}}
    tried = server.post("/epochs", {**change, "dry_run": True})
    assert (tried["refused"], [each["severity"] for each in tried["violations"]]) == (False, ["warn"])
    done = server.post("/epochs", change)
    assert (done["refused"], done["violations"]) == (False, tried["violations"])


def test_an_open_epoch_is_tried_with_its_violations_and_stays_open(server: Running) -> None:
    fill(server, owns=[["ann", "plan"]])
    place = f"/epochs/open/{server.post('/epochs/open')['id']}"
    server.post(place, {"insert": {"secret": [["plan"]]}})
    assert server.post(f"{place}/commit", {"dry_run": True})["refused"]
    server.post(place, {"insert": {"cleared": [["ann"]]}})
    assert not server.post(f"{place}/commit", {"dry_run": True})["violations"]
    assert server.post(f"{place}/commit")["epoch"]


def test_a_preview_of_the_client_has_the_violations(server: Running) -> None:
    fill(server, owns=[["ann", "plan"]])
    with connect(server.url, "w" * 43) as db:
        epoch = db.epoch()
        epoch.insert("secret", [("plan",)])
        db.preview(epoch)
        (violated,) = epoch.violations
        assert (violated.constraint, violated.count, violated.first[0].values) == ("safe", 1, {"u": "ann", "d": "plan"})
        assert str(violated).startswith("constraint `safe` is violated once")
        with pytest.raises(ConstraintError) as raised:
            epoch.commit()
        assert raised.value.violations == epoch.violations
        assert len(raised.value.causes) == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_dry_run_is_refused_exactly_as_the_commit_is(server: Running, seed: int) -> None:
    """Law: over random changes, a commit is refused if and only if the dry run says so, with the same words."""
    choose = random.Random(seed)
    fill(server)
    outcomes = set()
    for _ in range(40):
        change: dict[str, dict[str, list[Any]]] = {"insert": {}, "delete": {}}
        for _ in range(choose.randint(1, 3)):
            name = choose.choice(list(RELATIONS))
            row = [choose.choice(values) for values in RELATIONS[name]]
            change[choose.choice(["insert", "insert", "delete"])].setdefault(name, []).append(row)
        tried = server.http.post("/v1/epochs", json={**change, "dry_run": True})
        done = server.http.post("/v1/epochs", json=change)
        if tried.status_code != 200:
            assert (tried.status_code, tried.json()["error"]) == (done.status_code, done.json()["error"])
        elif tried.json()["refused"]:
            expected = [each for each in tried.json()["violations"] if each["severity"] == "refuse"]
            assert done.status_code == 409
            assert done.json()["error"]["violations"] == expected
        else:
            assert done.status_code == 200, done.text
            same = ("changes", "violations", "refused", "labels")
            assert [done.json()[key] for key in same] == [tried.json()[key] for key in same]
        outcomes.add(done.status_code)
    assert outcomes >= {200, 409}
