"""A server that runs in this process, on a separate port, for as long as a block."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tidelog import Engine
from tidelog.serve.limits import ServerLimits
from tidelog.serve.run import Address, Server, configuration, listen
from tidelog.serve.service import Service
from tidelog.serve.sources import ServerSource
from tidelog.serve.tokens import Tokens

REACH = "reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z)."
TOKENS = Tokens(b"r" * 43, b"w" * 43)
READS = {"Authorization": f"Bearer {'r' * 43}"}
WRITES = {"Authorization": f"Bearer {'w' * 43}"}


@dataclass
class Running:
    """A server with two clients of it."""

    service: Service
    server: Server
    url: str
    http: httpx.Client  # that writes
    reader: httpx.Client

    def get(self, path: str, **query: Any) -> Any:
        """What the server answers to GET, which must go well."""
        return told(self.http.get(f"/v1{path}", params=query))

    def post(self, path: str, body: Any = None, **query: Any) -> Any:
        """What the server answers to POST, which must go well."""
        return told(self.http.post(f"/v1{path}", json=body or {}, params=query))

    def insert(self, relation: str, *rows: Sequence[Any]) -> Any:
        """One epoch."""
        return self.post("/epochs", {"insert": {relation: [list(row) for row in rows]}})


def told(response: httpx.Response) -> Any:
    """The values of an answer that went well."""
    assert response.status_code < 300, response.text
    return response.json() if response.content else None


def refused(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """What is reported for an error; it has one form."""
    body = response.json()
    assert (response.status_code, body["error"]["code"]) == (status, code), body
    assert body["error"].keys() >= {"code", "kind", "message", "notes", "hint", "where"}
    found: dict[str, Any] = body["error"]
    return found


def http_client(url: str = "", headers: Mapping[str, str] | None = None, **more: Any) -> httpx.Client:
    """A client for plain HTTP: it trusts no certificate, since loading those of the system takes 25 ms."""
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.Client(base_url=url, headers=headers, **{"timeout": 60, "verify": trust, **more})


@contextmanager
def running(
    program: str | Engine = REACH,
    path: Path | None = None,
    limits: ServerLimits | None = None,
    sources: Sequence[ServerSource] = (),
    port: int = 0,
) -> Iterator[Running]:
    """A server of a program, or of an engine, which stays its owner's.

    Its first checking process starts with the first text, since most tests send none (`test_command.py` has servers as
    they are).
    """
    db = program if isinstance(program, Engine) else Engine(program, path=path, strict=True)
    service = Service(db, TOKENS, limits, sources)
    service.workers.start = lambda: None  # type: ignore[method-assign]
    address = Address(port=port)
    with listen(address) as listening:
        server = Server(configuration(service, address), service)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            while not server.started:
                thread.join(0.005)
            with http_client(url, WRITES) as http, http_client(url, READS) as reader:
                yield Running(service, server, url, http, reader)
        finally:
            server.should_exit = True
            thread.join()
            if not isinstance(program, Engine):
                db.close()
