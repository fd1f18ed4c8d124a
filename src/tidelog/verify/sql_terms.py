"""Terms as Spark SQL: constants and functions whose meaning there is the same.

Law: a term is translated only if Spark returns the same value or an error: integers in ANSI mode, where overflow and
division by zero are errors; floats with one NaN that equals itself and sorts last; texts by code points. Everything
else (lists, patterns, powers, the text of floats, user functions) is refused by name: the Python checker supports it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tidelog.errors import EngineError
from tidelog.program import Call, Const, Term, Var
from tidelog.program.functions.calendar import DAY, FIRST_DAY, FIRST_MOMENT, HOUR, LAST_DAY, LAST_MOMENT, MINUTE, SECOND
from tidelog.program.values.term import BOOLEAN, DATE, FLOAT, NUMBER, SYMBOL, TIMESTAMP, UNSIGNED
from tidelog.verify import verify_failures as failures
from tidelog.verify.terms import Overloads, Types, term_type

Sql = str
Environment = Mapping[str, Sql]
SQL_TYPES = {NUMBER: "BIGINT", UNSIGNED: "DECIMAL(20,0)", FLOAT: "DOUBLE", SYMBOL: "STRING"}
SQL_TYPES |= dict.fromkeys((BOOLEAN, DATE, TIMESTAMP), "BIGINT")  # claims hold their numbers (`program.calendar`)
UNSIGNED_MOST = 2**64 - 1


def refused(what: str) -> EngineError:
    """The error for a term whose meaning in Spark SQL differs from Tidelog's."""
    return failures.NOT_IN_SQL.error(what=what)


def constant(const: Const) -> Sql:
    """A constant as SQL.

    >>> print(constant(Const("it's", "symbol")), constant(Const(3, "number")))
    'it\\'s' CAST('3' AS BIGINT)
    """
    if const.type == SYMBOL and isinstance(const.value, str):
        return "'" + const.value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if const.type not in SQL_TYPES:
        raise refused(f"constants of type {const.type}")
    return f"CAST('{const.value}' AS {SQL_TYPES[const.type]})"


def to_sql(term: Term, names: Environment, types: Types, functions: Overloads) -> Sql:
    """A scalar term as SQL, with variables replaced as the environment defines.

    >>> from tidelog.program.functions.table import FUNCTIONS
    >>> print(to_sql(Call("+", (Var("X"), Const(1, "number"))), {"X": "t0.c0"}, {"X": "number"}, FUNCTIONS))
    (t0.c0 + CAST('1' AS BIGINT))
    """
    match term:
        case Const():
            return constant(term)
        case Var(name=name):
            return names[name]
        case Call(function=name, args=args):
            known = [term_type(arg, types, functions) or "any" for arg in args]
            write = _writer(name, known)
            return write([to_sql(arg, names, types, functions) for arg in args])
    raise refused(f"the term {term}")


Writer = Callable[[Sequence[Sql]], Sql]


def _writer(name: str, types: Sequence[str]) -> Writer:
    common = types[0] if types and len(set(types)) == 1 else ""
    found = _SPECIAL.get((name, tuple(types))) or _TYPED.get(common, {}).get(name)
    if found is None:
        raise refused(f"the function `{name}` of {', '.join(types)}")
    return found


def _infix(operator: str) -> Writer:
    return lambda args: f"({args[0]} {operator} {args[1]})" if len(args) == 2 else f"({operator}{args[0]})"


def _called(function: str) -> Writer:
    return lambda args: f"{function}({', '.join(args)})"


def _shifted(function: str) -> Writer:
    return lambda args: f"{function}({args[0]}, CAST(pmod({args[1]}, 64) AS INT))"


def _truth(condition: str) -> Writer:
    return lambda args: f"CAST(CASE WHEN {condition.format(*args)} THEN 1 ELSE 0 END AS BIGINT)"


def _in_unsigned(operator: str) -> Writer:
    def write(args: Sequence[Sql]) -> Sql:
        value = f"({args[0]} {operator} {args[1]})"
        fits = f"{value} BETWEEN 0 AND {UNSIGNED_MOST}"
        return f"CAST(CASE WHEN {fits} THEN {value} ELSE raise_error('overflow of unsigned') END AS DECIMAL(20,0))"

    return write


def _cut(args: Sequence[Sql]) -> Sql:
    text, start, length = args
    inside = f"substring({text}, CAST({start} + 1 AS INT), CAST({length} AS INT))"
    return f"CASE WHEN {start} >= 0 AND {length} > 0 THEN {inside} ELSE '' END"


def _template(text: str) -> Writer:
    return lambda args: text.format(*args)


def _whole(function: str) -> Writer:
    """A float rounded to a whole one; Spark returns an integer, which a large float, an infinity or NaN is not."""
    return _template(f"CASE WHEN abs({{0}}) < 4503599627370496D THEN CAST({function}({{0}}) AS DOUBLE) ELSE {{0}} END")


def _of_ascii(function: str) -> Writer:
    """A change of case for ASCII letters only; for others, the tables of Java and Python may differ."""
    return _template(
        rf"CASE WHEN {{0}} RLIKE '^[\\x00-\\x7F]*$' THEN {function}({{0}}) ELSE raise_error('case of a letter') END"
    )


def _padded(function: str) -> Writer:
    return _template(
        f"CASE WHEN {{2}} = '' THEN raise_error('nothing to fill with') WHEN {{1}} <= char_length({{0}}) THEN {{0}} "
        f"ELSE {function}({{0}}, CAST({{1}} AS INT), {{2}}) END"
    )


def _on_day(template: str, day: str = "{0}") -> Writer:
    """A part of the calendar, of the days that are written ``day``."""
    return lambda args: template.format(f"date_from_unix_date(CAST({day.format(*args)} AS INT))")


