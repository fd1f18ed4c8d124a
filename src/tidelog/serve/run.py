"""Run the server: the socket, TLS, the loop, the shutdown.

Law: it listens on the given address, and reports it before it accepts the first request. On SIGINT or SIGTERM, feeds
and checks end, requests in progress are answered, sources stop, and then the caller closes the engine. Requests that
still run after `stop_seconds` are aborted with the process: a state folder contains everything that was committed.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import resource
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

from tidelog.serve import serve_failures as failures
from tidelog.serve.application import make_application
from tidelog.serve.connections import connection_class
from tidelog.serve.hosts import CheckHosts, Hosts
from tidelog.serve.service import Service

SLACK = 2.0  # seconds after `stop_seconds` until the process exits
ABORTED = 3  # the exit code of a server that aborted requests
SIGNALS = (signal.SIGINT, signal.SIGTERM)
WAITING = 2048  # connections that are not accepted yet
LOOPBACK = "127.0.0.1"
FILES = 512  # open files in addition to those of connections
LOG = logging.getLogger("tidelog.serve")


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens; with certificate files it uses TLS."""

    host: str = LOOPBACK
    port: int = 8117
    certificate: Path | None = None
    key: Path | None = None
    names: tuple[str, ...] = ()  # host names of requests that are answered

    @property
    def is_loopback(self) -> bool:
        """Whether it cannot be reached from outside this machine.

        >>> Address("localhost").is_loopback, Address("::1").is_loopback, Address("0.0.0.0").is_loopback
        (True, True, False)
        """
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class Server(uvicorn.Server):
    """Ends feeds and checks first when it stops; ``abort`` is called if it does not stop in time."""

    def __init__(self, config: uvicorn.Config, service: Service, abort: Callable[[], None] | None = None) -> None:
        super().__init__(config)
        self._service = service
        self._abort = abort
        self._watch: threading.Timer | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let signals stop the server while it runs; they are not raised again, because the engine must be closed."""
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
        """Stop feeds and checks, then the server."""
        LOG.info("shutting down, open connections: %d", len(self.server_state.connections))
        if self._abort is not None:
            self._watch = threading.Timer(self._service.limits.stop_seconds + SLACK, self._abort)
            self._watch.daemon = True
            self._watch.start()
        self._service.hub.close()
        self._service.workers.close()
        await super().shutdown(sockets)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Run until the server has stopped and no request is in progress."""
        try:
            super().run(sockets)
        finally:
            if self._watch is not None:
                self._watch.cancel()


def serve(
    service: Service,
    address: Address,
    on_ready: Callable[[str], None] = lambda url: None,
    more: Sequence[BaseRoute] = (),
) -> None:
    """Serve until a signal arrives; ``on_ready`` is called with the address."""
    config = configuration(service, address, more)
    listening = listen(address)
    with listening:
        scheme = "http" if address.certificate is None else "https"
        host, port = listening.getsockname()[:2]
        url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        _allow_files(service.limits.connections + FILES)
        server = Server(config, service, abort)
        service.syncer.on_loss = abort
        with server.capture_signals():  # including signals before the loop runs
            on_ready(url)
            LOG.info("serving at %s (epoch %d, process %d)", url, service.engine.epoch_number, os.getpid())
            server.run([listening])
        if service.threads.running:  # aborted requests still run, so the engine cannot be closed
            abort()
        LOG.info("stopped")


def abort() -> None:
    """Exit the process with requests in progress; the state folder is always consistent."""
    LOG.error("requests in progress were aborted")
    logging.shutdown()
    os._exit(ABORTED)


def _allow_files(count: int) -> None:
    """Allow this process to open this number of files, if the system permits it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft not in (resource.RLIM_INFINITY, hard) and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def configuration(service: Service, address: Address, more: Sequence[BaseRoute] = ()) -> uvicorn.Config:
    """The configuration of uvicorn."""
    if (address.certificate is None) != (address.key is None):
        raise failures.BAD_CERTIFICATE.error(error="only one of certificate and key was given")
    if address.certificate is not None and address.key is not None:
        try:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(address.certificate, address.key)
        except (OSError, ssl.SSLError) as error:
            raise failures.BAD_CERTIFICATE.error(error=error) from error
    limits = service.limits
    application = CheckHosts(make_application(service, more), Hosts(address.host, address.names))
    return uvicorn.Config(
        application,
        http=connection_class(limits),
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=True,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        limit_concurrency=limits.connections + 1,
        timeout_keep_alive=max(1, round(limits.idle_seconds)),
        timeout_graceful_shutdown=max(1, round(limits.stop_seconds)),
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
    )


def listen(address: Address) -> socket.socket:
    """A listening socket at an address."""
    try:
        addresses = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = addresses[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(WAITING)  # connections wait until the loop runs
        except BaseException:
            listening.close()
            raise
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise failures.NO_ADDRESS.error(host=address.host, port=address.port, error=reason) from error
    return listening
