"""Convert a request to a call: its token, the requested type, its parameters and its body.

Law: a call matches the description of its operation. The token is only in the header `Authorization`; an address may
contain a ticket instead, which opens one feed (`tickets`). The body is read only after the request has been authorised,
and no further than the limit.
"""

from __future__ import annotations

import json
from functools import lru_cache, partial
from typing import Any, NoReturn

from starlette.requests import Request

from tidelog.serve import serve_failures as failures
from tidelog.serve.grants import READ, READER, Grant
from tidelog.serve.operation import JSON, Operation, RequestCall
from tidelog.serve.schema import check, read_parameter
from tidelog.serve.service import Service
from tidelog.serve.values import ARROW, table_from_arrow

BEARER = "bearer "
TICKET = "ticket"
SMALL = 1 << 14  # bytes of a body that are read on the loop
REMEMBERED = 200  # characters of a header `Accept` whose type is remembered


async def read_call(service: Service, operation: Operation, request: Request) -> RequestCall:
    """The call of a request."""
    ticket = request.query_params.get(TICKET) if TICKET in operation.query else None
    if ticket is None:
        grant = check_token(service, request)
        grant.check_scope(operation.access)
    else:
        grant = READER
        service.tickets.check(ticket, request.path_params.get("name"))
    if service.hub.closed:
        raise failures.STOPPING.error()
    accept = _negotiate_type(request, operation)
    query, more = _parameters(request, operation)
    body = await _read_body(request, service.limits.body)
    read_content = partial(_content, body, request, operation)
    call = RequestCall(
        path=request.path_params,
        query=query,
        body=read_content() if len(body) <= SMALL else await service.threads.look(read_content),
        size=len(body),
        accept=accept,
        more=more,
        last_event=request.headers.get("last-event-id"),
        grant=grant,
    )
    if operation.access == READ and not grant.reads_all:
        grant.check_reads(operation.reads(service, call))
    return call


def check_token(service: Service, request: Request) -> Grant:
    """What the token of a request allows; raises if it is invalid or used too often."""
    header = request.headers.get("authorization", "")
    token = header[len(BEARER) :].strip().encode("latin-1", "replace") if header.lower().startswith(BEARER) else b""
    grant = service.tokens.grant(token)
    if grant is None:
        raise failures.NO_TOKEN.error()
    request.state.token, request.state.reads_all = grant.name, grant.reads_all
    if grant.rate is not None and (seconds := service.rates.wait(grant)):
        request.state.retry_after = seconds
        raise failures.TOO_FAST.error(name=grant.name, rate=f"{grant.rate:g}")
    return grant


def _negotiate_type(request: Request, operation: Operation) -> str:
    """The first type that the client accepts and the operation provides."""
    header = request.headers.get("accept", "*/*")
    found = (
        _accepted_type(header, operation.gives) if len(header) <= REMEMBERED else _find_type(header, operation.gives)
    )
    if found is None:
        known = ", ".join(operation.gives)
        raise failures.NOT_ACCEPTABLE.error(path=request.url.path, wanted=header[:80], known=known)
    return found


def _find_type(header: str, given: tuple[str, ...]) -> str | None:
    types = [_without_weight(part) for part in header.split(",")]
    variants = {_parameter(type_name) for type_name in given}
    for type_ in types:
        if type_ in given:
            return type_
        bare = type_.partition(";")[0]  # without parameters that make no difference here, such as charset
        if bare in given and _parameter(type_) not in variants - {""}:
            return bare
    if not header.strip() or any(type_ in ("*/*", "application/*") for type_ in types):
        return given[0]
    return None


_accepted_type = lru_cache(1000)(_find_type)


def _without_weight(part: str) -> str:
    """A type of `Accept` with its parameters, except its weight.

    >>> _without_weight(" Text/CSV; formulas=escaped; q=0.9")
    'text/csv;formulas=escaped'
    """
    pieces = [piece.strip().lower() for piece in part.split(";")]
    return ";".join(piece for piece in pieces if not piece.startswith("q="))


def _parameter(type_: str) -> str:
    """The name of the first parameter of a type, if it has one."""
    return type_.partition(";")[2].partition("=")[0]


def _parameters(request: Request, operation: Operation) -> tuple[dict[str, Any], dict[str, str]]:
    """The parameters that the operation names, and all others if it accepts them."""
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
            names = ", ".join(operation.query) or "none"
            raise failures.NOT_AS_DESCRIBED.error(
                place=name[:80], what=f"is not a parameter. Known parameters: {names}"
            )
    for name in operation.required:
        if name not in query:
            raise failures.NOT_AS_DESCRIBED.error(place=name, what="is missing")
    return query, more


async def _read_body(request: Request, limit: int) -> bytes:
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > limit:
        raise failures.TOO_LARGE.error(limit=limit)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise failures.TOO_LARGE.error(limit=limit)
        parts.append(part)
    return b"".join(parts)


def _content(body: bytes, request: Request, operation: Operation) -> Any:
    """The values of a body; an empty body is read as an empty object."""
    if operation.body is None:
        if body:
            raise failures.NOT_AS_DESCRIBED.error(place="body", what="the request must not have a body")
        return None
    type_ = request.headers.get("content-type", JSON if not body else "").partition(";")[0].strip().lower()
    if type_ not in operation.takes or "content-encoding" in request.headers:
        content_type = request.headers.get("content-encoding") or type_ or "none"
        raise failures.NOT_THIS_TYPE.error(found=content_type[:80], wanted=" or ".join(operation.takes))
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
            json.dumps(value, ensure_ascii=False).encode()  # lone surrogates are not valid text
    except UnicodeEncodeError:
        raise failures.NOT_JSON.error(error="lone surrogate") from None
    except (ValueError, RecursionError) as error:
        message = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise failures.NOT_JSON.error(error=message[:200]) from None
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
