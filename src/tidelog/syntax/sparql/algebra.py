"""The text of a SPARQL query as the algebra of the W3C recommendation, read by rdflib.

Law: a text is read or refused with its line and column, and nothing is evaluated. Terms keep the text they are written
with: rdflib would change `"01"^^xsd:integer` to `"1"^^xsd:integer`, which is another term (D16).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any, NoReturn

from tidelog.program.functions.rdf_terms import STRING_TYPE, LiteralParts, canonical_term
from tidelog.syntax.sparql import sparql_failures as failures

_LOCK = Lock()
_UNKNOWN_PREFIX = re.compile(r"Unknown namespace prefix ?: ?(.*)")
_FORMS = {"SelectQuery", "AskQuery"}


def read_sparql(text: str, prefixes: Mapping[str, str]) -> tuple[Any, bool]:
    """The algebra of a query, and whether it shows all variables; its prefixes come before the given ones."""
    if find_spec("rdflib") is None:
        raise failures.NEEDS_RDFLIB.error()
    parser, algebra = (import_module(f"rdflib.plugins.sparql.{name}") for name in ("parser", "algebra"))
    parsing = import_module("pyparsing")
    try:
        with _LOCK, _terms_as_written():
            parsed = parser.parseQuery(text)
            shows_all = parsed[1].name == "SelectQuery" and not parsed[1].projection
            query = algebra.translateQuery(parsed, initNs=dict(prefixes)).algebra
    except parsing.ParseBaseException as error:
        reason = re.sub(r"\s*\(at char .*", "", str(error), flags=re.DOTALL)
        raise failures.NOT_SPARQL.error(line=error.lineno, column=error.column, reason=reason) from None
    except RecursionError:
        raise failures.NOT_SPARQL.error(line=1, column=1, reason="the query is nested too deeply") from None
    except Exception as error:  # rdflib raises `Exception` itself
        unknown = _UNKNOWN_PREFIX.match(str(error))
        if unknown is not None:
            raise failures.UNKNOWN_PREFIX.error(prefix=unknown[1].strip()) from None
        raise failures.NOT_SPARQL.error(line=1, column=1, reason=str(error)) from None
    if query.name not in _FORMS:
        unsupported(query.name.removesuffix("Query").upper())
    if query.datasetClause:
        unsupported("FROM")
    return query, shows_all


@contextmanager
def _terms_as_written() -> Iterator[None]:
    rdflib: Any = import_module("rdflib")
    before = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = False
    try:
        yield
    finally:
        rdflib.NORMALIZE_LITERALS = before


def unsupported(construct: str) -> NoReturn:
    """Refuse a query because of a part that has no rules here."""
    raise failures.NOT_SUPPORTED.error(construct=construct)


def is_variable(term: object) -> bool:
    """Whether a term of the algebra is a variable, or a blank node, which is one that is not shown."""
    return type(term).__name__ in ("Variable", "BNode")


def canonical(term: Any) -> str:
    """The canonical text of an IRI or a literal."""
    if type(term).__name__ == "Literal":
        if term.language:
            return str(LiteralParts(str(term), "", term.language.lower()))
        return str(LiteralParts(str(term), str(term.datatype or STRING_TYPE)))
    found = canonical_term(f"<{term}>")
    if found is None or ":" not in found:
        raise failures.NOT_AN_IRI.error(iri=str(term))
    return found
