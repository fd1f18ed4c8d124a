"""A client of one server.

Law: its members are those of `Engine`, as far as they make sense over a network: epochs, views, queries, proofs,
history. Each call is one request, or one request per page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from tidelog.client.epoch import RemoteEpoch, signed
from tidelog.client.feed import FeedChange, feed
from tidelog.client.values import Row, from_rows
from tidelog.client.views import RemoteRows, RemoteView, read_all
from tidelog.client.wire import Wire, read_token

TIMEOUT = 120.0  # seconds
PAGE = 1_000  # changed rows of each relation that a response lists


class FactAnswers(NamedTuple):
    """Which of some facts hold, by relation and in the order of the rows, and the epoch at which they do."""

    answers: dict[str, list[bool]]
    epoch: int


def connect(
    url: str,
    token: str | None = None,
    *,
    token_file: str | Path | None = None,
    timeout: float = TIMEOUT,
    verify: bool | str = True,
) -> Client:
    """Connect to the server at an address, with a token or a token file.

    ``verify`` is a file of trusted certificates, for servers with a private certificate.
    """
    bearer = token if token is not None else "" if token_file is None else read_token(token_file)
    return Client(Wire(url, bearer, timeout, verify))


class Client:
    """A connection to a server, with the interface of an engine."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    # Changing

    def epoch(
        self,
        source: str | None = None,
        offset: int | None = None,
        *,
        author: str | None = None,
        note: str | None = None,
    ) -> RemoteEpoch:
        """Begin an epoch: use it in a ``with`` block, which commits at its end."""
        fields = {"source": source, "offset": offset, "author": author, "note": note}
        return RemoteEpoch(self._wire, {name: value for name, value in fields.items() if value is not None})

    def preview(self, epoch: RemoteEpoch) -> None:
        """Record in an epoch what it would change and violate, without changing anything."""
        epoch.preview()

    def apply(
        self,
        program: str | None = None,
        *,
        columns: Mapping[str, Mapping[str, str | None]] | None = None,
        facts: Mapping[str, Iterable[Any]] | None = None,
        script: str | None = None,
        author: str | None = None,
        note: str | None = None,
        dry_run: bool = False,
    ) -> RemoteEpoch:
        """Make the state match the text of a program, or replace the base facts of relations, as one epoch.

        ``columns`` states the values of columns that change, as in `Engine.epoch_to`. With ``script``, one epoch of a
        change script is applied. The result has the lines of the program that differ in ``difference``; if there are
        none, nothing is committed, and ``matches`` is true. With ``dry_run``, it reports what would change.
        """
        rows = None if facts is None else {name: from_rows(rows) for name, rows in facts.items()}
        fields = {
            "program": program,
            "columns": columns,
            "facts": rows,
            "script": script,
            "author": author,
            "note": note,
        }
        body = {name: value for name, value in fields.items() if value is not None}
        epoch = RemoteEpoch(self._wire, {})
        epoch.take_applied(self._wire.post("/apply", {**body, "dry_run": dry_run, "rows": PAGE}))
        return epoch

    # Reading

    @property
    def epoch_number(self) -> int:
        """The number of the last committed epoch."""
        number: int = self._wire.get("")["epoch"]
        return number

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of all relations."""
        return tuple(relation["name"] for relation in self.program()["relations"])

    @property
    def rules(self) -> dict[str, str]:
        """The text of every rule by its label."""
        return {rule["label"]: rule["text"] for rule in self.program()["rules"]}

    def program(self) -> dict[str, Any]:
        """Rules and relations, and their dependencies."""
        found: dict[str, Any] = self._wire.get("/program")
        return found

    def __getitem__(self, name: str) -> RemoteView:
        return RemoteView(self._wire, name)

    def __contains__(self, name: object) -> bool:
        return name in self.relations

    def query(self, text: str, *, at: int | None = None) -> RemoteRows:
        """The answers to a query: one column per variable."""
        body = {"text": text, **({} if at is None else {"at": at})}
        return read_all(lambda page: self._wire.post("/query", {**body, **page}))

    def undefined(self, name: str, *, at: int | None = None) -> RemoteRows:
        """The facts of a relation that depend on their own negation and are neither true nor false."""
        return read_all(lambda page: self._wire.get(f"/undefined/{quote(name, safe='')}", at=at, **page))

    def check_facts(
        self,
        facts: Mapping[str, Iterable[Any]],
        *,
        at: int | None = None,
        given: Mapping[str, Iterable[Any]] | None = None,
        without: Mapping[str, Iterable[Any]] | None = None,
    ) -> FactAnswers:
        """For each row of some relations, whether it is a fact; all answers belong to one epoch.

        With ``given`` or ``without``, whether it would be one if these facts were inserted or deleted.
        """
        body: dict[str, Any] = {"facts": {name: from_rows(rows) for name, rows in facts.items()}}
        if given is not None or without is not None:
            changes = {"insert": given or {}, "delete": without or {}}
            body["given"] = {
                act: {name: from_rows(rows) for name, rows in some.items()} for act, some in changes.items()
            }
        found = self._wire.post("/check-facts", body | ({} if at is None else {"at": at}))
        return FactAnswers(found["answers"], found["epoch"])

    # Explaining

    def why(self, fact: str, *, depth: int = 20, at: int | None = None) -> dict[str, Any]:
        """The proof of a fact, as a tree."""
        found: dict[str, Any] = self._wire.get("/why", fact=fact, depth=depth, at=at)
        return found

    def why_not(self, fact: str, *, at: int | None = None) -> dict[str, Any]:
        """Why a fact is absent."""
        found: dict[str, Any] = self._wire.get("/why-not", fact=fact, at=at)
        return found

    def explain(self, rule: str | None = None, *, analyze: bool = False) -> dict[str, Any]:
        """How rules are evaluated."""
        found: dict[str, Any] = self._wire.get("/explain", rule=rule, analyze=str(analyze).lower())
        return found

    def profile(self) -> dict[str, Any]:
        """Where epochs spent their time."""
        found: dict[str, Any] = self._wire.get("/profile")
        return found

    def statistics(self) -> dict[str, Any]:
        """Statistics of the server."""
        found: dict[str, Any] = self._wire.get("/statistics")
        return found

    def verify(self) -> bool:
        """Whether the state is exactly the model of its rules."""
        valid: bool = self._wire.post("/verify", {})["valid"]
        return valid

    # History

    def log(self, limit: int = 100, before: int | None = None) -> list[dict[str, Any]]:
        """The last epochs, oldest first."""
        return list(reversed(self._wire.get("/epochs", limit=limit, before=before)["epochs"]))

    def changes(self, view: str, since: int = 0) -> list[tuple[int, int, Row]]:
        """The changes of a view after an epoch: (epoch, +1 or -1, row), each exactly once."""
        found: list[tuple[int, int, Row]] = []
        while True:
            response = self._wire.get(f"/changes/{quote(view, safe='')}", since=since)
            found += signed(response["changes"])
            since = response["epoch"]
            if not response["more"]:
                return found

    def feed(self, view: str, since: int | None = None, *, patience: float | None = None) -> Iterator[FeedChange]:
        """The changes of a view after an epoch (or from now on), as they happen, indefinitely.

        A broken connection is reopened. After ``patience`` seconds without a server, an error is raised.
        """
        return feed(self._wire, view, self.epoch_number if since is None else since, patience=patience)

    # Closing

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self._wire.url!r})"
