"""A request on its way: token, parameters, body, work, answer.

Law: a request without a token that allows it is refused before its body is read; a body is never held beyond the limit;
every answer, errors too, has one shape. Nothing of another origin is let in: there are no headers of CORS.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tidelog.errors import TidelogError
from tidelog.serve import failures
from tidelog.serve.document import document_routes
from tidelog.serve.operation import Call, Lane, Operation, Reply
from tidelog.serve.request import read_call
from tidelog.serve.responses import Stream, error_response, json_response
from tidelog.serve.routes import OPERATIONS
from tidelog.serve.service import Service

LOG = logging.getLogger("tidelog.serve")
NOT_FOUND, NOT_ALLOWED, GONE_AWAY = 404, 405, 499
Endpoint = Callable[[Request], Awaitable[Response]]


def make_application(service: Service, more: Sequence[BaseRoute] = ()) -> Starlette:
    """The application of a service; ``more`` are further routes, such as the console's."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            service.hub.close()
            await service.threads.write(service.stop)

    addresses: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        addresses.setdefault(operation.path, {})[operation.method] = operation
    routes = [Route(path, _endpoint(service, known), methods=list(known)) for path, known in addresses.items()]
    application = Starlette(
        routes=[*routes, *document_routes(), *more],
        lifespan=lifespan,
        exception_handlers={HTTPException: partial(_refused, service)},
    )
    application.router.redirect_slashes = False
    return application


def _endpoint(service: Service, known: Mapping[str, Operation]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            if request.method not in known:
                raise _no_method(request, known)
            operation = known[request.method]
            response = await _answer(service, operation, await read_call(service, operation, request))
        except TidelogError as error:
            response = error_response(error)
        except ClientDisconnect:
            response = Response(status_code=GONE_AWAY)
        except Exception as error:
            response = _defect(request, error)
        service.served.note(response.status_code)
        return response

    return endpoint


async def _answer(service: Service, operation: Operation, call: Call) -> Response:
    if operation.lane is Lane.loop:
        reply = operation.act(service, call)
        assert inspect.isawaitable(reply)
        found = await reply
        return _response(found) if found.parts is not None else await service.threads.look(partial(_response, found))
    lanes = {Lane.look: service.threads.look, Lane.ask: service.threads.ask, Lane.write: service.threads.write}

    def act() -> Response:
        reply = operation.act(service, call)
        assert isinstance(reply, Reply)
        return _response(reply)

    is_old = operation.lane is Lane.look and call.query.get("at") is not None  # opening an old epoch may take long
    return await lanes[Lane.ask if is_old else operation.lane](act)


def _response(reply: Reply) -> Response:
    return json_response(reply.content, reply.status, reply.headers) if reply.parts is None else Stream(reply)


def _no_method(request: Request, known: Mapping[str, object]) -> TidelogError:
    return failures.NO_SUCH_METHOD.error(
        path=request.url.path[:200], method=request.method[:20], known=", ".join(sorted(known))
    )


async def _refused(service: Service, request: Request, error: HTTPException) -> Response:
    """An address or a method that there is not."""
    service.served.note(error.status_code)
    headers = error.headers or {}
    if error.status_code == NOT_ALLOWED:
        known = [name.strip() for name in headers.get("Allow", "").split(",") if name.strip() != "HEAD"]
        return error_response(_no_method(request, dict.fromkeys(known)), {"Allow": ", ".join(known)})
    if error.status_code == NOT_FOUND:
        return error_response(failures.NO_SUCH_PLACE.error(path=request.url.path[:200]))
    return error_response(failures.NOT_AS_DESCRIBED.error(place="request", what=str(error.detail)[:200]))


def _defect(request: Request, error: Exception) -> Response:
    """What nobody thought of: told in the log, with the address and without what was sent."""
    LOG.error("%s %s", request.method, request.url.path, exc_info=error)
    return error_response(failures.DEFECT.error())
