"""The checker as Spark SQL: the loop of `check` as joins in Catalyst.

Law: for every relation with rules, the supports of its rules and the stored facts are grouped by head, with the lowest
rank of the supports: a head without a fact is a missing derivation; a fact that is neither asserted nor above the
lowest rank of its supports is unfounded. The verdict is that of the Python checker. The user's session is not changed,
and no module here imports Spark. Path expressions are evaluated on the driver, then read as tables.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from decimal import Decimal
from typing import Any

import pyarrow as pa

from tidelog.program import Path, Program
from tidelog.program.functions.calendar import from_python
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.values.state import EngineState
from tidelog.program.values.term import BOOLEAN, DATE, FLOAT, NUMBER, SYMBOL, TIMESTAMP, UNSIGNED
from tidelog.spark.session.connect import other_session
from tidelog.spark.session.master import is_connect
from tidelog.verify.check import StratumFacts, check_bases
from tidelog.verify.claim import Base, Claim, read_names, to_claim
from tidelog.verify.normal import Absent, Clause, Scan
from tidelog.verify.relations import LOWEST
from tidelog.verify.report import NOT_CLOSED, UNDEFINED, UNFOUNDED, Certificate, Verdict, Violation, label_of
from tidelog.verify.sql import FLOOR, Tables, aggregate_query, best_query, candidate_query, plain_query
from tidelog.verify.sql_terms import Sql, refused
from tidelog.verify.strata import sources
from tidelog.verify.terms import Overloads, all_items

SPARK = "Spark SQL"
ANSI = "spark.sql.ansi.enabled"
BATCH = 8  # relations per job
ARROW_TYPES = {
    NUMBER: pa.int64(),
    UNSIGNED: pa.decimal128(20, 0),
    FLOAT: pa.float64(),
    SYMBOL: pa.string(),
    **dict.fromkeys((BOOLEAN, DATE, TIMESTAMP), pa.int64()),
}


def verify_with_spark(
    program: Program, base: Base | None, state: EngineState, spark: Any, functions: Overloads = FUNCTIONS
) -> Verdict:
    """As `verify`, in Spark SQL; ``spark`` is the session. Constructs with another meaning in SQL are refused."""
    return verify_claims([to_claim(program, base, state, functions)], spark)[0]


def verify_claims(claims: Sequence[Claim], spark: Any) -> list[Verdict]:
    """Certify several claims at once, with few jobs: several small states cost little more than one."""
    began = time.perf_counter()
    verdicts: list[Verdict | None] = [check_bases(claim) for claim in claims]
    found: list[Mapping[str, Any]] = []
    with _own_session(spark) as own:
        views = _Views(own)
        checks = [(i, c) for i, claim in enumerate(claims) if verdicts[i] is None for c in _checks(claim, views)]
        for start in range(0, len(checks), BATCH):
            found += _run(own, [check for _, check in checks[start : start + BATCH]])
        views.drop()
    for (i, check), row in zip(checks, found, strict=True):
        if verdicts[i] is None and row["first"] is not None:
            verdicts[i] = check.violation(row["first"])
    seconds = time.perf_counter() - began
    supports = [0] * len(claims)
    for (i, _), row in zip(checks, found, strict=True):
        supports[i] += row["supports"]
    checked = zip(verdicts, claims, supports, strict=True)
    return [_certificate(claim, count, seconds) if verdict is None else verdict for verdict, claim, count in checked]


def _certificate(claim: Claim, supports: int, seconds: float) -> Certificate:
    return Certificate(SPARK, *claim.counts, supports, seconds, claim.chosen)


@contextmanager
def _own_session(spark: Any) -> Iterator[Any]:
    """A session next to the user's, with separate views and ANSI arithmetic: overflow is an error, as in Tidelog."""
    with other_session(spark) if is_connect(spark) else nullcontext(spark.newSession()) as own:
        own.conf.set(ANSI, "true")
        try:
            yield own
        finally:
            if not is_connect(spark):
                spark.createDataFrame([], "n int")  # creating a DataFrame makes a classic session active again


