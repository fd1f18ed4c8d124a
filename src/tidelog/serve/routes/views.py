"""Reading views and asking questions.

Law: all pages of an answer are of one epoch, which it names.
"""

from __future__ import annotations

from tidelog.serve import failures, schemas
from tidelog.serve.limits import PAGE
from tidelog.serve.operation import JSON, Call, Lane, Operation, Reply
from tidelog.serve.pages import read_place
from tidelog.serve.reading import Page, Wanted
from tidelog.serve.service import Service
from tidelog.serve.values import ARROW, arrow_stream


def wanted(service: Service, call: Call, limit: int | None, after: str | None) -> Wanted:
    """The page that a call wants."""
    most = service.limits.rows
    count = limit or (most if call.accept == ARROW else min(PAGE, most))
    if count > most:
        raise failures.NOT_AS_DESCRIBED.error(place="limit", what=f"{count}, and the most is {most}")
    return Wanted(count, None if after is None else read_place(after))


def reply(call: Call, page: Page) -> Reply:
    """A page as JSON, or as a stream of Arrow's."""
    headers = {"Tidelog-Epoch": str(page.epoch), "Tidelog-Total": str(page.total)}
    if page.next is not None:
        headers["Tidelog-Next"] = str(page.next)
    if call.accept == ARROW:
        return Reply(headers=headers, parts=arrow_stream(page.rows), type=ARROW)
    return Reply(page.to_json(), headers=headers)


def view(service: Service, call: Call) -> Reply:
    """Rows of a view."""
    page = wanted(service, call, call.query.get("limit"), call.query.get("after"))
    with service.at(call.query.get("at")) as db:
        return reply(call, service.reader.view(db, call.path["name"], call.more, page))


def question(service: Service, call: Call) -> Reply:
    """Answers to a question."""
    page = wanted(service, call, call.body.get("limit"), call.body.get("after"))
    with service.at(call.body.get("at")) as db:
        return reply(call, service.reader.question(db, call.body["text"], page))


OPERATIONS = (
    Operation(
        "GET",
        "/v1/views/{name}",
        view,
        "Rows of a view",
        query={"limit": schemas.LIMIT, "after": schemas.AFTER, "at": schemas.AT},
        more=True,
        gives=(JSON, ARROW),
        answer=schemas.PAGE,
        detail="Every other parameter names a column, and its value what is wanted there.",
    ),
    Operation(
        "POST",
        "/v1/query",
        question,
        "Answers to a question",
        lane=Lane.ask,
        body=schemas.fields(
            {
                "text": schemas.text("The body of a rule; each of its variables is a column of the answer.", least=1),
                "limit": schemas.LIMIT,
                "after": schemas.AFTER,
                "at": schemas.AT,
            },
            ("text",),
        ),
        gives=(JSON, ARROW),
        answer=schemas.PAGE,
    ),
)
