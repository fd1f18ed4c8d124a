"""RDF as N-Triples: one statement per line, whose three terms are kept as text.

Law (D16): a statement fills three symbol columns with its terms as text (`<iri>`, `_:blank`, `"literal"@en`), so that
equal terms are equal symbols and writing restores the statement. Two spellings of one literal (`"a"` and `"\\u0061"`)
stay two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyarrow as pa

from tidelog.io import io_failures as failures
from tidelog.io.bad_rows import BadRows
from tidelog.io.delimited import probable_encoding

_IRI = r'<(?:[^\x00-\x20<>"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>'
_BLANK = r"_:[^\W_][\w.\-:]*(?<!\.)|_:_[\w.\-:]*(?<!\.)"
_STRING = r'"(?:[^"\\\n\r]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*"'
_LITERAL = rf"{_STRING}(?:\^\^{_IRI}|@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*)?"
STATEMENT = re.compile(
    rf"[ \t]*({_IRI}|{_BLANK})[ \t]*({_IRI})[ \t]*({_IRI}|{_BLANK}|{_LITERAL})[ \t]*\.[ \t]*(?:#.*)?"
)
_SKIPPED = re.compile(r"[ \t]*(?:#.*)?")
_TERM = re.compile(rf"{_IRI}|{_BLANK}|{_LITERAL}")


def read_ntriples(data: bytes, where: str, names: Iterable[str]) -> pa.Table:
    """The statements of a file; a DataError reports the lines that are not statements.

    >>> read_ntriples(b'<urn:a> <urn:p> "x"@en .\\n# a note\\n', "a.nt", "spo").to_pylist()
    [{'s': '<urn:a>', 'p': '<urn:p>', 'o': '"x"@en'}]
    """
    rows: list[tuple[str, ...]] = []
    bad = BadRows()
    match = STATEMENT.fullmatch
    for number, line in enumerate(_lines(data, where), 1):
        statement = match(line)
        if statement is not None:
            rows.append(statement.groups())
        elif not _SKIPPED.fullmatch(line):
            abbreviated = line if len(line) <= 100 else line[:97] + "..."
            bad.add(failures.NOT_A_STATEMENT.error(where=where, number=number, shown=abbreviated))
    bad.raise_if_any()
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table([pa.array(column, pa.string()) for column in columns], names=list(names))


def _lines(data: bytes, where: str) -> list[str]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise failures.TRIPLES_NOT_TEXT.error(where=where, line=line, encoding=probable_encoding(data)) from None
    return [line.removesuffix("\r") for line in text.split("\n")]


def write_ntriples(table: pa.Table, where: str) -> bytes:
    """Rows of three terms as statements; a DataError for a value that is not a term."""
    lines = []
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        for term in row:
            if not isinstance(term, str) or not _TERM.fullmatch(term):
                raise failures.NOT_A_TERM.error(where=where, term=term)
        lines.append(" ".join(row) + " .\n")
    return "".join(lines).encode()
