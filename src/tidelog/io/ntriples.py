"""RDF in lines: N-Triples and N-Quads, with one statement per line, whose terms are kept as text.

Law (D16): a statement fills three symbol columns, or four with the name of its graph, with the canonical texts of its
terms (`<iri>`, `_:blank`, `"literal"@en`), so that equal terms are equal symbols. The name of the default graph is
empty. Labels of blank nodes are kept, because one graph is often split into several such files, unless the file is
their scope (`BlankNodes`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pyarrow as pa

from tidelog.errors import DataError
from tidelog.io import io_failures as failures
from tidelog.io.bad_rows import BadRows
from tidelog.io.delimited import probable_encoding
from tidelog.program.functions.rdf_terms import BLANK, IRI, LITERAL, MAYBE_OTHER, canonical_term

Scope = Callable[[str], str]
_TRIPLE = rf"[ \t]*({IRI}|{BLANK})[ \t]*({IRI})[ \t]*({IRI}|{BLANK}|{LITERAL})[ \t]*"
_END = r"\.[ \t]*(?:#.*)?"
STATEMENT = re.compile(_TRIPLE + _END)
QUAD = re.compile(rf"{_TRIPLE}(?:({IRI}|{BLANK})[ \t]*)?{_END}")
SKIPPED = re.compile(r"[ \t]*(?:#.*)?")
_TERM = re.compile(rf"{IRI}|{BLANK}|{LITERAL}")
_LABEL = re.compile(r"[A-Za-z0-9_.\-]")


def read_ntriples(data: bytes, where: str, names: Iterable[str], scope: Scope | None = None) -> pa.Table:
    """The statements of a file; a DataError reports the lines that are not statements.

    >>> read_ntriples(b'<urn:a> <urn:p> "x"@en .\\n# a note\\n', "a.nt", "spo").to_pylist()
    [{'s': '<urn:a>', 'p': '<urn:p>', 'o': '"x"@en'}]
    """
    return _read(data, where, names, STATEMENT, scope)


def read_nquads(data: bytes, where: str, names: Iterable[str], scope: Scope | None = None) -> pa.Table:
    """The statements of a file with their graphs.

    >>> read_nquads(b"<urn:a> <urn:p> <urn:b> .\\n", "a.nq", "spog").to_pylist()
    [{'s': '<urn:a>', 'p': '<urn:p>', 'o': '<urn:b>', 'g': ''}]
    """
    return _read(data, where, names, QUAD, scope)


def _read(
    data: bytes,
    where: str,
    names: Iterable[str],
    pattern: re.Pattern[str],
    scope: Scope | None,
) -> pa.Table:
    rows: list[tuple[str, ...]] = []
    bad = BadRows()
    text = _decoded(data, where)
    match, is_plain = pattern.fullmatch, scope is None and not MAYBE_OTHER.search(text)
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        statement = match(line)
        row = None if statement is None else statement.groups("")
        if row is not None and not is_plain and (scope is not None or MAYBE_OTHER.search(line)):
            row = canonical_row(row, scope)
        if row is not None:
            rows.append(row)
        elif statement is not None or not SKIPPED.fullmatch(line):
            abbreviated = line if len(line) <= 100 else line[:97] + "..."
            bad.add(_not_a_statement(pattern, where=where, number=number, shown=abbreviated))
    bad.raise_if_any()
    names = list(names)
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=names)


def _not_a_statement(pattern: re.Pattern[str], **values: object) -> DataError:
    if pattern is STATEMENT:
        return failures.NOT_A_STATEMENT.error(**values)
    return failures.NOT_A_QUAD.error(**values)


def canonical_row(row: tuple[str, ...], scope: Scope | None = None) -> tuple[str, ...] | None:
    """The canonical terms of a statement, blank nodes in their scope; None if a term has an invalid escape.

    >>> canonical_row(("_:a", "<urn:p>", '"A"@EN'), blank_nodes_of("x.nt"))
    ('_:x.nt.a', '<urn:p>', '"A"@en')
    """
    made = []
    for term in row:
        own = canonical_term(term) if term else ""
        if own is None:
            return None
        made.append(scope(own) if scope is not None and own.startswith("_:") else own)
    return tuple(made)


def blank_nodes_of(file: str) -> Scope:
    """Labels of blank nodes within a file: `_:b1` in `a.ttl` is `_:a.ttl.b1`, and in no other file.

    >>> blank_nodes_of("data/my graph.ttl")("_:b1")
    '_:data·2F·my·20·graph.ttl.b1'
    """
    named = "".join(c if _LABEL.match(c) else f"·{ord(c):02X}·" for c in file)
    named = f"_{named}" if named[:1] in ".-·" else named
    return lambda blank: f"_:{named}.{blank[2:]}"


def statement_of(line: str, terms: int, scope: Scope | None) -> tuple[str, ...] | None:
    """The canonical terms of a line without its end: three, or four with the graph; None if it is not a statement."""
    found = (STATEMENT if terms == 3 else QUAD).fullmatch(line)
    return None if found is None else canonical_row(found.groups(""), scope)


def _decoded(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise failures.TRIPLES_NOT_TEXT.error(where=where, line=line, encoding=probable_encoding(data)) from None


def write_ntriples(table: pa.Table, where: str) -> bytes:
    """Rows of three terms, or of four with a graph, as statements; a DataError for a value that is not a term."""
    lines = []
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        for place, term in enumerate(row):
            check_term(term, place, where)
        lines.append(" ".join(term for term in row if term) + " .\n")
    return "".join(lines).encode()


def check_term(term: object, place: int, where: str) -> None:
    """Raise for a value that is not a term, or that a statement cannot have in this place."""
    if place == 3 and term == "":
        return
    if not isinstance(term, str) or not _TERM.fullmatch(term):
        raise failures.NOT_A_TERM.error(where=where, term=term)
    if (term[0] == '"' and place != 2) or (term[0] == "_" and place == 1):
        part = ("subject", "predicate", "object", "name of a graph")[place]
        raise failures.NOT_IN_PLACE.error(where=where, term=term, part=part)
