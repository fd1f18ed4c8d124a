"""Read views and run queries.

Law: all pages of a response belong to one epoch, which it names.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tidelog.engine.ask.given import contains_given
from tidelog.engine.engine import core_of
from tidelog.engine.read.look_up import at_one_epoch
from tidelog.serve import schemas
from tidelog.serve import serve_failures as failures
from tidelog.serve.epoch_writer import collect, read_rows
from tidelog.serve.exports import STREAMED, counted_bytes, export
from tidelog.serve.limits import PAGE
from tidelog.serve.operation import JSON, Lane, Operation, Reply, RequestCall
from tidelog.serve.page_reader import Page, PageRequest
from tidelog.serve.pages import read_place
from tidelog.serve.questions import is_plain, relations_of
from tidelog.serve.service import Service

FEW = 100  # facts of a check that may run on the loop, and of those that are given with one


def page_request(service: Service, call: RequestCall, limit: int | None, after: str | None) -> PageRequest:
    """The page that a call requests."""
    place, most = None if after is None else read_place(after), service.limits.rows
    if call.accept in STREAMED:
        return PageRequest(limit or schemas.LARGEST, place)
    if limit is not None and limit > most:
        raise failures.NOT_AS_DESCRIBED.error(place="limit", what=f"{limit} exceeds the maximum of {most}")
    return PageRequest(limit or min(PAGE, most), place)


def rehearsal_of(service: Service, call: RequestCall) -> Callable[[], None] | None:
    """The rehearsal of a query; None if it is plain."""
    text, rules = call.body["text"], core_of(service.engine).rules
    if is_plain(text, rules):
        return None
    return partial(service.workers.rehearse_question, call.grant.access, rules, text)


def reply(service: Service, call: RequestCall, page: Page) -> Reply:
    """A page as JSON, or as a stream of another type."""
    headers = {"Tidelog-Epoch": str(page.epoch), "Tidelog-Total": str(page.total)}
    if page.next is not None:
        headers["Tidelog-Next"] = str(page.next)
    if page.undefined:
        headers["Tidelog-Undefined"] = str(sum(page.undefined.values()))
    if call.accept not in STREAMED:
        return Reply(page.to_json(), headers=headers)
    size = counted_bytes(page.rows)
    service.exports.enter(size)
    leave = partial(service.exports.leave, size)
    return Reply(headers=headers, parts=export(page.rows, call.accept), type=call.accept, at_end=leave)


def view(service: Service, call: RequestCall) -> Reply:
    """Rows of a view."""
    page = page_request(service, call, call.query.get("limit"), call.query.get("after"))
    with service.at(call.query.get("at")) as db:
        return reply(service, call, service.reader.view(db, call.path["name"], call.more, page))


def kind_of_view(service: Service, call: RequestCall) -> Hashable | None:
    """The kind of a look-up by some columns; None for other reads."""
    if not call.more or call.accept in STREAMED or call.query.keys() & {"at", "after"}:
        return None
    return "view", call.path["name"], *sorted(call.more)


def undefined(service: Service, call: RequestCall) -> Reply:
    """The undefined facts of a relation."""
    page = page_request(service, call, call.query.get("limit"), call.query.get("after"))
    with service.at(call.query.get("at")) as db:
        return reply(service, call, service.reader.undefined(db, call.path["name"], page))


def question(service: Service, call: RequestCall) -> Reply:
    """Answers to a query."""
    page = page_request(service, call, call.body.get("limit"), call.body.get("after"))
    with service.at(call.body.get("at")) as db:
        return reply(service, call, service.reader.question(db, call.body["text"], page))


def check_facts(service: Service, call: RequestCall) -> Reply:
    """Which of some facts hold."""
    facts = call.body["facts"]
    count = sum(map(len, facts.values()))
    if count > service.limits.rows:
        raise failures.NOT_AS_DESCRIBED.error(
            place="facts", what=f"{count} facts exceed the maximum of {service.limits.rows}"
        )
    if "given" in call.body:
        return _facts_given(service, call, facts)
    with service.at(call.body.get("at")) as db:
        answers, epoch = at_one_epoch(
            core_of(db), lambda: {name: db[name].contains(read_rows(db, name, rows)) for name, rows in facts.items()}
        )
    return _answers(answers, epoch)


def _facts_given(service: Service, call: RequestCall, facts: Mapping[str, Any]) -> Reply:
    """Which of some facts would hold after some changes, which are rolled back."""
    db, given, grant = service.engine, call.body["given"], call.grant
    if "at" in call.body:
        raise failures.NOT_AS_DESCRIBED.error(place="at", what="cannot be combined with `given`")
    names = [*given.get("insert", {}), *given.get("delete", {})]
    if not grant.reads_all:  # the answers depend on everything that joins with the given facts
        grant.check_writes(names)
    count = sum(len(rows) for part in given.values() for rows in part.values())
    if count > FEW:
        raise failures.NOT_AS_DESCRIBED.error(place="given", what=f"{count} facts exceed the maximum of {FEW}")
    epoch = db.epoch()
    epoch.warns = False
    collect(db, epoch, given)
    asked = {name: read_rows(db, name, rows) for name, rows in facts.items()}
    return _answers(*contains_given(core_of(db), asked, epoch, service.limits.of_questions))


def _answers(answers: Mapping[str, npt.NDArray[np.bool_]], epoch: int) -> Reply:
    return Reply({"epoch": epoch, "answers": {name: found.tolist() for name, found in answers.items()}})


def kind_of_check(service: Service, call: RequestCall) -> Hashable | None:
    """The kind of a check of few facts; None for others."""
    facts = call.body["facts"]
    return (
        None if call.body.keys() & {"at", "given"} or sum(map(len, facts.values())) > FEW else ("facts", *sorted(facts))
    )


_GIVEN = {
    **schemas.fields({"insert": schemas.by_name(schemas.ROWS), "delete": schemas.by_name(schemas.ROWS)}),
    "description": f"At most {FEW} facts that are not stored.",
}

OPERATIONS = (
    Operation(
        "POST",
        "/v1/check-facts",
        check_facts,
        "Which of some facts hold, all at one epoch",
        reads=lambda _, call: call.body["facts"],
        brief=kind_of_check,
        body=schemas.fields(
            {"facts": schemas.by_name(schemas.ROWS), "at": schemas.AT, "given": _GIVEN},
            ("facts",),
        ),
        answer={
            "type": "object",
            "required": ["epoch", "answers"],
            "properties": {
                "epoch": schemas.EPOCH,
                "answers": schemas.by_name(schemas.list_of({"type": "boolean"})),
            },
        },
        detail="`answers` has one boolean for each row, in the order of the request. With `given`, these facts are "
        "inserted and deleted for this check alone; constraints are not checked.",
    ),
    Operation(
        "GET",
        "/v1/views/{name}",
        view,
        "Rows of a view",
        reads=lambda _, call: (call.path["name"],),
        brief=kind_of_view,
        query={"limit": schemas.LIMIT, "after": schemas.AFTER, "at": schemas.AT},
        more=True,
        gives=(JSON, *STREAMED),
        answer=schemas.PAGE,
        detail="Every other parameter is the name of a column and filters by its value. "
        "Responses in types other than JSON contain all rows unless `limit` is given.",
    ),
    Operation(
        "GET",
        "/v1/undefined/{name}",
        undefined,
        "Undefined facts of a relation",
        reads=lambda _, call: (call.path["name"],),
        query={"limit": schemas.LIMIT, "after": schemas.AFTER, "at": schemas.AT},
        gives=(JSON, *STREAMED),
        answer=schemas.PAGE,
        detail="Facts that depend on their own negation and are neither true nor false. They are in no view.",
    ),
    Operation(
        "POST",
        "/v1/query",
        question,
        "Answers to a query",
        reads=lambda service, call: relations_of(
            call.body["text"], service.engine.convention, service.engine.program.prefixes
        ),
        lane=Lane.ask,
        body=schemas.fields(
            {
                "text": schemas.text(
                    "The body of a rule. Each of its variables becomes a column of the response.", least=1
                ),
                "limit": schemas.LIMIT,
                "after": schemas.AFTER,
                "at": schemas.AT,
            },
            ("text",),
        ),
        gives=(JSON, *STREAMED),
        answer=schemas.PAGE,
        rehearsal=rehearsal_of,
    ),
)
