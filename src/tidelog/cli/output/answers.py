"""The answers to a query in the requested form: a table to read, or rows for another program.

Law: every form has the same answers in the same order, that of their columns; a query without variables is answered
with yes or no. Forms for other programs (text, CSV, JSON, Parquet, Arrow) are complete, never shortened.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from tidelog.cli.base.cli_failures import BINARY_ANSWERS
from tidelog.cli.base.options import AnswerFormat
from tidelog.cli.output.tables import ordered_rows, ordered_table
from tidelog.engine.read.view import Rows
from tidelog.errors.counts import counted
from tidelog.errors.render import display_width, visible
from tidelog.io.files import output_bytes
from tidelog.io.json_values import json_value
from tidelog.io.late import parquet
from tidelog.io.parameters import CSV, TEXT, Layout
from tidelog.io.texts import show_text

ANSWER = "answer"  # the column of a query that has no variables
BINARY = (AnswerFormat.parquet, AnswerFormat.arrow)


def write_answers(answers: Rows, format_: AnswerFormat | None) -> None:
    """Write answers to the standard output: by default as a table in a terminal, as tab-separated text elsewhere."""
    terminal = sys.stdout.isatty()
    form = format_ or (AnswerFormat.table if terminal else AnswerFormat.text)
    if terminal and form in BINARY:
        raise BINARY_ANSWERS.error(form=form)
    content = _WRITERS[form](answers)
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def table_lines(answers: Rows, most: int | None = None) -> Iterator[str]:
    """Answers in order, below the names of their variables; at most ``most`` of them, with a count of the others."""
    if not answers.columns or not len(answers):
        return
    rows = ordered_rows(answers)
    texts = [[visible(show_text(v, t)) for v, t in zip(row, answers.types, strict=True)] for row in rows[:most]]
    lines = [list(answers.columns), *texts]
    widths = [max(display_width(line[i]) for line in lines) for i in range(len(answers.columns))]
    lines.insert(1, ["─" * width for width in widths])
    for line in lines:
        padded = (text + " " * (width - display_width(text)) for text, width in zip(line, widths, strict=True))
        yield "  ".join(padded).rstrip()
    if len(rows) > len(texts):
        yield f"... {len(rows) - len(texts):,} more"


def count_text(answers: Rows) -> str:
    """The number of answers; yes or no if the query has no variables."""
    if not answers.columns:
        return yes_or_no(answers)
    return counted(len(answers), "answer")


def yes_or_no(answers: Rows) -> str:
    """The answer to a query without variables."""
    return "yes" if len(answers) else "no"


def _as_table(answers: Rows) -> bytes:
    return "".join(f"{line}\n" for line in (*table_lines(answers), count_text(answers))).encode("utf-8", "replace")


def _as_cells(kind: str) -> Callable[[Rows], bytes]:
    """Rows of text as `.output` writes them: tab-separated without a header, or CSV with one."""

    def write(answers: Rows) -> bytes:
        if answers.columns:
            return output_bytes("answers", ordered_table(answers), answers.types, Layout(kind), "answers")
        table = pa.table({ANSWER: [yes_or_no(answers)]})
        return output_bytes("answers", table, ("symbol",), Layout(kind), "answers")

    return write


def _as_json(answers: Rows) -> bytes:
    if not answers.columns:
        return b"true\n" if len(answers) else b"false\n"
    return (json.dumps(_objects(answers), indent=2, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _as_json_lines(answers: Rows) -> bytes:
    if not answers.columns:
        return _as_json(answers)
    lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in _objects(answers))
    return "".join(lines).encode("utf-8", "replace")


def _objects(answers: Rows) -> list[dict[str, Any]]:
    rows = (map(json_value, row, answers.types) for row in ordered_rows(answers))
    return [dict(zip(answers.columns, row, strict=True)) for row in rows]


def _as_parquet(answers: Rows) -> bytes:
    sink = pa.BufferOutputStream()
    parquet.write_table(_typed(answers), sink)
    return bytes(sink.getvalue())


def _as_arrow(answers: Rows) -> bytes:
    sink, table = pa.BufferOutputStream(), _typed(answers)
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def _typed(answers: Rows) -> pa.Table:
    """The answers with the types of their columns; a query without variables has one column, true or false."""
    if not answers.columns:
        return pa.table({ANSWER: [bool(len(answers))]})
    return ordered_table(answers, lists_as_text=False)


_WRITERS: Mapping[AnswerFormat, Callable[[Rows], bytes]] = {
    AnswerFormat.table: _as_table,
    AnswerFormat.text: _as_cells(TEXT),
    AnswerFormat.csv: _as_cells(CSV),
    AnswerFormat.json: _as_json,
    AnswerFormat.jsonl: _as_json_lines,
    AnswerFormat.parquet: _as_parquet,
    AnswerFormat.arrow: _as_arrow,
}
