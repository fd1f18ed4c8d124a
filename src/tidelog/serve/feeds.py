"""Feeds: what epochs change in a view, as server-sent events and as polls that wait.

Law: a feed that goes on after an epoch has every later epoch that changed the view, in order, each once. What the hub
no longer holds is read from the history of the state folder; what that no longer holds is refused by name.
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

SMALL = 1_000  # rows that are made into text on the loop
MUCH = 50_000  # rows after which a reading of the history, or a poll, ends with a whole epoch
MANY = 1_000  # epochs of a reading
BEAT = 15.0  # seconds after which a feed says that it is alive


def check_since(service: Service, since: int) -> None:
    """Refuse an epoch that has not been."""
    if since > service.hub.last:
        raise failures.NOT_YET.error(epoch=since, now=service.hub.last)


async def changes_after(service: Service, view: str, since: int) -> tuple[list[EpochChange], int]:
    """The next changes of a view after an epoch, some of them, and the epoch up to which these are all."""
    reached = service.hub.last
    noted = service.hub.since(since, view)
    if noted is None:
        return await service.threads.ask(lambda: _from_history(service, view, since))
    some, rows = 0, 0
    while some < min(len(noted), MANY) and (not some or rows < MUCH):
        rows += sum(noted[some].counts[view])
        some += 1
    taken = noted[:some]
    if taken:
        reached = max(reached, taken[-1].epoch) if some == len(noted) else taken[-1].epoch
    if rows <= SMALL:
        return [each.change(view) for each in taken], reached
    return await service.threads.look(lambda: [each.change(view) for each in taken]), reached


def _from_history(service: Service, view: str, since: int) -> tuple[list[EpochChange], int]:
    core = core_of(service.engine)
    if core.opened.lasting is None:
        raise failures.CHANGES_GONE.error(since=since)
    types, until = service.engine[view].types, service.hub.last
    found: list[EpochChange] = []
    rows = 0
    for epoch, changes in groupby(changes_in_turn(core, view, since), key=lambda change: change.epoch):
        if epoch > until:  # recorded, but not sent yet
            break
        if rows >= MUCH or len(found) >= MANY:
            return found, epoch - 1
        found.append(EpochChange.of_facts(epoch, [(change.sign, change.fact) for change in changes], types))
        rows += len(found[-1])
    return found, until


async def poll(service: Service, view: str, since: int, wait: float) -> dict[str, Any]:
    """The changes of a view after an epoch; where there are none, wait for them so long."""
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
    """The server-sent events of a view; the count of feeds is the caller's matter."""
    yield b"retry: 1000\n\n"
    told = since
    while not service.hub.closed:
        changes, since = await changes_after(service, view, since)
        if changes:
            told = changes[-1].epoch
            text = partial(_text, changes)
            yield text() if sum(map(len, changes)) <= SMALL else await service.threads.look(text)
        elif since >= service.hub.last:
            await service.hub.wait(since, BEAT)
            if service.hub.last == since or since - told > MANY:
                told = since
                yield _beat(since)


def _text(changes: list[EpochChange]) -> bytes:
    return b"".join([change.event() for change in changes])


def _beat(epoch: int) -> bytes:
    """An event without changes: everything up to this epoch was sent."""
    return b'id: %d\nevent: epoch\ndata: {"epoch":%d}\n\n' % (epoch, epoch)


async def counts_after(service: Service, since: int) -> tuple[list[dict[str, Any]], int]:
    """What epochs changed, in numbers."""
    noted = service.hub.since(since)
    if noted is None:
        return await service.threads.ask(lambda: _counts_from_history(service, since))
    found = [_counts_json(each.epoch, each.time, each.seconds, each.rules, each.counts) for each in noted[:MANY]]
    return found, noted[:MANY][-1].epoch if noted else max(since, 0)


def _counts_json(
    epoch: int, time: float, seconds: float, rules: bool, counts: Mapping[str, tuple[int, int]]
) -> dict[str, Any]:
    """An epoch in numbers; ``rules`` says whether the program changed too."""
    return {"epoch": epoch, "time": time, "seconds": seconds, "rules": rules, "changes": counts_json(counts)}


def counts_json(counts: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """Numbers of rows by relation, of those that users know."""
    return {name: {"plus": plus, "minus": minus} for name, (plus, minus) in counts.items() if not is_auxiliary(name)}


def _counts_from_history(service: Service, since: int) -> tuple[list[dict[str, Any]], int]:
    core = core_of(service.engine)
    if core.opened.lasting is None:
        raise failures.CHANGES_GONE.error(since=since)
    found: list[dict[str, Any]] = [
        _counts_json(e.epoch, e.time, e.seconds, bool(e.added or e.removed), e.changed)
        for e in log(core, since, since + MANY)
    ]
    return found, found[-1]["epoch"] if found else since


async def poll_counts(service: Service, since: int, wait: float) -> dict[str, Any]:
    """The epochs after one in numbers; where there are none, wait for them so long."""
    with service.feeds.one_more():
        if wait > 0:
            await service.hub.wait(since, wait)
        found, reached = await counts_after(service, since)
    return {"epoch": reached, "epochs": found, "more": reached < service.hub.last}


async def count_events(service: Service, since: int) -> AsyncIterator[bytes]:
    """The same as server-sent events."""
    yield b"retry: 1000\n\n"
    while not service.hub.closed:
        found, since = await counts_after(service, since)
        if found:
            yield b"".join(b"id: %d\nevent: epoch\ndata: " % each["epoch"] + to_json(each) + b"\n\n" for each in found)
        else:
            await service.hub.wait(since, BEAT)
            if service.hub.last == since:
                yield b": alive\n\n"
