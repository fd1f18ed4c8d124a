"""Statements of N-Triples and N-Quads in Spark.

Law (D16): a line is split into the terms that `io.ntriples` finds, and into nothing else. Lines whose terms are already
in canonical form, which are nearly all, are split by Spark SQL, the others by Python in the tasks. Java's regular
expressions recurse over alternatives, so the text of a literal is matched run by run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from tidelog.io.ntriples import SKIPPED as SKIPPED_LINE
from tidelog.io.ntriples import blank_nodes_of, statement_of
from tidelog.program.functions.rdf_terms import MAYBE_OTHER
from tidelog.spark.rows.tables import LINE, WRONG
from tidelog.spark.session.interpreter import map_in_arrow

_CODE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_IRI = rf'<[^\x00-\x20<>"{{}}|^`\\]*+(?:(?:{_CODE})[^\x00-\x20<>"{{}}|^`\\]*+)*+>'
_BLANK = r"_:[^\W_][\w.\-:·]*(?<!\.)|_:_[\w.\-:·]*(?<!\.)"
_STRING = rf'"[^"\\\n\r]*+(?:(?:\\[tbnrf"\'\\]|{_CODE})[^"\\\n\r]*+)*+"'
_LITERAL = rf"{_STRING}(?:\^\^{_IRI}|@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*)?"
_FLAGS = "(?dU)"  # only \n ends a line; letters are those of Unicode, as in Python
_TRIPLE = rf"{_FLAGS}\A[ \t]*({_IRI}|{_BLANK})[ \t]*({_IRI})[ \t]*({_IRI}|{_BLANK}|{_LITERAL})[ \t]*"
_END = r"\.[ \t]*(?:#.*)?\z"
STATEMENT, QUAD = _TRIPLE + _END, rf"{_TRIPLE}(?:({_IRI}|{_BLANK})[ \t]*)?{_END}"
SKIPPED = rf"{_FLAGS}\A[ \t]*(?:#.*)?\z"


@dataclass(frozen=True, slots=True)
class Splitter:
    """How a task processes lines that Spark SQL cannot split; a value, because it is sent to the tasks.

    Blank nodes belong to ``file``, unless it is None.
    """

    names: tuple[str, ...]
    wrong: str
    file: str | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The terms of each line, the problem with it, and the line."""
        scope = None if self.file is None else blank_nodes_of(self.file)
        for batch in batches:
            rows: list[tuple[str | None, ...]] = []
            for line in batch.column(0).to_pylist():
                terms = statement_of(line, len(self.names), scope)
                if terms is not None:
                    rows.append((*terms, None, line))
                elif not SKIPPED_LINE.fullmatch(line):
                    rows.append((*(None,) * len(self.names), self.wrong, line))
            names = [*self.names, WRONG, LINE]
            columns = zip(*rows, strict=True) if rows else ((),) * len(names)
            yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in columns], names=names)


def read_statements(lines: DataFrame, names: Sequence[str], file: str | None) -> DataFrame:
    """The terms of lines, three or four by the number of names; blank nodes belong to ``file``, unless it is None."""
    wrong = f"not an N-{'Triples' if len(names) == 3 else 'Quads'} statement"
    line = F.col(LINE)
    other = line.rlike(MAYBE_OTHER.pattern) if file is None else line.rlike(MAYBE_OTHER.pattern) | line.contains("_:")
    in_python = other & F.col(WRONG).isNull()
    terms = split_statement(line, len(names))
    message = F.coalesce(F.col(WRONG), F.when(F.size(terms) != len(names), F.lit(wrong)))
    columns = [F.get(terms, F.lit(place)).alias(name) for place, name in enumerate(names)]
    plain = lines.where(~in_python & ~line.rlike(SKIPPED)).select(*columns, message.alias(WRONG), LINE)
    fields = ", ".join(f"`{name.replace('`', '``')}` string" for name in (*names, WRONG, LINE))
    split = map_in_arrow(lines.where(in_python).select(LINE), Splitter(tuple(names), wrong, file), fields)
    return plain.union(split)


def split_statement(line: Column, terms: int = 3) -> Column:
    """The terms of a line as an array, which has another length if the line is not a statement."""
    pattern = STATEMENT if terms == 3 else QUAD
    return F.split(F.regexp_replace(line, pattern, "\n".join(f"${place + 1}" for place in range(terms))), "\n", -1)
