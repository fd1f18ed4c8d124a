"""Answers as HTTP has them.

Law: nothing is kept by anybody on the way, and no browser takes an answer for another type than it says.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.concurrency import iterate_in_threadpool
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from tidelog.errors import TidelogError
from tidelog.serve.failures import NO_TOKEN
from tidelog.serve.operation import EVENTS, JSON, NO_CONTENT, Reply
from tidelog.serve.statuses import error_json, status_of
from tidelog.serve.values import to_json

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


def error_response(error: TidelogError, headers: Mapping[str, str] | None = None) -> Response:
    """What went wrong."""
    more = {"WWW-Authenticate": "Bearer"} if error.code == NO_TOKEN.code else {}
    return json_response(error_json(error), status_of(error), {**more, **(headers or {})})


class Stream(StreamingResponse):
    """An answer in parts; what the reply wants done at its end is done however it ends."""

    def __init__(self, reply: Reply) -> None:
        assert reply.parts is not None
        parts = reply.parts if isinstance(reply.parts, AsyncIterator) else iterate_in_threadpool(reply.parts)
        buffering = {"X-Accel-Buffering": "no"} if reply.type == EVENTS else {}
        super().__init__(parts, reply.status, {**HEADERS, **reply.headers, **buffering}, reply.type)
        self._at_end = reply.at_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self._at_end is not None:
                self._at_end()
