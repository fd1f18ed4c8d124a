"""Feeds of a client: the changes of a view, as they happen.

Law: every epoch after the given one that changes the view is delivered once, in order, as a whole, over any number of
broken connections: each new connection resumes after the last delivered epoch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tidelog.client import client_failures as failures
from tidelog.client.values import Row, to_rows
from tidelog.client.wire import EVENTS, Wire
from tidelog.errors import ServerError

SILENCE = 60.0  # seconds without data after which a feed is considered broken
PAUSE, LONGEST = 0.2, 5.0  # seconds before a feed is opened again
AGAIN = (failures.UNREACHABLE.code, "TL8020")  # the server is unreachable, or about to stop


@dataclass(frozen=True, slots=True)
class FeedChange:
    """The changes of one epoch in a view."""

    epoch: int
    inserted: list[Row] = field(default_factory=list)
    deleted: list[Row] = field(default_factory=list)


def feed(wire: Wire, view: str, since: int, *, patience: float | None = None) -> Iterator[FeedChange]:
    """The changes of a view after an epoch, indefinitely; raises after ``patience`` seconds without a server."""
    pause, last = PAUSE, time.monotonic()
    while True:
        try:
            for epoch, change in _connection(wire, view, since):
                since, pause, last = epoch, PAUSE, time.monotonic()
                if change is not None:
                    yield change
                    last = time.monotonic()
        except ServerError as error:
            if error.code not in AGAIN or (patience is not None and time.monotonic() - last > patience):
                raise
        time.sleep(pause)
        pause = min(2 * pause, LONGEST)


def _connection(wire: Wire, view: str, since: int) -> Iterator[tuple[int, FeedChange | None]]:
    """The events of a connection until it ends: complete epochs, with their changes."""
    headers = {"Accept": EVENTS, "Last-Event-ID": str(since)}
    with wire.stream(f"/changes/{quote(view, safe='')}", headers, SILENCE) as lines:
        inserted: list[Row] = []
        deleted: list[Row] = []
        for kind, data in _events(lines):
            if kind == "change":
                inserted += to_rows(data["plus"])
                deleted += to_rows(data["minus"])
                if data.get("more"):
                    continue
                yield data["epoch"], FeedChange(data["epoch"], inserted, deleted)
            else:
                yield data["epoch"], None
            inserted, deleted = [], []


def _events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """The events of a stream: their kind and their values."""
    kind, data = "", ""
    for line in lines:
        name, _, value = line.partition(":")
        if not line:
            if data:
                yield kind, json.loads(data)
            kind, data = "", ""
        elif name == "event":
            kind = value.strip()
        elif name == "data":
            data += value.removeprefix(" ")
