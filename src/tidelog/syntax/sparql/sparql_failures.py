"""The reasons for refusing SPARQL, by code: TL42xx.

Law: every entry's example, or the test it names, ends in its code. A query is refused as a whole; no part is ignored.
"""

from __future__ import annotations

from tidelog.errors import EngineError
from tidelog.errors.entry import FailureEntry

_SUPPORTED = (
    "SELECT and ASK, with graph patterns, property paths, FILTER, OPTIONAL, UNION, MINUS, EXISTS, BIND, VALUES, "
    "subqueries and aggregates, are translated to rules."
)

NOT_SPARQL = FailureEntry(
    "TL4210",
    EngineError,
    "invalid SPARQL",
    "line {line}, column {column} of the query: {reason}",
    "A query is read as SPARQL 1.1.",
    "Correct the query at that place.",
    'Engine("p(1).").sparql("SELECT ?x { ?x ")\n',
)
UNKNOWN_PREFIX = FailureEntry(
    "TL4211",
    EngineError,
    "unknown prefix in SPARQL",
    "unknown prefix `{prefix}:`",
    "Prefixes are declared by the query, or by `.prefix` in the program.",
    "Add `PREFIX {prefix}: <...>` to the query.",
    'Engine("p(1).").sparql("SELECT ?x { ?x ex:p ?y }")\n',
)
NOT_SUPPORTED = FailureEntry(
    "TL4212",
    EngineError,
    "SPARQL that has no rules",
    "{construct} is not supported",
    _SUPPORTED,
    "Leave it out, or write this part as rules.",
    'Engine("p(1).").sparql("DESCRIBE <urn:a>")\n',
)
NOT_AN_IRI = FailureEntry(
    "TL4213",
    EngineError,
    "relative IRI in SPARQL",
    "<{iri}> is not an absolute IRI",
    "Terms in facts have absolute IRIs.",
    "Write the IRI in full, or add `BASE <...>` to the query.",
    'Engine("p(1).").sparql("SELECT ?x { ?x <p> ?y }")\n',
)
NO_ORDER = FailureEntry(
    "TL4214",
    EngineError,
    "view with an order or a limit",
    "{construct} has no meaning for a view: a view is a set of rows without an order",
    "A view contains each solution once, as with DISTINCT.",
    "Leave it out, and sort and limit the rows when you read the view; or ask once with `db.sparql`.",
    'from tidelog import sparql_rules\nsparql_rules("SELECT ?x { ?x ?p ?y } LIMIT 3", "x")\n',
)
NOT_TRIPLES = FailureEntry(
    "TL4215",
    EngineError,
    "relation is not one of triples",
    "`{relation}` {problem}; SPARQL reads a relation of three symbols",
    "A triple has a subject, a predicate and an object, which are terms of RDF.",
    'Name a relation of triples: `triples="owl"`, on the command line `--triples owl`.',
    'Engine("p(1).").sparql("ASK { ?x ?p ?y }", triples="p")\n',
)
NEEDS_RDFLIB = FailureEntry(
    "TL4216",
    EngineError,
    "SPARQL needs the extra `rdf`",
    "SPARQL needs rdflib; install it with `pip install 'tidelog[rdf]'`",
    "rdflib reads the text of a query; the engine answers it.",
    "Install the extra, or write the query as the body of a rule.",
    test="tests/syntax/sparql/test_sparql.py::test_without_the_extra_the_error_names_it",
)
ENTRIES = (NOT_SPARQL, UNKNOWN_PREFIX, NOT_SUPPORTED, NOT_AN_IRI, NO_ORDER, NOT_TRIPLES, NEEDS_RDFLIB)
