"""Whether the server is alive and ready, for load balancers and orchestrators.

Law: these addresses need no token, wait for nothing, and reveal nothing about the program.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from tidelog.serve.responses import json_response
from tidelog.serve.service import Service

LIVE, READY = "/livez", "/readyz"
UNAVAILABLE = 503


def health_routes(service: Service) -> list[BaseRoute]:
    """The addresses of liveness and readiness."""

    async def live(_: Request) -> Response:
        return json_response({"status": "live"})

    async def ready(_: Request) -> Response:
        if service.hub.closed:
            return json_response({"status": "stopping"}, UNAVAILABLE)
        return json_response({"status": "ready"})

    return [Route(LIVE, live, methods=["GET"]), Route(READY, ready, methods=["GET"])]
