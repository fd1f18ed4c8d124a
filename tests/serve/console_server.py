"""A server with the console in this process, for tests in a browser: it can be stopped and started on the same port."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

from tidelog import Engine
from tidelog.serve.console_routes import console_routes
from tidelog.serve.run import Address, Server, configuration, listen
from tidelog.serve.service import Service
from tidelog.serve.tokens import Tokens

READ_TOKEN, WRITE_TOKEN = "r" * 24, "w" * 24
PROGRAM = """
// Who may read what: people are in groups, groups in groups, items in folders; a deputy has the groups of another.
.decl member(person: symbol, team: symbol)
.decl subgroup(inner: symbol, outer: symbol)
.decl deputy(person: symbol, of: symbol)
.decl folder(item: symbol, parent: symbol)
.decl allows(team: symbol, item: symbol)
.decl barred(person: symbol, item: symbol)

.decl belongs(person: symbol, team: symbol)
belongs(p, g) :- member(p, g).
belongs(p, g) :- belongs(p, h), subgroup(h, g).
acting: belongs(p, g) :- deputises(p, q), belongs(q, g).

.decl deputises(person: symbol, of: symbol)
deputises(p, q) :- deputy(p, q), belongs(p, "staff").

.decl inside(item: symbol, parent: symbol)
inside(x, y) :- folder(x, y).
inside(x, z) :- folder(x, y), inside(y, z).

.decl reads(person: symbol, item: symbol)
direct: reads(p, x) :- belongs(p, g), allows(g, x), !barred(p, x).
inherited: reads(p, x) :- belongs(p, g), allows(g, y), inside(x, y), !barred(p, x).

.decl readers(item: symbol, people: number)
readers(x, n) :- folder(x, _), n = count : { reads(_, x) }.
"""
PEOPLE = ("ann", "bob", "cid", "dora", "eve", "finn", "gil")
FACTS: dict[str, list[tuple[str, str]]] = {
    "member": [*((person, "staff") for person in PEOPLE[:5]), ("ann", "admins"), ("finn", "guests")],
    "subgroup": [("admins", "editors"), ("editors", "staff"), ("staff", "everybody"), ("guests", "everybody")],
    "deputy": [("bob", "ann")],
    "folder": [
        ("wiki", "root"),
        ("handbook", "wiki"),
        ("holidays", "handbook"),
        ("accounts", "root"),
        ("pay", "accounts"),
    ],
    "allows": [("everybody", "wiki"), ("admins", "root"), ("staff", "holidays")],
    "barred": [("bob", "pay"), ("eve", "wiki")],
}


class ConsoleServer:
    """A server on a separate port, on a thread; ``engine`` is there while it runs."""

    def __init__(self, folder: Path, program: str = PROGRAM, facts: dict[str, Any] | None = None) -> None:
        self._folder, self._program = folder, program
        self._facts = FACTS if facts is None else facts
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        """The address of the console."""
        return f"http://127.0.0.1:{self._port}/"

    def start(self) -> None:
        """Open the state folder and listen, where it did before."""
        self.engine = Engine(self._program, path=self._folder)
        if self.engine.epoch_number < 2:
            with self.engine.epoch(author="ann", note="first load") as epoch:
                for name, rows in self._facts.items():
                    epoch.insert(name, rows)
        service = self.service = Service(self.engine, Tokens(READ_TOKEN.encode(), WRITE_TOKEN.encode()))
        listening = listen(Address(port=self._port))
        self._port = listening.getsockname()[1]
        self._server = Server(configuration(service, Address(port=self._port), console_routes()), service)
        self._thread = threading.Thread(target=self._run, args=(listening,))
        self._thread.start()

    def _run(self, listening: socket.socket) -> None:
        with listening:
            self._server.run([listening])

    def stop(self) -> None:
        """Stop as a signal would make it stop, and close the engine."""
        self._server.should_exit = True
        self._thread.join()
        self.engine.close()

    @property
    def feeds(self) -> int:
        """How many feeds are open."""
        return self.service.feeds.open

    def cut_connections(self) -> None:
        """Break all connections, as a network would."""
        loop = self.service.hub._loop
        assert loop is not None
        for connection in list(self._server.server_state.connections):
            loop.call_soon_threadsafe(connection.transport.abort)  # type: ignore[union-attr]

    def insert(self, name: str, *rows: tuple[Any, ...]) -> None:
        """An epoch that asserts facts."""
        with self.engine.epoch() as epoch:
            epoch.insert(name, rows)

    def delete(self, name: str, *rows: tuple[Any, ...]) -> None:
        """An epoch that retracts facts."""
        with self.engine.epoch() as epoch:
            epoch.delete(name, rows)
