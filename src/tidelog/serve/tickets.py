"""Tickets, which open a feed for clients that cannot send headers, such as a browser's `EventSource`.

Law: a ticket opens one feed and nothing else, and does not reveal the token. It expires when it is not used for a
while, when it is old, and when the server stops. While its feed is open, and for a while afterwards, it stays valid, so
that a browser that was disconnected can resume with the same address. The number of tickets is limited.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from tidelog.serve import serve_failures as failures

UNUSED = 60.0  # seconds after which an unused ticket expires
OLD = 24 * 3600.0  # seconds after which it expires in any case
MOST = 10_000


@dataclass(slots=True)
class Ticket:
    """A ticket for the feed of a view, or of all views."""

    view: str | None
    end: float
    until: float
    open: int = 0  # feeds that it has opened


class Tickets:
    """The valid tickets by their digest."""

    def __init__(self, most: int = MOST) -> None:
        self.clock: Callable[[], float] = time.monotonic
        self._most = most
        self._tickets: dict[bytes, Ticket] = {}
        self._lock = threading.Lock()

    def issue(self, view: str | None) -> str:
        """A new ticket."""
        now = self.clock()
        with self._lock:
            self._tickets = {key: ticket for key, ticket in self._tickets.items() if self._is_valid(ticket, now)}
            if len(self._tickets) >= self._most:
                raise failures.TOO_MANY_TICKETS.error(limit=self._most)
            name = secrets.token_urlsafe(32)
            self._tickets[_digest(name)] = Ticket(view, now + OLD, now + UNUSED)
        return name

    def check(self, name: str, view: str | None) -> None:
        """Raise for a ticket that does not open the feed of a view."""
        with self._lock:
            self._find(name, view)

    def enter(self, name: str, view: str | None) -> None:
        """Count a feed opened with a ticket."""
        with self._lock:
            self._find(name, view).open += 1

    def leave(self, name: str) -> None:
        """Stop counting a feed opened with a ticket."""
        with self._lock:
            ticket = self._tickets.get(_digest(name))
            if ticket is not None:
                ticket.open -= 1
                ticket.until = self.clock() + UNUSED

    def _find(self, name: str, view: str | None) -> Ticket:
        ticket = self._tickets.get(_digest(name))
        if ticket is None or ticket.view != view or not self._is_valid(ticket, self.clock()):
            raise failures.NO_TICKET.error()
        return ticket

    @staticmethod
    def _is_valid(ticket: Ticket, now: float) -> bool:
        return now < ticket.end and (ticket.open > 0 or now < ticket.until)


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "replace")).digest()
