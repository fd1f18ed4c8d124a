"""Running the server: the socket, TLS, the loop, the end.

Law: it listens where it was told, and says where that is before it takes the first request. On SIGINT or SIGTERM feeds
end, requests under way are answered, sources stop, and then the caller closes the engine. Addresses are logged without
their parameters, and headers never.
"""

from __future__ import annotations

import ipaddress
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.routing import BaseRoute

from tidelog.serve import failures
from tidelog.serve.application import make_application
from tidelog.serve.service import Service

PATIENCE = 10  # seconds for requests under way when the server stops
SIGNALS = (signal.SIGINT, signal.SIGTERM)
WAITING = 2048  # connections that are not taken yet
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens; with the files of a certificate it speaks TLS."""

    host: str = LOOPBACK
    port: int = 8117
    certificate: Path | None = None
    key: Path | None = None

    @property
    def is_loopback(self) -> bool:
        """Whether nobody outside this machine can reach it.

        >>> Address("localhost").is_loopback, Address("::1").is_loopback, Address("0.0.0.0").is_loopback
        (True, True, False)
        """
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class Server(uvicorn.Server):
    """Ends the feeds first when it stops: they would never end by themselves."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """While it runs signals stop it; they are not raised again afterwards, since the engine is to be closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        self._service.hub.close()
        await super().shutdown(sockets)


def serve(
    service: Service,
    address: Address,
    on_ready: Callable[[str], None] = lambda url: None,
    more: Sequence[BaseRoute] = (),
) -> None:
    """Serve until a signal comes; ``on_ready`` is told the address."""
    config = configuration(service, address, more)
    listening = listen(address)
    with listening:
        scheme = "http" if address.certificate is None else "https"
        host, port = listening.getsockname()[:2]
        on_ready(f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}")
        Server(config, service).run([listening])


def configuration(service: Service, address: Address, more: Sequence[BaseRoute] = ()) -> uvicorn.Config:
    """How the server runs."""
    if (address.certificate is None) != (address.key is None):
        raise failures.BAD_CERTIFICATE.error(error="one of the two files is missing")
    if address.certificate is not None and address.key is not None:
        try:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(address.certificate, address.key)
        except (OSError, ssl.SSLError) as error:
            raise failures.BAD_CERTIFICATE.error(error=error) from error
    return uvicorn.Config(
        make_application(service, more),
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=True,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        limit_concurrency=service.limits.connections,
        timeout_graceful_shutdown=PATIENCE,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
    )


def listen(address: Address) -> socket.socket:
    """A socket at an address."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = found[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(WAITING)  # who connects now waits until the loop runs
        except BaseException:
            listening.close()
            raise
    except (OSError, OverflowError) as error:
        told = getattr(error, "strerror", None) or error
        raise failures.NO_ADDRESS.error(host=address.host, port=address.port, error=told) from error
    return listening
