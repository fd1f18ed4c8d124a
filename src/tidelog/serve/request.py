"""A request as a call: who sends it, what it wants, what it brings.

Law: what a call holds is as its operation describes it. The token is in the header `Authorization` alone; an address
may have a ticket instead, which opens that one feed (`tickets`). The body is read after it is known to be allowed, and
no further than the limit.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, NoReturn

from starlette.requests import Request

from tidelog.serve import serve_failures as failures
from tidelog.serve.operation import JSON, Call, Operation
from tidelog.serve.schema import check, read_parameter
from tidelog.serve.service import Service
from tidelog.serve.tokens import READ, WRITE
from tidelog.serve.values import ARROW, table_from_arrow

BEARER = "bearer "
TICKET = "ticket"
SMALL = 1 << 14  # bytes of a body that are read on the loop


async def read_call(service: Service, operation: Operation, request: Request) -> Call:
    """The call that a request makes."""
    ticket = request.query_params.get(TICKET) if TICKET in operation.query else None
    if ticket is None:
        access = check_token(service, request, operation.access or READ)
    else:
        access = READ
        service.tickets.check(ticket, request.path_params.get("name"))
    if service.hub.closed:
        raise failures.STOPPING.error()
    accept = _accepted(request, operation)
    query, more = _parameters(request, operation)
    body = await _read_body(request, service.limits.body)
    read = partial(_content, body, request, operation)
    return Call(
        path=request.path_params,
        query=query,
        body=read() if len(body) <= SMALL else await service.threads.look(read),
        size=len(body),
        accept=accept,
        more=more,
        last_event=request.headers.get("last-event-id"),
        access=access,
    )


def check_token(service: Service, request: Request, wanted: str) -> str:
    """What the token of a request may do; refused if that is less than is wanted."""
    given = request.headers.get("authorization", "")
    token = given[len(BEARER) :].strip().encode("latin-1", "replace") if given.lower().startswith(BEARER) else b""
    granted = service.tokens.grants(token)
    if granted is None:
        raise failures.NO_TOKEN.error()
    if wanted == WRITE and granted != WRITE:
        raise failures.ONLY_READS.error()
    return granted


def _accepted(request: Request, operation: Operation) -> str:
    """The first type that the operation gives and the client takes."""
    given = request.headers.get("accept", "*/*")
    wanted = [_without_weight(part) for part in given.split(",")]
    variants = {_parameter(known) for known in operation.gives}
    for type_ in wanted:
        if type_ in operation.gives:
            return type_
        bare = type_.partition(";")[0]  # without parameters that make no difference here, such as charset
        if bare in operation.gives and _parameter(type_) not in variants - {""}:
            return bare
    if not given.strip() or any(type_ in ("*/*", "application/*") for type_ in wanted):
        return operation.gives[0]
    raise failures.NOT_AS_WANTED.error(path=request.url.path, wanted=given[:80], known=", ".join(operation.gives))


def _without_weight(part: str) -> str:
    """A type of `Accept` with its parameters, but for its weight.

    >>> _without_weight(" Text/CSV; formulas=escaped; q=0.9")
    'text/csv;formulas=escaped'
    """
    pieces = [piece.strip().lower() for piece in part.split(";")]
    return ";".join(piece for piece in pieces if not piece.startswith("q="))


def _parameter(type_: str) -> str:
    """The name of the first parameter of a type, if it has one."""
    return type_.partition(";")[2].partition("=")[0]


def _parameters(request: Request, operation: Operation) -> tuple[dict[str, Any], dict[str, str]]:
    """The parameters that the operation names, and the others if it takes them."""
    query: dict[str, Any] = {}
    more: dict[str, str] = {}
    for name, text in request.query_params.multi_items():
        if name in query or name in more:
            raise failures.NOT_AS_DESCRIBED.error(place=name[:80], what="occurs twice")
        if name in operation.query:
            query[name] = read_parameter(text, operation.query[name], name)
        elif operation.more:
            more[name] = text
        else:
            known = ", ".join(operation.query) or "none"
            raise failures.NOT_AS_DESCRIBED.error(
                place=name[:80], what=f"is not a parameter. Known parameters: {known}"
            )
    for name in operation.required:
        if name not in query:
            raise failures.NOT_AS_DESCRIBED.error(place=name, what="is missing")
    return query, more


async def _read_body(request: Request, limit: int) -> bytes:
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > limit:
        raise failures.TOO_LARGE.error(limit=limit)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise failures.TOO_LARGE.error(limit=limit)
        parts.append(part)
    return b"".join(parts)


def _content(body: bytes, request: Request, operation: Operation) -> Any:
    """The values of a body; none is like an empty object."""
    if operation.body is None:
        if body:
            raise failures.NOT_AS_DESCRIBED.error(place="body", what="the request must not have a body")
        return None
    type_ = request.headers.get("content-type", JSON if not body else "").partition(";")[0].strip().lower()
    if type_ not in operation.takes or "content-encoding" in request.headers:
        found = request.headers.get("content-encoding") or type_ or "none"
        raise failures.NOT_THIS_TYPE.error(found=found[:80], wanted=" or ".join(operation.takes))
    if type_ == ARROW:
        return table_from_arrow(body)
    value = parse_json(body) if body else {}
    check(value, operation.body)
    return value


def parse_json(body: bytes) -> Any:
    """The values of a JSON text."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
        if b"\\u" in body:
            json.dumps(value, ensure_ascii=False).encode()  # halves of surrogate pairs are no text
    except UnicodeEncodeError:
        raise failures.NOT_JSON.error(error="lone surrogate") from None
    except (ValueError, RecursionError) as error:
        told = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise failures.NOT_JSON.error(error=told[:200]) from None
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
