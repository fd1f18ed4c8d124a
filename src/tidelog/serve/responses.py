"""HTTP responses.

Law: responses are not cached, and browsers do not guess another content type.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import anyio
from starlette.concurrency import iterate_in_threadpool
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from tidelog.errors import TidelogError
from tidelog.serve.operation import EVENTS, JSON, NO_CONTENT, Reply
from tidelog.serve.serve_failures import BAD_JWT, EXPIRED_TOKEN, NO_TOKEN
from tidelog.serve.statuses import error_json, status_of
from tidelog.serve.values import to_json

LOG = logging.getLogger("tidelog.serve")
STALL = 60.0  # seconds that a client may take to read a part of a response
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Plain values as JSON."""
    body = b"" if status == NO_CONTENT else to_json(content)
    return Response(body, status, {**HEADERS, **(headers or {})}, None if status == NO_CONTENT else JSON)


def error_response(
    error: TidelogError, headers: Mapping[str, str] | None = None, *, hide_rows: bool = False
) -> Response:
    """The response for an error; ``hide_rows``: without the rows and proofs of violations."""
    more = {"WWW-Authenticate": "Bearer"} if error.code in (NO_TOKEN.code, EXPIRED_TOKEN.code, BAD_JWT.code) else {}
    return json_response(error_json(error, hide_rows=hide_rows), status_of(error), {**more, **(headers or {})})


class StreamedReply(StreamingResponse):
    """A response in parts; the reply's `at_end` is called however the response ends.

    A client that does not read for a while is disconnected, and the memory for it is released.
    """

    def __init__(self, reply: Reply) -> None:
        assert reply.parts is not None
        parts = reply.parts if isinstance(reply.parts, AsyncIterator) else iterate_in_threadpool(reply.parts)
        buffering = {"X-Accel-Buffering": "no"} if reply.type == EVENTS else {}
        super().__init__(parts, reply.status, {**HEADERS, **reply.headers, **buffering}, reply.type)
        self._at_end = reply.at_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_soon(message: Message) -> None:
            with anyio.fail_after(STALL):
                await send(message)

        try:
            await super().__call__(scope, receive, send_soon)
        except TimeoutError:
            LOG.warning("%s: a client did not read for %g seconds and was disconnected", scope["path"], STALL)
        finally:
            if self._at_end is not None:
                self._at_end()
