"""Statements of N-Triples in Spark SQL.

Law (D16): a line is split into the terms that `io.ntriples` finds, and into nothing else; terms are kept as they are
written. Java's regular expressions recurse over alternatives, so the text of a literal is matched run by run.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

_CODE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_IRI = rf'<[^\x00-\x20<>"{{}}|^`\\]*+(?:(?:{_CODE})[^\x00-\x20<>"{{}}|^`\\]*+)*+>'
_BLANK = r"_:[^\W_][\w.\-:]*(?<!\.)|_:_[\w.\-:]*(?<!\.)"
_STRING = rf'"[^"\\\n\r]*+(?:(?:\\[tbnrf"\'\\]|{_CODE})[^"\\\n\r]*+)*+"'
_LITERAL = rf"{_STRING}(?:\^\^{_IRI}|@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*)?"
_FLAGS = "(?dU)"  # only \n ends a line; letters are those of Unicode, as in Python
STATEMENT = (
    rf"{_FLAGS}\A[ \t]*({_IRI}|{_BLANK})[ \t]*({_IRI})[ \t]*({_IRI}|{_BLANK}|{_LITERAL})[ \t]*\.[ \t]*(?:#.*)?\z"
)
SKIPPED = rf"{_FLAGS}\A[ \t]*(?:#.*)?\z"


def split_statement(line: Column) -> Column:
    """The three terms of a line as an array, which has another length if the line is not a statement."""
    return F.split(F.regexp_replace(line, STATEMENT, "$1\n$2\n$3"), "\n")
