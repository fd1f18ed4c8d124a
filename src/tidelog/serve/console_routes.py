"""The addresses of the console's files.

Law: an address is looked up among the names of the files, so that no other file can be named; the files need no token,
because they contain no data. A page runs only scripts and styles of this server, connects to this server only, and
cannot be embedded in another page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import PurePosixPath

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tidelog.serve.console import console_files

_MEDIA = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def console_routes() -> list[BaseRoute]:
    """The routes of the console: its page at ``/``, the other files below ``/console``."""
    by_name = {name: _File(name, text) for name, text in console_files().items()}

    async def page(request: Request) -> Response:
        return by_name["index.html"].answer(request)

    async def file(request: Request) -> Response:
        entry = by_name.get(request.path_params["name"])
        return Response(status_code=404) if entry is None else entry.answer(request)

    return [
        Route("/", page, include_in_schema=False),
        Route("/console/{name}", file, include_in_schema=False),
    ]


class _File:
    """A file in the form in which it is sent; if the browser already has it, the response is 304."""

    def __init__(self, name: str, text: str) -> None:
        self._body = text.encode()
        self._media = _MEDIA[PurePosixPath(name).suffix]
        self._tag = f'"{hashlib.sha256(self._body).hexdigest()[:20]}"'

    def answer(self, request: Request) -> Response:
        """The response to a request for the file."""
        headers = {**HEADERS, "ETag": self._tag}
        if request.headers.get("if-none-match") == self._tag:
            return Response(status_code=304, headers=headers)
        return Response(self._body, headers=headers, media_type=self._media)