class _Views:
    """Facts as temporary views of the session."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self.names: list[str] = []

    def add(self, table: pa.Table) -> str:
        """Create a view of a table."""
        name = f"facts_{len(self.names)}"
        self._spark.createDataFrame(table).createOrReplaceTempView(name)
        self.names.append(name)
        return name

    def drop(self) -> None:
        """Drop all views."""
        for name in self.names:
            self._spark.catalog.dropTempView(name)


class _RelationCheck:
    """The check of one relation: its query, and how to read the result."""

    def __init__(self, relation: str, clauses: Sequence[Clause], tables: Tables, facts: str) -> None:
        self.relation, self.clauses = relation, clauses
        self.width = len(tables.schema[relation])
        self.sql = self._query(self._supports(tables), facts)

    def _supports(self, tables: Tables) -> list[Sql]:
        """One query per rule, and one per pool of min or max."""
        found: list[Sql] = []
        pools: dict[tuple[tuple[int, str], ...], list[tuple[int, Sql]]] = {}
        for place, clause in enumerate(self.clauses):
            kinds = {aggregate.kind for aggregate in clause.folded.values()}
            if not clause.body.alternatives:
                continue
            if kinds and kinds <= {"min", "max"}:
                shape = tuple((i, aggregate.kind) for i, aggregate in clause.folded.items())
                pools.setdefault(shape, []).append((place, candidate_query(clause, tables)))
            else:
                query = aggregate_query(clause, tables) if kinds else plain_query(clause, tables)
                found.append(f"SELECT *, {place} AS place FROM ({query})")
        for shape, candidates in pools.items():
            best = best_query([sql for _, sql in candidates], self.width, dict(shape))
            found.append(f"SELECT *, {candidates[0][0]} AS place FROM ({best})")
        return found

    def _query(self, supports: Sequence[Sql], facts: str) -> Sql:
        """A query for the number of supports, and the first violation if there is one."""
        heads = [f"h{i}" for i in range(self.width)]
        head_columns = ", ".join([*heads, ""])
        fact_columns = "".join(f"c{i} AS h{i}, " for i in range(self.width))
        rows = [
            *(
                f"SELECT {head_columns}rank AS lowest, place, 1L AS n, NULL AS own, FALSE AS base FROM ({q})"
                for q in supports
            ),
            f"SELECT {fact_columns}NULL AS lowest, NULL AS place, 0L AS n, rank AS own, base FROM {facts}",
        ]
        counted = "min(lowest) AS lowest, min(place) AS place, sum(n) AS n, max(own) AS own, max(base) AS base"
        grouping = f"GROUP BY {', '.join(heads)}" if heads else "HAVING count(*) > 0"
        grouped = f"SELECT {head_columns}{counted} FROM ({' UNION ALL '.join(rows)}) {grouping}"
        bad = "own IS NULL OR (NOT base AND (lowest IS NULL OR lowest >= own))"
        first = f"struct(own IS NOT NULL AS held, place, to_json(struct({', '.join(heads) or '1 AS h'})) AS row)"
        return (
            f"SELECT coalesce(sum(n), 0) AS supports, min(CASE WHEN {bad} THEN {first} END) AS first FROM ({grouped})"
        )

    def violation(self, first: Any) -> Violation:
        """The violation that a row of the result describes."""
        if first == UNDEFINED:
            return Violation(UNDEFINED, rule=f"a rule of {self.relation}", detail="a value cannot be computed")
        values = json.loads(first["row"], parse_float=lambda text: float(text))
        fact = self.relation, tuple(_value(values[f"h{i}"]) for i in range(self.width))
        if first["held"]:
            return Violation(UNFOUNDED, fact)
        return Violation(NOT_CLOSED, fact, label_of(self.clauses[first["place"]].rule))


def _value(value: Any) -> Any:
    return int(value) if isinstance(value, Decimal) else value


def _checks(claim: Claim, views: _Views) -> Iterator[_RelationCheck]:
    """The checks of a claim, stratum by stratum."""
    names: dict[str | Path, str] = {}
    for name in sorted({*claim.derived, *(n for _, clauses in claim.strata for n in read_names(clauses))}):
        names[name] = views.add(_table(claim, name))
    for own, clauses in claim.strata:
        facts = StratumFacts(claim, own)
        for path in _paths(clauses):
            names[path] = views.add(_walked(claim, facts, path))
        tables = Tables(dict(names).__getitem__, facts.is_ranked, claim.schema, claim.functions)
        for relation in sorted(own):
            mine = [clause for clause in clauses if clause.rule.head.predicate == relation]
            yield _RelationCheck(relation, mine, tables, names[relation])


def _paths(clauses: Sequence[Clause]) -> set[Path]:
    items = (item for clause in clauses for item in all_items(clause.body) if isinstance(item, Scan | Absent))
    return {item.source for item in items if not isinstance(item.source, str)}


def _table(claim: Claim, name: str) -> pa.Table:
    ranks, base = claim.ranks.get(name, {}), claim.base.get(name, frozenset())
    types = claim.schema.get(name, ())
    return ranked_table(list(ranks), list(ranks.values()), [row in base for row in ranks], types, name)


def _walked(claim: Claim, facts: StratumFacts, path: Path) -> pa.Table:
    pairs = dict(facts.source(path).everything())
    ends = claim.schema.get(sources(path)[0], (NUMBER,))
    ranks = [FLOOR if rank == LOWEST else rank for rank in pairs.values()]
    return ranked_table(list(pairs), ranks, [False] * len(pairs), (ends[0], ends[0]), "a path")


def ranked_table(
    rows: Sequence[tuple[Any, ...]], ranks: Sequence[int], base: Sequence[bool], types: Sequence[str | None], name: str
) -> pa.Table:
    """Facts as columns c0, c1, ..., rank and base."""
    columns: dict[str, pa.Array] = {}
    values: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * len(types)
    for i, type_ in enumerate(types):
        arrow = ARROW_TYPES.get(type_ or NUMBER)
        if arrow is None:
            raise refused(f"`{name}`, which has a column of type {type_}")
        exact = map(Decimal, values[i]) if type_ == UNSIGNED else map(from_python, values[i])
        columns[f"c{i}"] = pa.array(list(exact), arrow)
    return pa.table({**columns, "rank": pa.array(ranks, pa.int64()), "base": pa.array(base, pa.bool_())})


def _run(spark: Any, checks: Sequence[_RelationCheck]) -> list[Mapping[str, Any]]:
    """Run one job for several relations; if a value cannot be computed, the relations are queried separately."""
    parts = (f"SELECT {i} AS number, * FROM ({check.sql})" for i, check in enumerate(checks))
    try:
        return sorted(spark.sql(" UNION ALL ".join(parts)).collect(), key=lambda row: int(row["number"]))
    except Exception as error:
        if not is_arithmetic(error):
            raise
    if len(checks) > 1:
        return [row for check in checks for row in _run(spark, [check])]
    return [{"supports": 0, "first": UNDEFINED}]


def is_arithmetic(error: Exception) -> bool:
    """Whether a job failed because a value cannot be computed (class 22 of SQL's states, or Tidelog's own refusal)."""
    state = getattr(error, "getSqlState", lambda: None)()
    return state is not None and (str(state).startswith("22") or "USER_RAISED" in str(error))
