"""Responses as files: CSV and JSON lines, written and sent a few thousand rows at a time.

Law: a file has the rows of one committed epoch, and Tidelog reads it back as the same rows. While a response is sent,
its cells are kept in memory, 8 bytes for each value; the total for all responses is bounded. The exception to
the law is CSV for spreadsheets: cells that a spreadsheet would run as formulas are escaped there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pyarrow as pa

from tidelog.engine.read.view import Rows, text_table
from tidelog.io.files import output_bytes
from tidelog.io.late import compute
from tidelog.io.parameters import CSV as CSV_FILE
from tidelog.io.parameters import JSON as JSON_FILE
from tidelog.io.parameters import Layout
from tidelog.serve import serve_failures as failures
from tidelog.serve.values import ARROW, arrow_stream, table_part

CSV, SPREADSHEET, JSON_LINES = "text/csv", "text/csv;formulas=escaped", "application/x-ndjson"
STREAMED = (ARROW, CSV, SPREADSHEET, JSON_LINES)
BATCH = 1 << 12  # rows that are converted to text together
SMALL = 1 << 20  # bytes of cells that are not counted
ROOM = 1 << 30  # bytes of cells of all responses being sent
MARK = "\ufeff".encode()  # by which spreadsheets recognize UTF-8
_FORMULA = r"^[=+\-@\t\r\n\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"


class Exports:
    """Limits the bytes of the responses being sent; one response is always allowed."""

    def __init__(self, room: int = ROOM) -> None:
        self._room, self._lock = room, threading.Lock()
        self.held = 0

    def enter(self, size: int) -> None:
        """Count a response when it starts to be sent."""
        with self._lock:
            if self.held and self.held + size > self._room:
                raise failures.TOO_MANY_EXPORTS.error()
            self.held += size

    def leave(self, size: int) -> None:
        """Stop counting a response that was sent or aborted."""
        with self._lock:
            self.held -= size


def counted_bytes(rows: Rows) -> int:
    """The bytes that a response counts while it is sent."""
    size = int(rows._cells().nbytes)
    return size if size > SMALL else 0


def export(rows: Rows, type_: str) -> Iterator[bytes]:
    """A response in the given type, part by part."""
    if type_ == ARROW:
        yield from arrow_stream(rows)
        return
    if type_ == SPREADSHEET:
        yield MARK
    for first in range(0, max(1, len(rows)), BATCH):
        part = table_part(rows, first, BATCH)
        table = text_table(part)
        layout = Layout(JSON_FILE if type_ == JSON_LINES else CSV_FILE, headers=not first)
        yield output_bytes(
            "rows", _escape_formulas(table) if type_ == SPREADSHEET else table, part.types, layout, "rows"
        )


def _escape_formulas(table: pa.Table) -> pa.Table:
    """The table with an apostrophe before texts that a spreadsheet would run."""
    for place, column in enumerate(table.columns):
        texts = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        if pa.types.is_string(texts.type):
            acts = compute.match_substring_regex(texts, _FORMULA)
            quoted = compute.binary_join_element_wise("'", texts, "")
            table = table.set_column(place, table.column_names[place], compute.if_else(acts, quoted, texts))
    return table
