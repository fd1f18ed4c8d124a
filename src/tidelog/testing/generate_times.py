"""Dates, timestamps and booleans in random programs.

Law: as in `generate_values`, a program can reach only few values. Days lie around 1970 and on one day of 2026,
so that negative and positive numbers occur together; sums are limited to a few days or hours.
"""

from __future__ import annotations

from tidelog.program import Aggregate, Atom, Call, Const, Term, Var
from tidelog.program.functions.calendar import DAY, HOUR
from tidelog.program.values.term import BOOLEAN, DATE, NUMBER, SYMBOL, TIMESTAMP
from tidelog.testing.generate_body import Body
from tidelog.testing.generate_values import TIMES

_SEVEN = Const(7, NUMBER)


def add_time(body: Body) -> None:
    """Add a test or an assignment with a function on dates or timestamps, or an aggregate over them."""
    rng = body.rng
    day, moment = body.some(DATE), body.some(TIMESTAMP)
    match rng.randrange(8):
        case 0:
            part = rng.choice(["year", "month", "day", "weekday", "hour", "minute", "second"])
            on_date = part in ("year", "month", "day", "weekday") and rng.random() < 0.5
            number = Call(part, (day if on_date else moment,))
            body.compare("=", body.bind(NUMBER), Call("%", (number, _SEVEN)))
        case 1:
            _between(body, Call("date_add", (day, Const(rng.choice([-1, 1, 2]), NUMBER))), DATE, -2, 2)
        case 2:
            _between(body, Call("date_diff", (day, body.some(DATE))), NUMBER, -9, 9)
        case 3:
            term = Call("timestamp_add", (moment, Const(rng.choice([-1, 1]), NUMBER), Const(HOUR, NUMBER)))
            _between(body, term, TIMESTAMP, -HOUR, 2 * HOUR)
        case 4:
            term = Call("timestamp_diff", (moment, body.some(TIMESTAMP), Const(DAY, NUMBER)))
            _between(body, term, NUMBER, -9, 9)
        case 5:
            name, found, made = rng.choice([("date", moment, DATE), ("to_timestamp", day, TIMESTAMP)])
            body.compare("=", body.bind(made), Call(name, (found,)))
        case 6:
            _through_text(body, day, moment)
        case _:
            _add_best(body)


def _between(body: Body, term: Term, type_: str, low: int, high: int) -> None:
    result = Var(body.fresh())
    body.compare("=", result, term)
    body.compare(">=", result, Const(low, type_))
    body.compare("<=", result, Const(high, type_))
    body.bound[type_].append(result.name)


def _through_text(body: Body, day: Term, moment: Term) -> None:
    type_, term = body.rng.choice([(DATE, day), (TIMESTAMP, moment), (BOOLEAN, body.some(BOOLEAN))])
    text = Var(body.fresh())
    body.compare("=", text, Call("to_string", (term,)))
    if type_ == BOOLEAN:
        body.compare("!=", text, Const("true", SYMBOL))
    else:
        body.compare("=", body.bind(type_), Call(f"to_{type_}", (text,)))


def _add_best(body: Body) -> None:
    """Add the least or the greatest value of a column."""
    fitting = [(r, i) for r in body.negatable for i, type_ in enumerate(r.types) if type_ in TIMES]
    if fitting and "body_aggregates" in body.features:
        relation, column = body.rng.choice(fitting)
        args: list[Term] = [body.test_argument(type_, "wildcards") for type_ in relation.types]
        type_, args[column] = relation.types[column], Var(body.fresh())
        kinds = ["min", "max"]
        if type_ == BOOLEAN and body.chance("whole_groups", 0.8):
            kinds = ["any", "all"]
        best = Aggregate(body.rng.choice(kinds), args[column], (Atom(relation.name, tuple(args)),))
        body.compare("=", body.bind(type_), best)
