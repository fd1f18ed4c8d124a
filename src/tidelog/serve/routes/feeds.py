"""Changes since an epoch: polls that wait, and server-sent events.

Law: who goes on after the last epoch that was told misses nothing and gets nothing twice.
"""

from __future__ import annotations

from tidelog.serve import failures, feeds, schemas
from tidelog.serve.operation import EVENTS, JSON, Call, Lane, Operation, Reply
from tidelog.serve.service import Service

LONGEST = 300  # seconds that a poll waits


def _since(service: Service, call: Call) -> int:
    """The epoch after which a feed goes on: where it was cut off, as it was told, or now."""
    since: int = call.query.get("since", service.hub.last)
    if call.last_event is not None:
        if not (call.last_event.isascii() and call.last_event.isdecimal()) or len(call.last_event) > 18:
            raise failures.NOT_AS_DESCRIBED.error(place="Last-Event-ID", what="is not the number of an epoch")
        since = int(call.last_event)
    feeds.check_since(service, since)
    return since


async def changes(service: Service, call: Call) -> Reply:
    """Changes of one view."""
    name, since = service.engine[call.path["name"]].name, _since(service, call)
    if call.accept != EVENTS:
        return Reply(await feeds.poll(service, name, since, call.query.get("wait", 0)))
    await feeds.changes_after(service, name, since)  # refuses what is no longer kept, before anything is sent
    service.feeds.enter()
    return Reply(parts=feeds.events(service, name, since), type=EVENTS, at_end=service.feeds.leave)


async def all_changes(service: Service, call: Call) -> Reply:
    """Changes of all views, in numbers."""
    since = _since(service, call)
    if call.accept != EVENTS:
        return Reply(await feeds.poll_counts(service, since, call.query.get("wait", 0)))
    await feeds.counts_after(service, since)
    service.feeds.enter()
    return Reply(parts=feeds.count_events(service, since), type=EVENTS, at_end=service.feeds.leave)


_QUERY = {
    "since": schemas.whole("Changes after this epoch; the last one if left out."),
    "wait": schemas.number("Seconds to wait for a change where there is none.", most=LONGEST),
}
_DETAIL = "As events each has the number of its epoch as id; `Last-Event-ID` counts more than `since`."

OPERATIONS = (
    Operation(
        "GET",
        "/v1/changes/{name}",
        changes,
        "What epochs changed in a view",
        lane=Lane.loop,
        query=_QUERY,
        gives=(JSON, EVENTS),
        detail=_DETAIL,
    ),
    Operation(
        "GET",
        "/v1/changes",
        all_changes,
        "How many rows epochs changed in all views",
        lane=Lane.loop,
        query=_QUERY,
        gives=(JSON, EVENTS),
        detail=_DETAIL,
    ),
)
