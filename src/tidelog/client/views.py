"""Views and answers of a server.

Law: a view is read when it is accessed, at the last committed epoch; all rows of one read belong to the same epoch,
however many pages there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa

from tidelog.client.values import Row, as_text, to_rows
from tidelog.client.wire import ARROW, Wire
from tidelog.errors.counts import counted

if TYPE_CHECKING:
    import pandas as pd

PAGE = 10_000
Ask = Callable[[dict[str, Any]], Any]  # a page of an answer, for `limit` and `after`


class RemoteRows(Sequence[Row]):
    """The answers to a query at one epoch."""

    def __init__(self, columns: Sequence[str], types: Sequence[str], rows: list[Row], epoch: int) -> None:
        self.columns, self.types, self.epoch = tuple(columns), tuple(types), epoch
        self._rows = rows

    def rows(self) -> list[Row]:
        """All rows."""
        return list(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]

    def __repr__(self) -> str:
        return f"{counted(len(self), 'row')} of {', '.join(self.columns)} at epoch {self.epoch}"


def read_all(ask: Ask) -> RemoteRows:
    """All pages of an answer, read in turn."""
    page = ask({"limit": PAGE})
    rows = to_rows(page["rows"], page["types"])
    while page["next"] is not None:
        page = ask({"limit": PAGE, "after": page["next"]})
        rows += to_rows(page["rows"], page["types"])
    return RemoteRows(page["columns"], page["types"], rows, page["epoch"])


class RemoteView:
    """A relation of a server; `at` reads an earlier epoch."""

    def __init__(self, wire: Wire, name: str, at: int | None = None, filters: dict[str, str] | None = None) -> None:
        self._wire, self.name, self._at, self._filters = wire, name, at, filters or {}

    def _page(self, query: dict[str, Any]) -> Any:
        return self._wire.get(f"/views/{quote(self.name, safe='')}", at=self._at, **self._filters, **query)

    def where(self, **columns: Any) -> RemoteView:
        """The rows with these values in these columns."""
        filters = {name: as_text(value) for name, value in columns.items()}
        return RemoteView(self._wire, self.name, self._at, {**self._filters, **filters})

    def at(self, epoch: int) -> RemoteView:
        """The view as of an epoch."""
        return RemoteView(self._wire, self.name, epoch, self._filters)

    def read(self) -> RemoteRows:
        """All rows, with their epoch."""
        return read_all(self._page)

    def rows(self) -> list[Row]:
        """All rows."""
        return self.read().rows()

    def head(self, count: int = 10) -> list[Row]:
        """A few rows."""
        page = self._page({"limit": max(1, count)})
        return to_rows(page["rows"], page["types"])[:count]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._page({"limit": 1})["columns"])

    @property
    def types(self) -> tuple[str, ...]:
        """The types of the columns."""
        return tuple(self._page({"limit": 1})["types"])

    def __len__(self) -> int:
        total: int = self._page({"limit": 1})["total"]
        return total

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows())

    def __contains__(self, row: object) -> bool:
        columns = self.columns
        if not isinstance(row, tuple) or len(row) != len(columns):
            return False
        return len(self.where(**dict(zip(columns, row, strict=True)))) > 0 if columns else len(self) > 0

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table, received as an Arrow stream."""
        parts: list[pa.Table] = []
        after: str | None = None
        while not parts or after is not None:
            query = {"at": self._at, "after": after, **self._filters}
            path = f"/views/{quote(self.name, safe='')}"
            response = self._wire.send("GET", path, query=query, headers={"Accept": ARROW})
            with pa.ipc.open_stream(response.content) as reader:
                parts.append(reader.read_all())
            after = response.headers.get("tidelog-next")
        return pa.concat_tables(parts)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as a stream of the Arrow PyCapsule protocol."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def __repr__(self) -> str:
        return f"RemoteView({self.name!r} at {self._wire.url})"
