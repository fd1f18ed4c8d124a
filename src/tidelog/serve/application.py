"""How a request is handled: token, parameters, body, work, response.

Law: a request without a token that allows it is refused before its body is read; a body is never held beyond the limit;
every response, including errors, has one shape. Requests of other origins are not allowed: there are no CORS headers.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tidelog.engine.engine import core_of
from tidelog.errors import TidelogError
from tidelog.serve import serve_failures as failures
from tidelog.serve.document import document_routes
from tidelog.serve.health import health_routes
from tidelog.serve.operation import Lane, Operation, Reply, RequestCall
from tidelog.serve.request import SMALL, read_call
from tidelog.serve.request_metrics import OTHER
from tidelog.serve.responses import StreamedReply, error_response, json_response
from tidelog.serve.routes import OPERATIONS
from tidelog.serve.service import Service

LOG = logging.getLogger("tidelog.serve")
BAD_REQUEST, NOT_FOUND, NOT_ALLOWED, GONE_AWAY, DEFECTIVE = 400, 404, 405, 499, 500
ALARMING = frozenset((401, 403, 421, 422, 429, 500, 503))  # a limit, or a caller without permission
Endpoint = Callable[[Request], Awaitable[Response]]


def make_application(service: Service, more: Sequence[BaseRoute] = ()) -> ASGIApp:
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
    routes = [Route(path, _endpoint(service, path, own), methods=list(own)) for path, own in addresses.items()]
    application = Starlette(
        routes=[*routes, *document_routes(), *health_routes(service), *more],
        lifespan=lifespan,
        exception_handlers={HTTPException: partial(_handle_http_error, service)},
    )
    application.router.redirect_slashes = False
    return ShortRoute(
        application, {path: (frozenset(own), _endpoint(service, path, own)) for path, own in addresses.items()}
    )


class ShortRoute:
    """An application in front of another that answers what it has an endpoint for, without searching a list of routes.

    A path is looked up as it is, and with its last part as the parameter `name`. HEAD and everything else is left to
    the other application.
    """

    def __init__(self, application: ASGIApp, endpoints: Mapping[str, tuple[frozenset[str], Endpoint]]) -> None:
        self._application, self._endpoints = application, endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or the start and the end of the server."""
        endpoint = self._endpoint(scope) if scope["type"] == "http" else None
        if endpoint is None:
            await self._application(scope, receive, send)
            return
        response = await endpoint(Request(scope, receive, send))
        await response(scope, receive, send)

    def _endpoint(self, scope: Scope) -> Endpoint | None:
        path: str = scope["path"]
        found, parameters = self._endpoints.get(path), {}
        if found is None:
            folder, _, name = path.rpartition("/")
            found, parameters = self._endpoints.get(f"{folder}/{{name}}") if name else None, {"name": name}
        if found is None or scope["method"] not in found[0] or scope.get("root_path"):
            return None
        scope["path_params"] = parameters
        return found[1]


