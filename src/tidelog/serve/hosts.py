"""The host names that a server accepts.

Law: a request is answered only if its `Host` is an address on which the server listens, a loopback name, or a name that
it was started with. A page of another site that makes its own name point here (DNS rebinding) is refused.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from tidelog.serve import serve_failures as failures
from tidelog.serve.responses import error_response

ANY = "*"


class Hosts:
    """The names of a server that listens on ``host``; ``names`` are additional ones, ``*`` means all."""

    def __init__(self, host: str, names: Iterable[str] = ()) -> None:
        self._names = {each.lower().rstrip(".") for each in (host, *names)}
        self._everywhere = _is_wildcard(host)

    def answers(self, header: str) -> bool:
        """Whether requests with this header are answered.

        >>> hosts = Hosts("127.0.0.1", ["tide.example"])
        >>> [hosts.answers(each) for each in ("localhost:8117", "[::1]:8117", "Tide.example", "evil.example", "")]
        [True, True, True, False, False]
        """
        name = header.strip().lower()
        if name.startswith("["):
            name = name[1:].partition("]")[0]
        elif name.count(":") == 1:
            name = name.partition(":")[0]
        name = name.rstrip(".")
        if ANY in self._names or name in self._names or name == "localhost" or name.endswith(".localhost"):
            return bool(name)
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or self._everywhere


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


class CheckHosts:
    """An application that answers only requests to its hosts."""

    def __init__(self, application: ASGIApp, hosts: Hosts) -> None:
        self._application, self._hosts = application, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or the start and the end of the server."""
        if scope["type"] == "http":
            headers = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            is_missing = not headers and scope["http_version"] != "1.0"
            if len(headers) > 1 or is_missing or not all(map(self._hosts.answers, headers)):
                refusal = failures.WRONG_HOST.error(host=", ".join(headers)[:200])
                await error_response(refusal, {"Connection": "close"})(scope, receive, send)
                return
        await self._application(scope, receive, send)
