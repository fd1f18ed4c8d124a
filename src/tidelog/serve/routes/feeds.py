"""Changes since an epoch: polls that wait, and server-sent events.

Law: a client that continues after the last epoch it received misses nothing and receives nothing twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import quote

from tidelog.serve import feeds, schemas
from tidelog.serve import serve_failures as failures
from tidelog.serve.operation import CREATED, EVENTS, JSON, Lane, Operation, Reply, RequestCall
from tidelog.serve.request import TICKET
from tidelog.serve.service import Service
from tidelog.serve.tickets import UNUSED

LONGEST = 300  # seconds that a poll waits


def _since(service: Service, call: RequestCall) -> int:
    """The epoch after which a feed continues: where it was interrupted, the given one, or the current one."""
    since: int = call.query.get("since", service.hub.last)
    if call.last_event is not None:
        if not (call.last_event.isascii() and call.last_event.isdecimal()) or len(call.last_event) > 18:
            raise failures.NOT_AS_DESCRIBED.error(place="Last-Event-ID", what="is not the number of an epoch")
        since = int(call.last_event)
    feeds.check_since(service, since)
    return since


async def changes(service: Service, call: RequestCall) -> Reply:
    """Changes of one view."""
    name, since = service.engine[call.path["name"]].name, _since(service, call)
    if call.accept != EVENTS:
        return Reply(await feeds.poll(service, name, since, call.query.get("wait", 0)))
    await feeds.changes_after(service, name, since)  # refuses epochs no longer kept, before anything is sent
    return _stream(service, call, feeds.events(service, name, since))


async def all_changes(service: Service, call: RequestCall) -> Reply:
    """Change counts of all views."""
    since = _since(service, call)
    if call.accept != EVENTS:
        return Reply(await feeds.poll_counts(service, since, call.query.get("wait", 0)))
    await feeds.counts_after(service, since)
    return _stream(service, call, feeds.count_events(service, since))


def _stream(service: Service, call: RequestCall, events: AsyncIterator[bytes]) -> Reply:
    """A reply with events, and the action to run when they end."""
    ticket: str | None = call.query.get(TICKET)
    service.feeds.enter()
    if ticket is not None:
        try:
            service.tickets.enter(ticket, call.path.get("name"))
        except BaseException:
            service.feeds.leave()
            raise

    def leave() -> None:
        service.feeds.leave()
        if ticket is not None:
            service.tickets.leave(ticket)

    return Reply(parts=events, type=EVENTS, at_end=leave)


def issue_ticket(service: Service, call: RequestCall) -> Reply:
    """A ticket for one feed."""
    view: str | None = call.body.get("view")
    name = None if view is None else service.engine[view].name
    ticket = service.tickets.issue(name)
    path = "/v1/changes" if name is None else f"/v1/changes/{quote(name, safe='')}"
    return Reply({"ticket": ticket, "address": f"{path}?{TICKET}={ticket}", "seconds": UNUSED}, CREATED)


_QUERY = {
    "since": schemas.whole("Return changes after this epoch. Defaults to the current epoch."),
    "wait": schemas.number("Seconds to wait for a change if there is none yet.", most=LONGEST),
    TICKET: schemas.text("A ticket for this feed, for clients that cannot send headers.", 200),
}
_DETAIL = "The id of an event is the number of its epoch. `Last-Event-ID` takes precedence over `since`."

OPERATIONS = (
    Operation(
        "GET",
        "/v1/changes/{name}",
        changes,
        "Changes of a view, by epoch",
        reads=lambda _, call: (call.path["name"],),
        lane=Lane.loop,
        query=_QUERY,
        gives=(JSON, EVENTS),
        detail=_DETAIL,
    ),
    Operation(
        "GET",
        "/v1/changes",
        all_changes,
        "Number of changed rows of all views, by epoch",
        lane=Lane.loop,
        query=_QUERY,
        gives=(JSON, EVENTS),
        detail=_DETAIL,
    ),
    Operation(
        "POST",
        "/v1/tickets",
        issue_ticket,
        "Create a ticket that opens one feed without a token, for `EventSource` in a browser",
        reads=lambda _, call: None if call.body.get("view") is None else (call.body["view"],),
        body=schemas.fields({"view": schemas.text("The view of the feed. Defaults to the feed of all views.", 1000)}),
        answer=schemas.fields(
            {
                "ticket": {"type": "string"},
                "address": {"type": "string", "description": "The address of the feed, with the ticket."},
                "seconds": {"type": "number", "description": "Seconds after which an unused ticket expires."},
            },
            ("ticket", "address", "seconds"),
        ),
        created=True,
    ),
)