def _within(value: str, least: int, most: int) -> Writer:
    """A date or a timestamp, where the result lies in the years 1 to 9999."""

    def write(args: Sequence[Sql]) -> Sql:
        found = value.format(*args)
        return f"CASE WHEN {found} BETWEEN {least} AND {most} THEN {found} ELSE raise_error('date out of range') END"

    return write


def _with_unit(value: Writer) -> Writer:
    return lambda args: f"CASE WHEN {args[2]} > 0 THEN {value(args)} ELSE raise_error('unit of time') END"


_DAY_OF = f"(({{0}} - pmod({{0}}, {DAY})) div {DAY})"
_PARTS = {name: f"CAST({name}({{0}}) AS BIGINT)" for name in ("year", "month", "day")}
_CLOCK = {"hour": (DAY, HOUR), "minute": (HOUR, MINUTE), "second": (MINUTE, SECOND)}


_TYPED: Mapping[str, Mapping[str, Writer]] = {
    NUMBER: {
        **{name: _infix(name) for name in ("+", "-", "*", "%")},
        "/": _infix("div"),
        "band": _infix("&"),
        "bor": _infix("|"),
        "bxor": _infix("^"),
        "bnot": lambda args: f"(~{args[0]})",
        "bshl": _shifted("shiftleft"),
        "bshr": _shifted("shiftright"),
        "bshru": _shifted("shiftrightunsigned"),
        "land": _truth("{0} != 0 AND {1} != 0"),
        "lor": _truth("{0} != 0 OR {1} != 0"),
        "lxor": _truth("({0} != 0) != ({1} != 0)"),
        "lnot": _truth("{0} = 0"),
        "min": _called("least"),
        "max": _called("greatest"),
        "abs": _called("abs"),
        "to_string": lambda args: f"CAST({args[0]} AS STRING)",
        "to_float": lambda args: f"CAST({args[0]} AS DOUBLE)",
        "itof": lambda args: f"CAST({args[0]} AS DOUBLE)",
    },
    UNSIGNED: {
        **{name: _in_unsigned(name) for name in ("+", "*")},
        "min": _called("least"),
        "max": _called("greatest"),
        "abs": _template("{0}"),
        "to_string": lambda args: f"CAST({args[0]} AS STRING)",
        "to_number": lambda args: f"CAST({args[0]} AS BIGINT)",
        "utoi": lambda args: f"CAST({args[0]} AS BIGINT)",
    },
    FLOAT: {
        **{name: _infix(name) for name in ("+", "-", "*", "/")},
        "min": _called("least"),
        "max": _called("greatest"),
        "abs": _called("abs"),
        "sqrt": _called("sqrt"),
        "round": _template("round({0})"),
        "floor": _whole("floor"),
        "ceil": _whole("ceil"),
    },
    SYMBOL: {
        "cat": _called("concat"),
        "strlen": lambda args: f"CAST(char_length({args[0]}) AS BIGINT)",
        "contains": _truth("contains({1}, {0})"),
        "starts_with": _truth("startswith({0}, {1})"),
        "ends_with": _truth("endswith({0}, {1})"),
        "lower": _of_ascii("lower"),
        "upper": _of_ascii("upper"),
        "trim": _template(r"btrim({0}, ' \t\n\u000B\u000C\r')"),
        "replace": _called("replace"),
        "edit_distance": _template("CAST(levenshtein({0}, {1}) AS BIGINT)"),
        "ord": _called("xxhash64"),
        "md5": _called("md5"),
        "sha1": _called("sha1"),
        "f_sha1": _called("sha1"),
        "sha256": _template("sha2({0}, 256)"),
        "crc32": _called("crc32"),
        "min": _called("least"),
        "max": _called("greatest"),
        "to_string": lambda args: args[0],
    },
    BOOLEAN: {
        "to_string": _template("CASE WHEN {0} = 1 THEN 'true' ELSE 'false' END"),
        "to_number": _template("{0}"),
    },
    DATE: {
        **{name: _on_day(part) for name, part in _PARTS.items()},
        "weekday": _template("pmod({0} + 3, 7)"),
        "to_string": _on_day("CAST({} AS STRING)"),
        "to_timestamp": _within(f"({{0}} * {DAY})", FIRST_MOMENT, LAST_MOMENT),
        "date_diff": _infix("-"),
        "min": _called("least"),
        "max": _called("greatest"),
    },
    TIMESTAMP: {
        **{name: _on_day(part, _DAY_OF) for name, part in _PARTS.items()},
        **{name: _template(f"(pmod({{0}}, {whole}) div {unit})") for name, (whole, unit) in _CLOCK.items()},
        "weekday": _template(f"pmod({_DAY_OF} + 3, 7)"),
        "date": _template(_DAY_OF),
        "min": _called("least"),
        "max": _called("greatest"),
    },
}
_SPECIAL: Mapping[tuple[str, tuple[str, ...]], Writer] = {
    ("substr", (SYMBOL, NUMBER, NUMBER)): _cut,
    ("pad_left", (SYMBOL, NUMBER, SYMBOL)): _padded("lpad"),
    ("pad_right", (SYMBOL, NUMBER, SYMBOL)): _padded("rpad"),
    ("-", (UNSIGNED, UNSIGNED)): _in_unsigned("-"),
    ("date_add", (DATE, NUMBER)): _within("({0} + {1})", FIRST_DAY, LAST_DAY),
    ("timestamp_add", (TIMESTAMP, NUMBER, NUMBER)): _with_unit(_within("({0} + {1} * {2})", FIRST_MOMENT, LAST_MOMENT)),
    ("timestamp_diff", (TIMESTAMP, TIMESTAMP, NUMBER)): _with_unit(_template("(({0} - {1}) div {2})")),
}
