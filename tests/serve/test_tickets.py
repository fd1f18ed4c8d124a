"""Tickets: feeds without a header, for one feed, for a while."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest

from tests.serve.running import Running, http_client, refused, running
from tidelog.serve.tickets import OLD, UNUSED, Tickets

EVENTS = {"Accept": "text/event-stream"}


def ticket(server: Running, view: str | None = None) -> str:
    body = {} if view is None else {"view": view}
    response = server.reader.post("/v1/tickets", json=body)
    assert response.status_code == 201, response.text
    return str(response.json()["address"])


def read_events(lines: Iterator[str], count: int) -> list[tuple[str, object]]:
    found, id_ = [], ""
    for line in lines:
        if line.startswith("id: "):
            id_ = line[4:]
        elif line.startswith("data: "):
            found.append((id_, json.loads(line[6:])))
            if len(found) == count:
                break
    return found


def test_a_feed_is_read_with_a_ticket_and_resumed_with_the_same(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with running() as server, http_client(server.url) as browser:
        address = ticket(server, "reach")
        with browser.stream("GET", address, headers=EVENTS) as response:
            assert response.status_code == 200
            server.insert("edge", (1, 2))
            ((last, event),) = read_events(response.iter_lines(), 1)
            assert (last, event) == ("2", {"epoch": 2, "plus": [[1, 2]], "minus": []})
        server.insert("edge", (5, 6))
        with browser.stream("GET", address, headers={**EVENTS, "Last-Event-ID": last}) as response:
            ((last, event),) = read_events(response.iter_lines(), 1)
            assert (last, event) == ("3", {"epoch": 3, "plus": [[5, 6]], "minus": []})
        with browser.stream("GET", ticket(server) + "&since=1", headers=EVENTS) as response:
            assert [id_ for id_, _ in read_events(response.iter_lines(), 2)] == ["2", "3"]
        own = [record for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
        assert not any(address.partition("=")[2] in record.getMessage() for record in own)


def test_a_ticket_opens_one_feed_and_nothing_else() -> None:
    with running() as server, http_client(server.url) as browser:
        name = ticket(server, "reach").partition("ticket=")[2]
        assert browser.get(f"/v1/changes/reach?ticket={name}").status_code == 200
        for address in ("/v1/changes/edge", "/v1/changes"):
            refused(browser.get(f"{address}?ticket={name}"), 401, "TL8051")
        for address in ("/v1/views/reach", "/v1/program", "/v1/statistics", "/v1/why"):
            refused(browser.get(f"{address}?ticket={name}"), 401, "TL8001")
        refused(browser.post("/v1/tickets", json={"view": "reach"}), 401, "TL8001")
        refused(browser.get("/v1/views/reach", headers={"Authorization": f"Bearer {name}"}), 401, "TL8001")
        for wrong in ("", "x", name[:-1], "r" * 43, "w" * 43, name + "é"):
            refused(browser.get("/v1/changes/reach", params={"ticket": wrong}), 401, "TL8051")
        refused(server.reader.post("/v1/tickets", json={"view": "nothing"}), 404, "TL4050")
        refused(server.reader.post("/v1/tickets", json={"path": "/v1/views"}), 400, "TL8009")


def test_a_ticket_expires_when_it_is_not_used_and_when_it_is_old() -> None:
    now = 0.0
    tickets = Tickets()
    tickets.clock = lambda: now

    def is_valid(name: str) -> bool:
        try:
            tickets.check(name, "p")
        except Exception:
            return False
        return True

    name = tickets.issue("p")
    now += UNUSED - 1
    assert is_valid(name)
    tickets.enter(name, "p")
    now += 10 * UNUSED
    assert is_valid(name)
    tickets.leave(name)
    now += UNUSED - 1
    assert is_valid(name)
    now += 2
    assert not is_valid(name)
    other = tickets.issue("p")
    tickets.enter(other, "p")
    now += OLD
    assert not is_valid(other)
    tickets.leave(other)


def test_tickets_are_limited() -> None:
    with running() as server:
        server.service.tickets._most = 3
        for _ in range(3):
            ticket(server)
        refused(server.reader.post("/v1/tickets", json={}), 429, "TL8052")
        server.service.tickets.clock = lambda: 1e12
        ticket(server)