def _endpoint(service: Service, path: str, operations: Mapping[str, Operation]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        began = time.perf_counter()
        code, call = None, None
        try:
            operation = _operation(request, operations)
            call = await read_call(service, operation, request)
            response = await _answer(service, operation, call)
        except TidelogError as error:
            code = error.code
            response = _refusal(request, error)
        except ClientDisconnect:
            response = Response(status_code=GONE_AWAY)
        except asyncio.CancelledError:
            if not service.hub.closed:
                raise
            code = failures.STOPPING.code  # the server no longer waits for this request
            response = error_response(failures.STOPPING.error())
        except Exception as error:
            response = _defect(request, error)
        try:
            await service.syncer.reached(service.engine.epoch_number)
        except TidelogError as error:  # what was read may be lost
            code = error.code
            response = _refusal(request, error)
        _record(service, request, path, call, response.status_code, code, time.perf_counter() - began)
        return response

    return endpoint


def _refusal(request: Request, error: TidelogError) -> Response:
    """The response for an error; a token for some relations does not see the rows of others in it."""
    seconds = getattr(request.state, "retry_after", None)
    headers = {} if seconds is None else {"Retry-After": str(math.ceil(seconds))}
    return error_response(error, headers, hide_rows=not getattr(request.state, "reads_all", True))


def _record(
    service: Service,
    request: Request,
    path: str,
    call: RequestCall | None,
    status: int,
    code: str | None,
    seconds: float,
) -> None:
    """Count and log a request that was answered."""
    service.served.note(request.method, path, status, seconds)
    log_request(service, request, status, code, seconds)
    if service.audit is not None and hasattr(request.state, "token"):
        client = "" if request.client is None else request.client.host
        about = {"client": client, "method": request.method, "path": request.url.path}
        asked = (None, None) if call is None else ({**call.query, **call.more}, call.body)
        service.audit.note(about, request.state.token, status, *asked)


async def _answer(service: Service, operation: Operation, call: RequestCall) -> Response:
    rehearse = None if operation.rehearsal is None else operation.rehearsal(service, call)
    if rehearse is not None:
        await service.threads.check(rehearse)
    if operation.lane is Lane.loop:
        reply = operation.act(service, call)
        assert inspect.isawaitable(reply)
        response = await reply
        return (
            _response(response)
            if response.parts is not None
            else await service.threads.look(partial(_response, response))
        )
    threads = service.threads
    lanes = {Lane.look: threads.look, Lane.ask: threads.ask, Lane.write: threads.write, Lane.check: threads.check}

    def act() -> Response:
        reply = operation.act(service, call)
        assert isinstance(reply, Reply)
        return _response(reply)

    if operation.lane is Lane.commit:
        return await (threads.commit if call.size <= SMALL else threads.write)(act)
    kind = operation.brief(service, call)
    if kind is not None and service.brief.is_brief(kind):
        at_once = service.brief.run_at_once(core_of(service.engine), kind, act)
        if at_once is None:
            at_once = await threads.look_between(act)
        if at_once is not None:
            return at_once
    if kind is not None:
        return await threads.look(partial(service.brief.run, kind, act))
    is_old = call.query.get("at") is not None  # opening an old epoch can be slow
    waits = isinstance(call.body, dict) and "given" in call.body
    return await lanes[Lane.ask if operation.lane is Lane.look and (is_old or waits) else operation.lane](act)


def _operation(request: Request, operations: Mapping[str, Operation]) -> Operation:
    """The operation of a request; HEAD is handled as GET, except for feeds, which never end."""
    operation = operations.get(request.method)
    if operation is None and request.method == "HEAD":
        operation = operations.get("GET")
        operation = None if operation is not None and operation.lane is Lane.loop else operation
    if operation is None:
        raise _no_method(request, operations)
    return operation


def log_request(service: Service, request: Request, status: int, code: str | None, seconds: float) -> None:
    """Log a request that was refused or slow, and every other request if all are logged."""
    if status < BAD_REQUEST:
        slow = seconds >= service.limits.slow_seconds
        level, what = (logging.INFO, "slow request" if slow else "request") if slow or service.logs_all else (0, "")
    else:
        level = logging.WARNING if status in ALARMING else logging.INFO
        what = "request failed" if status == DEFECTIVE else "request refused"
    if level:
        fields = {
            "method": request.method[:20],
            "path": request.url.path[:200],
            "status": status,
            "code": code,
            "seconds": round(seconds, 3),
            "client": None if request.client is None else request.client.host,
            "token": getattr(request.state, "token", None),
        }
        LOG.log(level, what, extra=fields)


def _response(reply: Reply) -> Response:
    return json_response(reply.content, reply.status, reply.headers) if reply.parts is None else StreamedReply(reply)


def _no_method(request: Request, methods: Mapping[str, object]) -> TidelogError:
    return failures.NO_SUCH_METHOD.error(
        path=request.url.path[:200], method=request.method[:20], known=", ".join(sorted(methods))
    )


async def _handle_http_error(service: Service, request: Request, error: HTTPException) -> Response:
    """The response for an unknown path or method."""
    service.served.note(OTHER, OTHER, error.status_code, 0.0)
    log_request(service, request, error.status_code, None, 0.0)
    headers = error.headers or {}
    if error.status_code == NOT_ALLOWED:
        methods = [name.strip() for name in headers.get("Allow", "").split(",") if name.strip() != "HEAD"]
        return error_response(_no_method(request, dict.fromkeys(methods)), {"Allow": ", ".join(methods)})
    if error.status_code == NOT_FOUND:
        return error_response(failures.NO_SUCH_PLACE.error(path=request.url.path[:200]))
    return error_response(failures.NOT_AS_DESCRIBED.error(place="request", what=str(error.detail)[:200]))


def _defect(request: Request, error: Exception) -> Response:
    """Log an unexpected exception with the path, without the content of the request."""
    LOG.error("unexpected exception in %s %s", request.method[:20], request.url.path[:200], exc_info=error)
    return error_response(failures.DEFECT.error())
