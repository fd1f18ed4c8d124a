"""Questions in SPARQL: their rules are added, read and rolled back, like those of a query.

Law: the rows are the solutions that SPARQL defines, in its order and with its duplicates; as for every query, they
belong to the last committed epoch.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from tidelog.engine.core.core import Core
from tidelog.engine.read.query import run
from tidelog.engine.read.question import ANSWERS, make_ready
from tidelog.engine.read.typos import report_unknown
from tidelog.engine.read.view import Rows
from tidelog.program import Rule
from tidelog.program.functions.arguments import must_be
from tidelog.program.messages.nearest import LOOSELY, KnownNames
from tidelog.program.values.term import SYMBOL
from tidelog.rewrite.names import QUESTION
from tidelog.syntax import parse_rules
from tidelog.syntax.prefixes import Prefixes
from tidelog.syntax.sparql import NOT_TRIPLES, SparqlQuery, sparql_query


def sparql(core: Core, text: str, triples: str) -> Rows:
    """The solutions of a SPARQL query; see `Engine.sparql`."""
    core.must_be_open()
    must_be(text, str, "text", "a query in SPARQL")
    must_be(triples, str, "triples", "the name of a relation of triples")
    program = core.rules.program
    name = "sparql"
    while any(relation.startswith(name) for relation in core.rules.schema):
        name += "_"
    query, also, rule = _read(text, name, triples, program.prefixes, program.convention)
    _check_relation(core, triples)
    rows, _ = run(core, lambda: make_ready(core, rule, (), also))
    cells = rows._cells()
    if query.descending or query.start or query.length is not None:
        cells = cells[query.arrange([tuple(map(str, row)) for row in rows.rows()])]
    count = len(query.columns)
    answers = Rows("answers", query.columns, rows.types[:count], rows._dictionary, cells[:, :count])
    answers.own_texts, answers.is_ordered = rows.own_texts, True
    return answers


@lru_cache(maxsize=256)
def _read(
    text: str, name: str, triples: str, prefixes: Prefixes, convention: str
) -> tuple[SparqlQuery, tuple[Rule, ...], Rule]:
    query = sparql_query(text, name, triples, prefixes)
    *also, rule = parse_rules("\n".join(query.rules), convention=convention)
    labelled = tuple(replace(each, label=f"{QUESTION}{place}") for place, each in enumerate(also))
    return query, labelled, replace(rule, head=replace(rule.head, predicate=ANSWERS), label=ANSWERS)


def _check_relation(core: Core, triples: str) -> None:
    types = core.rules.schema.get(triples)
    if types is None:
        report_unknown(core, triples, KnownNames(core.relations).nearest(triples, LOOSELY))
    elif len(types) != 3:
        raise NOT_TRIPLES.error(relation=triples, problem=f"has {len(types)} columns")
    elif any(type_ not in (SYMBOL, None) for type_ in types):
        raise NOT_TRIPLES.error(relation=triples, problem="has columns that are not symbols")
