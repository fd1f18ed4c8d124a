"""Rules as Spark SQL: one query per rule, whose rows are the heads of its supports.

Law: a positive atom is a table, a negated one an anti join, an equation a name for an expression, an aggregate a join
with the grouped query of its body. A row of the query of a plain rule is (head, rank), where rank is the highest rank
of the body's facts of the same stratum, or `FLOOR` if there is none. The queries use nothing but tables of facts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.errors import EvaluationError
from tidelog.program import Aggregate, Const, Path, Term, Var
from tidelog.program.values.term import CHOICE, MODEL, NUMBER
from tidelog.verify.normal import Absent, Choices, Clause, Fold, Item, RangeBinding, Scan, Test, item_names
from tidelog.verify.order import arrange, assigns
from tidelog.verify.sql_folds import OVER_NOTHING
from tidelog.verify.sql_folds import folded as fold_sql
from tidelog.verify.sql_terms import SQL_TYPES, Sql, refused, to_sql
from tidelog.verify.terms import Overloads, Schema, Types, aggregate_type, term_type, variable_types

FLOOR = -(2**63) + 1  # below every rank, and so is its negation above


@dataclass(frozen=True)
class Tables:
    """The tables that queries read: a name for each relation and path, and which of them have ranks that are used."""

    name: Callable[[str | Path], str]
    is_ranked: Callable[[str | Path], bool]
    schema: Schema
    functions: Overloads


@dataclass
class _Query:
    """A query under construction: tables with their joins, conditions, and the expression for each variable."""

    tables: Tables
    types: Types
    aliases: Iterator[int]
    sources: list[Sql] = field(default_factory=list)
    laterals: list[Sql] = field(default_factory=list)
    conditions: list[Sql] = field(default_factory=list)
    names: dict[str, Sql] = field(default_factory=dict)
    ranks: list[Sql] = field(default_factory=list)

    def term(self, term: Term) -> Sql:
        """A term over the variables known so far."""
        return to_sql(term, self.names, self.types, self.tables.functions)

    def select(self, columns: Mapping[str, Sql]) -> Sql:
        """The finished query."""
        shown = ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
        where = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        source = f" FROM {' '.join(self.sources)}" if self.sources else " FROM VALUES (1) AS one(c)"
        return f"SELECT {shown}{source}{''.join(self.laterals)}{where}"

    def rank(self) -> Sql:
        """The highest rank of the facts of the stratum."""
        return f"greatest({', '.join([str(FLOOR) + 'L', *self.ranks])})" if self.ranks else f"{FLOOR}L"

    def add(self, item: Item) -> None:
        """Add one more item."""
        match item:
            case Scan():
                self._scan(item)
            case Absent():
                self._absent(item)
            case Test():
                self._test(item)
            case RangeBinding():
                self._each(item)
            case Fold():
                self._fold(item)

    def _join(self, table: Sql, how: str = "CROSS JOIN", on: str = "") -> str:
        alias = f"t{next(self.aliases)}"
        self.sources.append(f"{how + ' ' if self.sources else ''}{table} {alias}{on.format(alias=alias)}")
        return alias

    def _scan(self, item: Scan) -> None:
        alias = self._join(self.tables.name(item.source))
        for i, arg in enumerate(item.args):
            if isinstance(arg, Var) and arg.name not in self.names:
                self.names[arg.name] = f"{alias}.c{i}"
            else:
                self.conditions.append(f"{alias}.c{i} = {self.term(arg)}")
        if self.tables.is_ranked(item.source):
            self.ranks.append(f"{alias}.rank")

    def _absent(self, item: Absent) -> None:
        alias = f"t{next(self.aliases)}"
        equal = [f"{alias}.c{i} = {self.term(arg)}" for i, arg in enumerate(item.args) if arg is not None]
        where = f" WHERE {' AND '.join(equal)}" if equal else ""
        self.conditions.append(f"NOT EXISTS (SELECT 1 FROM {self.tables.name(item.source)} {alias}{where})")

    def _test(self, item: Test) -> None:
        assigned = assigns(item, set(self.names))
        if assigned is None:
            self.conditions.append(f"{self.term(item.left)} {item.op} {self.term(item.right)}")
        else:
            self.names[assigned[0].name] = self.term(assigned[1])

    def _bind(self, name: str, value: Sql) -> None:
        """Assign a value to a variable; a variable that already has one is tested."""
        if name in self.names:
            self.conditions.append(f"{self.names[name]} = {value}")
        else:
            self.names[name] = value

    def _each(self, item: RangeBinding) -> None:
        types = {term_type(arg, self.types, self.tables.functions) for arg in item.values.args}
        if types != {NUMBER} or len(item.values.args) != 2:
            raise refused("a range with a step, or one that is not of numbers")
        first, end = map(self.term, item.values.args)
        alias = f"t{next(self.aliases)}"
        upwards = f"WHEN {first} < {end} THEN sequence({first}, {end} - 1)"
        downwards = f"WHEN {first} > {end} THEN sequence({first}, {end} + 1)"
        values = f"CASE {upwards} {downwards} ELSE CAST(array() AS ARRAY<BIGINT>) END"
        self.laterals.append(f" LATERAL VIEW explode({values}) {alias} AS v{alias}")
        self._bind(item.variable, f"{alias}.v{alias}")

    def _fold(self, item: Fold) -> None:
        """A left join with the groups of the aggregated body; without a group, count and sum are 0."""
        if self.laterals or not item.body.alternatives:
            raise refused("an aggregate in a rule with a range, or without a body")
        folded = item.aggregate
        inner = grouped(item.body, [Var(name) for name in item.outer], [folded], self.tables, self.aliases, self.types)
        known = [f"{{alias}}.g{i} = {self.names[name]}" for i, name in enumerate(item.outer)]
        if not self.sources:
            self.sources.append("(SELECT 1 AS c) one")
        alias = self._join(f"({inner})", "LEFT JOIN", f" ON {' AND '.join(known) or 'TRUE'}")
        if folded.kind in OVER_NOTHING:
            type_ = SQL_TYPES[aggregate_type(folded, item.body, self.types, *self._known()) or NUMBER]
            over_nothing = f"CAST({OVER_NOTHING[folded.kind]} AS {type_})"
            self._bind(item.variable, f"coalesce({alias}.a0, {over_nothing})")
        else:
            self._bind(item.variable, f"{alias}.a0")
            self.conditions.append(f"{alias}.a0 IS NOT NULL")

    def _known(self) -> tuple[Schema, Overloads]:
        return self.tables.schema, self.tables.functions


def _queries(body: Choices, tables: Tables, aliases: Iterator[int], outer: Types) -> Iterator[_Query]:
    """One query per alternative, complete except for its select list."""
    for items in body.alternatives:
        query = _Query(tables, variable_types(items, outer, tables.schema, tables.functions), aliases)
        try:
            order = arrange(items, set(), lambda scan: 1)
        except EvaluationError:
            raise refused("an aggregate whose body needs values from outside") from None
        for item in order:
            query.add(item)
        yield query


def plain_query(clause: Clause, tables: Tables) -> Sql:
    """The supports of a rule without aggregates: h0, h1, ... and rank."""
    parts = []
    for query in _queries(clause.body, tables, itertools.count(), {}):
        heads = {f"h{i}": query.term(arg) for i, arg in enumerate(clause.head)}
        parts.append(query.select({**heads, "rank": query.rank()}))
    return " UNION ALL ".join(parts)


def candidate_query(clause: Clause, tables: Tables) -> Sql:
    """The candidates of a min or max rule: the head with the values offered, and rank."""
    if any(aggregate.ties for aggregate in clause.folded.values()):
        raise refused("a best value with witness columns")
    parts = []
    for query in _queries(clause.body, tables, itertools.count(), {}):
        terms = [arg.value if isinstance(arg, Aggregate) else arg for arg in clause.head]
        heads = {f"h{i}": query.term(arg) for i, arg in enumerate(terms) if arg is not None}
        parts.append(query.select({**heads, "rank": query.rank()}))
    return " UNION ALL ".join(parts)


def best_query(candidates: Sequence[Sql], width: int, shape: Mapping[int, str]) -> Sql:
    """The best of each group of candidates as supports: its rank is the lowest at which a best candidate is offered."""
    group = [f"h{i}" for i in range(width) if i not in shape]
    pairs = {
        i: f"min(struct(h{i} AS v, rank AS r))" if kind == "min" else f"max(struct(h{i} AS v, -rank AS r))"
        for i, kind in shape.items()
    }
    columns = [f"{sql} AS b{i}" for i, sql in pairs.items()]
    grouping = f" GROUP BY {', '.join(group)}" if group else " HAVING count(*) > 0"
    inner = f"SELECT {', '.join([*group, *columns])} FROM ({' UNION ALL '.join(candidates)}){grouping}"
    ranks = [f"b{i}.r" if kind == "min" else f"-b{i}.r" for i, kind in shape.items()]
    heads = [f"b{i}.v AS h{i}" if i in shape else f"h{i}" for i in range(width)]
    rank = ranks[0] if len(ranks) == 1 else f"greatest({', '.join(ranks)})"
    return f"SELECT {', '.join(heads)}, {rank} AS rank FROM ({inner})"


def aggregate_query(clause: Clause, tables: Tables) -> Sql:
    """The results of a rule with aggregates other than min and max, as supports without rank."""
    folded = clause.folded
    if any(aggregate.kind == MODEL for aggregate in folded.values()):
        raise refused("negation or an aggregate in a cycle")
    if any(aggregate.kind == CHOICE for aggregate in folded.values()):
        raise refused("a choice")
    plain = [arg for i, arg in enumerate(clause.head) if i not in folded]
    inner = grouped(clause.body, plain, list(folded.values()), tables, itertools.count(), {})
    groups, results = itertools.count(), itertools.count()
    heads = [
        f"a{next(results)} AS h{i}" if i in folded else f"g{next(groups)} AS h{i}" for i in range(len(clause.head))
    ]
    return f"SELECT {', '.join(heads)}, {FLOOR}L AS rank FROM ({inner})" + ("" if plain else " WHERE n > 0")


def grouped(
    body: Choices,
    group: Sequence[Term],
    folded: Sequence[Aggregate],
    tables: Tables,
    aliases: Iterator[int],
    outer: Types,
) -> Sql:
    """Aggregates over the distinct valuations of a body, by group: g0, ..., a0, ... and the number n of valuations."""
    parts = []
    kinds: list[str | None] = [None] * len(folded)
    for items, query in zip(body.alternatives, _queries(body, tables, aliases, outer), strict=True):
        if any(isinstance(item, RangeBinding) for item in items):
            raise refused("a range inside an aggregate")
        _must_bind(group, query)
        columns = {f"g{i}": query.term(term) for i, term in enumerate(group)}
        for i, aggregate in enumerate(folded):
            for place, term in enumerate(aggregate.measured):
                columns[_value(i, place)] = query.term(term)
            if aggregate.measured:
                kinds[i] = kinds[i] or term_type(aggregate.measured[0], query.types, tables.functions)
        columns.update({f"n{i}": query.names[name] for i, name in enumerate(body.counted)})
        parts.append(query.select(columns or {"g": "1"}))
    values = [[_value(i, place) for place in range(len(each.measured))] for i, each in enumerate(folded)]
    results = [f"{fold_sql(each, values[i], kinds[i])} AS a{i}" for i, each in enumerate(folded)]
    keys = [f"g{i}" for i in range(len(group))]
    grouping = f" GROUP BY {', '.join(keys)}" if keys else ""
    distinct = f"SELECT DISTINCT * FROM ({' UNION ALL '.join(parts)})"
    return f"SELECT {', '.join([*keys, *results, 'count(*) AS n'])} FROM ({distinct}){grouping}"


def _value(aggregate: int, place: int) -> Sql:
    """The column with a measured value."""
    return f"v{aggregate}_{place}"


def _must_bind(group: Sequence[Term], query: _Query) -> None:
    for term in group:
        for name in item_names(Test("=", term, Const(0, NUMBER))):
            if name not in query.names:
                raise refused(f"an aggregate whose body does not bind `{name}`")
