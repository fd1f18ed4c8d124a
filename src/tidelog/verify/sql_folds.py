"""The results of aggregates over groups as Spark SQL, where SQL has the same meaning.

Law: a result is that of `verify.folds`, or the query fails. Quotients of integers are rounded once, which is certain
while numerator and denominator are exact as floats; beyond that the query raises an error. Variances are refused, and
so are sums and quantiles of floats: Tidelog's are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tidelog.program import Aggregate, Const
from tidelog.program.values.term import FLOAT, NUMBER, UNSIGNED, WRAPPING_SUM
from tidelog.verify.sql_terms import SQL_TYPES, Sql, constant, refused

EXACT = 2**53
IN_ANY_TYPE = ("count", "min", "max", "any", "all", "string_agg", "argmin", "argmax")
OVER_NOTHING = {"count": 0, "sum": 0, "any": 0, "all": 1}


def folded(aggregate: Aggregate, values: Sequence[Sql], type_: str | None) -> Sql:
    """The aggregate of columns with one row for each valuation."""
    kind = aggregate.kind
    if type_ == FLOAT and kind not in IN_ANY_TYPE:
        raise refused(f"the {kind} of floats (Tidelog's are exact)")
    distinct = "DISTINCT " if aggregate.distinct else ""
    match kind:
        case "count":
            return f"count(DISTINCT {values[0]})" if aggregate.distinct else "count(*)"
        case "min" | "max":
            return f"{kind}({values[0]})"
        case "any" | "all":
            return f"{'max' if kind == 'any' else 'min'}(CASE WHEN {values[0]} <> 0 THEN 1L ELSE 0L END)"
        case "sum":
            return f"CAST({_total(values[0], distinct)} AS {SQL_TYPES[UNSIGNED if type_ == UNSIGNED else NUMBER]})"
        case "mean":
            return _quotient(_total(values[0], distinct), f"count({distinct}{values[0]})", kind)
        case "median":
            return _quantile(_sorted(values[0], distinct), Fraction(1, 2), kind)
        case "quantile":
            return _quantile(_sorted(values[0], distinct), Fraction(repr(_parameter(aggregate).value)), kind)
        case "string_agg":
            return f"array_join({_sorted(values[0], distinct)}, {constant(_parameter(aggregate))})"
        case "argmin" | "argmax":
            return _chosen(values[0], values[1], "array_min" if kind == "argmin" else "array_max")
    raise refused("a sum that wraps around" if kind == WRAPPING_SUM else f"the aggregate {kind}")


def _parameter(aggregate: Aggregate) -> Const:
    parameter = aggregate.arguments[1]
    if not isinstance(parameter, Const):
        raise refused(f"the aggregate {aggregate.kind} without a constant")
    return parameter


def _total(value: Sql, distinct: str) -> Sql:
    return f"sum({distinct}CAST({value} AS DECIMAL(38,0)))"


def _sorted(value: Sql, distinct: str) -> Sql:
    return f"sort_array({'collect_set' if distinct else 'collect_list'}({value}))"


def _quotient(numerator: Sql, denominator: Sql, kind: str) -> Sql:
    """A quotient of two integers as a float."""
    exact = f"CAST({numerator} AS DOUBLE) / CAST({denominator} AS DOUBLE)"
    is_exact = f"abs({numerator}) <= {EXACT} AND {denominator} <= {EXACT}"
    return f"CASE WHEN {is_exact} THEN {exact} ELSE raise_error('a {kind} beyond 2^53') END"


def _quantile(values: Sql, share: Fraction, kind: str) -> Sql:
    """The weighted mean of two neighbours in an array of integers."""
    p, q = share.numerator, share.denominator
    place = f"((size({values}) - 1) * {p}L)"
    low, high = (f"CAST({values}[CAST({at} AS INT)] AS DECIMAL(38,0))" for at in _neighbours(place, q, values))
    return _quotient(f"({low} * ({q}L - {place} % {q}L) + {high} * ({place} % {q}L))", f"{q}L", kind)


def _neighbours(place: Sql, q: int, values: Sql) -> tuple[Sql, Sql]:
    return f"({place} div {q}L)", f"least({place} div {q}L + 1, size({values}) - 1)"


def _chosen(value: Sql, key: Sql, best: str) -> Sql:
    """The least of the values whose key is the best."""
    pairs = f"collect_list(struct({key} AS k, {value} AS v))"
    return f"array_min(transform(filter({pairs}, e -> e.k = {best}(transform({pairs}, f -> f.k))), e -> e.v))"
