"""Checks over HTTP with facts that are not stored."""

from __future__ import annotations

import threading

from tests.serve.running import READS, refused, running
from tidelog.client import connect
from tidelog.engine.engine import core_of

ASKED = {"facts": {"reach": [[1, 3], [1, 9], [2, 9]]}}


def test_given_facts_are_seen_by_their_check_alone() -> None:
    with running() as server:
        server.insert("edge", (1, 2), (2, 3))
        given = {"insert": {"edge": [[3, 9]]}, "delete": {"edge": [[1, 2]]}}
        assert server.post("/check-facts", ASKED | {"given": given}) == {
            "epoch": 2,
            "answers": {"reach": [False, False, True]},
        }
        assert server.post("/check-facts", ASKED)["answers"] == {"reach": [True, False, False]}
        assert server.get("")["epoch"] == 2
        refused(server.reader.post("/v1/check-facts", json=ASKED | {"given": given, "at": 1}), 400, "TL8009")
        many = {"insert": {"edge": [[n, n] for n in range(101)]}}
        refused(server.reader.post("/v1/check-facts", json=ASKED | {"given": many}), 400, "TL8009")
        with connect(server.url, token=READS["Authorization"].split()[1]) as db:
            found = db.check_facts({"reach": [(1, 3), (1, 9)]}, given={"edge": [(3, 9)]}, without={"edge": [(1, 2)]})
            assert (found.answers["reach"], found.epoch) == ([False, False], 2)
            assert db.check_facts({"reach": [(1, 9)]}, given={"edge": [(3, 9)]}).answers["reach"] == [True]


def test_a_check_with_given_facts_waits_for_an_epoch_while_others_do_not() -> None:
    with running() as server:
        server.insert("edge", (1, 2), (2, 3))
        found: list[object] = []
        given = ASKED | {"given": {"insert": {"edge": [[3, 9]]}}}
        asking = threading.Thread(target=lambda: found.append(server.post("/check-facts", given)))
        with core_of(server.service.engine).writing:
            asking.start()
            assert server.get("/views/reach", c1=1)["total"] == 2
            assert not found
        asking.join(60)
        assert found == [{"epoch": 2, "answers": {"reach": [True, True, True]}}]
