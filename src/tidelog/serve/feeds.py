"""Feeds: the changes of a view by epoch, as server-sent events and long polls.

Law: a feed that resumes after an epoch has every later epoch that changed the view, in order, each once. Epochs that
the hub no longer holds are read from the history of the state folder; if that no longer holds them, the request is
refused.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from functools import partial
from itertools import groupby
from typing import Any

from tidelog.engine.engine import core_of
from tidelog.engine.write.durable import changes_in_turn, log
from tidelog.rewrite.names import is_auxiliary
from tidelog.serve import serve_failures as failures
from tidelog.serve.changes import EpochChange
from tidelog.serve.service import Service
from tidelog.serve.values import to_json

SMALL = 1_000  # rows that are converted to text on the loop
MUCH = 50_000  # rows after which reading the history, or a poll, stops at the end of an epoch
MANY = 1_000  # maximum epochs read at once
BEAT = 15.0  # seconds after which a feed sends a keepalive


def check_since(service: Service, since: int) -> None:
    """Raise for an epoch in the future."""
    if since > service.hub.last:
        raise failures.NOT_YET.error(epoch=since, now=service.hub.last)


async def changes_after(service: Service, view: str, since: int) -> tuple[list[EpochChange], int]:
    """The next changes of a view after an epoch, and the epoch up to which they are complete."""
    reached = service.hub.last
    records = service.hub.since(since, view)
    if records is None:
        return await service.threads.ask(lambda: _from_history(service, view, since))
    some, rows = 0, 0
    while some < min(len(records), MANY) and (not some or rows < MUCH):
        rows += sum(records[some].counts[view])
        some += 1
    batch = records[:some]
    if batch:
        reached = max(reached, batch[-1].epoch) if some == len(records) else batch[-1].epoch
    if rows <= SMALL:
        return [each.change(view) for each in batch], reached
    return await service.threads.look(lambda: [each.change(view) for each in batch]), reached


def _from_history(service: Service, view: str, since: int) -> tuple[list[EpochChange], int]:
    core = core_of(service.engine)
    if core.opened.lasting is None:
        raise failures.CHANGES_GONE.error(since=since)
    types, until = service.engine[view].types, service.hub.last
    changes_found: list[EpochChange] = []
    rows = 0
    for epoch, changes in groupby(changes_in_turn(core, view, since), key=lambda change: change.epoch):
        if epoch > until:  # recorded, but not sent yet
            break
        if rows >= MUCH or len(changes_found) >= MANY:
            return changes_found, epoch - 1
        changes_found.append(EpochChange.of_facts(epoch, [(change.sign, change.fact) for change in changes], types))
        rows += len(changes_found[-1])
    return changes_found, until


async def poll(service: Service, view: str, since: int, wait: float) -> dict[str, Any]:
    """The changes of a view after an epoch; if there are none, wait up to ``wait`` seconds."""
    with service.feeds.one_more():
        while True:
            began = service.clock()
            changes, reached = await changes_after(service, view, since)
            if changes or wait <= 0 or service.hub.closed:
                break
            since = reached
            await service.hub.wait(since, wait)
            wait -= service.clock() - began
    return {"epoch": reached, "changes": [change.to_json() for change in changes], "more": reached < service.hub.last}


async def events(service: Service, view: str, since: int) -> AsyncIterator[bytes]:
    """The server-sent events of a view; the caller counts open feeds."""
    yield b"retry: 1000\n\n"
    sent_up_to = since
    while not service.hub.closed:
        changes, since = await changes_after(service, view, since)
        if changes:
            sent_up_to = changes[-1].epoch
            text = partial(_text, changes)
            yield text() if sum(map(len, changes)) <= SMALL else await service.threads.look(text)
        elif since >= service.hub.last:
            await service.hub.wait(since, BEAT)
            if service.hub.last == since or since - sent_up_to > MANY:
                sent_up_to = since
                yield _beat(since)


def _text(changes: list[EpochChange]) -> bytes:
    return b"".join([change.event() for change in changes])


def _beat(epoch: int) -> bytes:
    """An event without changes: everything up to this epoch was sent."""
    return b'id: %d\nevent: epoch\ndata: {"epoch":%d}\n\n' % (epoch, epoch)


async def counts_after(service: Service, since: int) -> tuple[list[dict[str, Any]], int]:
    """The number of changed rows of epochs."""
    records = service.hub.since(since)
    if records is None:
        return await service.threads.ask(lambda: _counts_from_history(service, since))
    entries = [_counts_json(each.epoch, each.time, each.seconds, each.rules, each.counts) for each in records[:MANY]]
    return entries, records[:MANY][-1].epoch if records else max(since, 0)


def _counts_json(
    epoch: int, time: float, seconds: float, rules: bool, counts: Mapping[str, tuple[int, int]]
) -> dict[str, Any]:
    """The numbers of an epoch; ``rules``: whether rules changed, too."""
    return {"epoch": epoch, "time": time, "seconds": seconds, "rules": rules, "changes": counts_json(counts)}


def counts_json(counts: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """Numbers of rows by relation, without auxiliary relations."""
    return {name: {"plus": plus, "minus": minus} for name, (plus, minus) in counts.items() if not is_auxiliary(name)}


def _counts_from_history(service: Service, since: int) -> tuple[list[dict[str, Any]], int]:
    core = core_of(service.engine)
    if core.opened.lasting is None:
        raise failures.CHANGES_GONE.error(since=since)
    entries: list[dict[str, Any]] = [
        _counts_json(e.epoch, e.time, e.seconds, bool(e.added or e.removed), e.changed)
        for e in log(core, since, since + MANY)
    ]
    return entries, entries[-1]["epoch"] if entries else since


async def poll_counts(service: Service, since: int, wait: float) -> dict[str, Any]:
    """The numbers of the epochs after one; if there are none, wait up to ``wait`` seconds."""
    with service.feeds.one_more():
        if wait > 0:
            await service.hub.wait(since, wait)
        entries, reached = await counts_after(service, since)
    return {"epoch": reached, "epochs": entries, "more": reached < service.hub.last}


async def count_events(service: Service, since: int) -> AsyncIterator[bytes]:
    """The same as server-sent events."""
    yield b"retry: 1000\n\n"
    while not service.hub.closed:
        entries, since = await counts_after(service, since)
        if entries:
            yield b"".join(
                b"id: %d\nevent: epoch\ndata: " % each["epoch"] + to_json(each) + b"\n\n" for each in entries
            )
        else:
            await service.hub.wait(since, BEAT)
            if service.hub.last == since:
                yield b": alive\n\n"
