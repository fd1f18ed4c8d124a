"""Epochs of a client.

Law: the collected changes are sent to the server when the block ends, as one epoch; after an exception in the block,
nothing is sent. With a source and an offset, a request whose response was lost is sent again, and is applied once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa

from tidelog.client import client_failures as failures
from tidelog.client.values import Row, from_rows, to_rows
from tidelog.client.violations import RemoteViolated, read_violations
from tidelog.client.wire import ARROW, Wire
from tidelog.errors import ServerError

TRIES = 3
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Changed:
    """What an epoch changed in a relation; the counts include rows that are not listed."""

    inserted: list[Row]
    deleted: list[Row]
    inserted_count: int
    deleted_count: int

    def __bool__(self) -> bool:
        return bool(self.inserted_count or self.deleted_count)


class _Part(NamedTuple):
    """Rows that are sent in a separate request: as an Arrow stream, or as JSON with a null policy."""

    change: str
    relation: str
    body: bytes
    kind: str
    nulls: str | None


@dataclass
class RemoteEpoch:
    """An epoch being prepared; after the commit it has its number, its changes and the labels of new rules."""

    wire: Wire = field(repr=False)
    about: Mapping[str, Any]
    number: int | None = None
    repeated: bool = False
    seconds: float = 0.0
    labels: list[str] = field(default_factory=list)
    changes: dict[str, Changed] = field(default_factory=dict)
    violations: tuple[RemoteViolated, ...] = ()
    statistics: dict[str, Any] = field(default_factory=dict, repr=False)
    nulls: dict[str, Any] = field(default_factory=dict)  # rows skipped, and nulls replaced by column
    ignored: dict[str, list[str]] = field(default_factory=dict)  # columns that the relation does not have
    difference: list[str] = field(default_factory=list)  # lines of the program that differed (`Client.apply`)
    matches: bool = False  # whether no line did, so that nothing was committed
    examples: dict[str, dict[str, list[str]]] = field(default_factory=dict, repr=False)  # some facts, as text
    _body: dict[str, Any] = field(default_factory=dict, repr=False)
    _tables: list[_Part] = field(default_factory=list, repr=False)
    _open: bool = True

    def insert(self, relation: str, rows: Any, *, nulls: str | None = None) -> None:
        """Assert base facts: tuples, dicts, or a table of Arrow, pandas, DuckDB or Polars.

        ``nulls`` sets how nulls are handled: "refuse" (the default), "skip", or replacements such as "mgr=none".
        """
        self._change("insert", relation, rows, nulls)

    def delete(self, relation: str, rows: Any, *, nulls: str | None = None) -> None:
        """Retract base facts."""
        self._change("delete", relation, rows, nulls)

    def _change(self, change: str, relation: str, rows: Any, nulls: str | None) -> None:
        self._must_be_open()
        if hasattr(rows, "__arrow_c_stream__"):
            self._tables.append(_Part(change, relation, _stream(pa.table(rows)), ARROW, nulls))
        elif nulls is not None:
            self._tables.append(_Part(change, relation, json.dumps(from_rows(rows)).encode(), JSON, nulls))
        else:
            self._body.setdefault(change, {}).setdefault(relation, []).extend(from_rows(rows))

    def add_rule(self, text: str, label: str | None = None, *, replaces: str | None = None) -> None:
        """Add a rule, or replace the named one; its label is known after the commit."""
        self._must_be_open()
        fields = {"text": text, "label": label, "replaces": replaces}
        rule = {name: value for name, value in fields.items() if value is not None}
        self._body.setdefault("add_rules", []).append(rule)

    def declare(self, text: str) -> None:
        """Add declarations to the program: ``.decl vip(person: symbol)``, and types, keys and lifetimes.

        The text may also contain rules and facts; the labels of its rules are known after the commit.
        """
        self._must_be_open()
        self._body["declare"] = "\n".join(filter(None, (self._body.get("declare"), text)))

    def remove_rule(self, label: str) -> None:
        """Remove a rule by its label."""
        self._must_be_open()
        self._body.setdefault("remove_rules", []).append(label)

    def commit(self) -> None:
        """Commit now; a ``with`` block commits at its end."""
        self._must_be_open()
        self._open = False
        self._read_response(self._send(dry_run=False))

    def preview(self) -> None:
        """Report what would change, the cost, and what a commit would refuse; the epoch stays open.

        ``violations`` lists violated constraints; everything else that a commit would refuse is raised.
        """
        self._must_be_open()
        self._read_response(self._send(dry_run=True))

    def take_applied(self, response: Any) -> None:
        """Process the response to a request that was not collected here; the epoch ends."""
        self._open = False
        self._read_response(response)
        self.difference, self.matches, self.examples = response["difference"], response["matches"], response["facts"]

    def _send(self, *, dry_run: bool) -> Any:
        tries = TRIES if self.about.get("source") is not None else 1
        for left in range(tries, 0, -1):
            try:
                return self._staged(dry_run) if self._tables else self._at_once(dry_run)
            except ServerError as error:
                if error.code != failures.UNREACHABLE.code or left == 1:
                    raise
        raise AssertionError("a last try gives or raises")

    def _at_once(self, dry_run: bool) -> Any:
        more = {"dry_run": True} if dry_run else {}
        return self.wire.post("/epochs", {**self._body, **self.about, **more})

    def _staged(self, dry_run: bool) -> Any:
        """Send Arrow tables, and rows with a null policy, to an open epoch in turn."""
        place = f"/epochs/open/{self.wire.post('/epochs/open', dict(self.about))['id']}"
        try:
            if self._body:
                self.wire.post(place, self._body)
            for part in self._tables:
                path = f"/relations/{quote(part.relation, safe='')}/{part.change}"
                query = {"open": place.rpartition("/")[2]} | ({} if part.nulls is None else {"nulls": part.nulls})
                self.wire.send("POST", path, query=query, content=part.body, headers={"Content-Type": part.kind})
            found = self.wire.post(f"{place}/commit", {"dry_run": True} if dry_run else {})
        except BaseException:
            self._give_up(place)
            raise
        if dry_run:
            self._give_up(place)
        return found

    def _give_up(self, place: str) -> None:
        try:
            self.wire.send("DELETE", place)
        except ServerError:
            return  # it has already ended, or will expire

    def _read_response(self, response: Any) -> None:
        self.number, self.repeated, self.seconds = response["epoch"], response["repeated"], response["seconds"]
        self.labels, self.statistics = response["labels"], response["statistics"]
        self.nulls, self.ignored = response["nulls"], response["ignored_columns"]
        self.violations = read_violations(response["violations"])
        self.changes = {
            name: Changed(to_rows(c["plus"]), to_rows(c["minus"]), c["plus_count"], c["minus_count"])
            for name, c in response["changes"].items()
        }

    def _must_be_open(self) -> None:
        if not self._open:
            raise failures.EPOCH_IS_OVER.error()

    def __enter__(self) -> RemoteEpoch:
        self._must_be_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._open:
            self.commit()
        self._open = False


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def signed(changes: Iterable[Any]) -> list[tuple[int, int, Row]]:
    """The changes in turn: epoch, +1 or -1, row."""
    return [
        (each["epoch"], sign, row)
        for each in changes
        for sign, name in ((-1, "minus"), (1, "plus"))
        for row in to_rows(each[name])
    ]
