"""SPARQL as rules over a relation of triples."""

from tidelog.syntax.sparql.query import SparqlQuery, sparql_query, sparql_rules
from tidelog.syntax.sparql.sparql_failures import NOT_TRIPLES

__all__ = ["NOT_TRIPLES", "SparqlQuery", "sparql_query", "sparql_rules"]
