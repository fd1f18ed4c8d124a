"""RDF in Turtle and TriG, which the extra `rdf` reads and writes.

Law (D16): a file yields the rows that the same statements yield as N-Triples or N-Quads (`io.ntriples`). Blank nodes
belong to their file: labels are kept within its scope, and nodes without a label are numbered in the order of the
statements, so that the same file always yields the same facts. What is written depends on the rows alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from tidelog.io import io_failures as failures
from tidelog.io.ntriples import Scope, write_ntriples
from tidelog.io.parameters import TRIG, TURTLE
from tidelog.program.functions.rdf_terms import canonical_term

FORMATS = {TURTLE: "TURTLE", TRIG: "TRIG"}
TITLES = {TURTLE: "Turtle", TRIG: "TriG"}
_LABELS = re.compile(rb"_:([^\s,;()\[\]<>\"']+)")
_REASON = re.compile("Parser error [^:]*: ")


def read_turtle(
    data: bytes, where: str, names: Sequence[str], kind: str, scope: Scope, base: str | None = None
) -> pa.Table:
    """The statements of a file; a DataError names the line of the first mistake."""
    reader = _package(where)
    form, blank = getattr(reader.RdfFormat, FORMATS[kind]), _blank_names(data, scope)
    columns: list[list[str]] = [[] for _ in names]
    adds = [column.append for column in columns]
    try:
        for statement in reader.parse(input=data, format=form, base_iri=base):
            terms: Iterable[Any] = statement if kind == TRIG else statement.triple
            for add, term in zip(adds, terms, strict=True):
                text = str(term)
                if text[0] == "_":
                    text = blank(text)
                elif text == "DEFAULT":
                    text = ""
                elif " " in text if text[0] == "<" else canonical_term(text) != text:
                    raise failures.RDF_12.error(where=where, term=text)
                add(text)
    except SyntaxError as error:
        reason = _REASON.sub("", str(error.msg))
        raise failures.NOT_TURTLE.error(
            where=where, line=error.lineno or 1, column=error.offset or 1, format=TITLES[kind], reason=reason
        ) from None
    except ValueError as error:  # the base is not an IRI
        raise failures.NOT_TURTLE.error(where=where, line=1, column=1, format=TITLES[kind], reason=error) from None
    return pa.table([pa.array(column, pa.string()) for column in columns], names=list(names))


def _blank_names(data: bytes, scope: Scope) -> Callable[[str], str]:
    """The names of the blank nodes of a file; those that the file does not name are numbered."""
    labels = {found.rstrip(b".").decode("utf-8", "replace") for found in _LABELS.findall(data)}
    numbers = (f"_:n{number}" for number in range(1, 1 << 62))
    free = (name for name in numbers if name[2:] not in labels)
    names: dict[str, str] = {}

    def name(blank: str) -> str:
        if blank not in names:
            names[blank] = scope(blank if blank[2:] in labels else next(free))
        return names[blank]

    return name


def write_turtle(table: pa.Table, where: str, kind: str, prefixes: Iterable[tuple[str, str]] = ()) -> bytes:
    """Rows of terms in the order of the table, with statements about the same subject grouped together."""
    writer = _package(where)
    lines = write_ntriples(table, where)
    source = writer.RdfFormat.N_QUADS if kind == TRIG else writer.RdfFormat.N_TRIPLES
    try:
        statements = writer.parse(input=lines, format=source)
        own = statements if kind == TRIG else (statement.triple for statement in statements)
        form = getattr(writer.RdfFormat, FORMATS[kind])
        written: bytes = writer.serialize(own, format=form, prefixes=dict(prefixes))
    except SyntaxError as error:  # such as an IRI without a scheme
        line = lines.split(b"\n")[(error.lineno or 1) - 1].decode("utf-8", "replace")
        raise failures.NOT_TURTLE_TERMS.error(where=where, line=line, reason=_REASON.sub("", str(error.msg))) from None
    except ValueError as error:  # an invalid prefix
        raise failures.NOT_TURTLE_TERMS.error(where=where, line=f"prefixes {dict(prefixes)}", reason=error) from None
    return written


def _package(where: str) -> Any:
    if find_spec("pyoxigraph") is None:
        raise failures.NEEDS_RDF.error(where=where)
    return import_module("pyoxigraph")
