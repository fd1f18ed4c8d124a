"""Random rules: safe, well typed, and with values that stay in a small finite domain.

Law: a variable is used only after a positive atom, an assignment or a range has bound it, so every rule is safe for any
order of its literals. The result of an assignment is restricted to the domain of `generate_values`, so that recursion
through any rule ends; functions that may fail (division by a variable, ``f_first``) get safe arguments. The caller
decides which relations may be read, and which negated or aggregated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from tidelog.program import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    Rule,
    Term,
    Var,
)
from tidelog.program.functions.table import ORDERED_TYPES
from tidelog.program.values.term import (
    AGGREGATE_RESULTS,
    ARGUMENTS,
    CHOSEN_BY,
    FLOAT,
    LIST,
    NUMBER,
    SYMBOL,
    UNSIGNED,
    VARIANCES,
)
from tidelog.testing.generate_body import Body
from tidelog.testing.generate_structure_rules import add_structure
from tidelog.testing.generate_times import add_time
from tidelog.testing.generate_values import (
    GREATEST,
    LIST_LENGTH,
    SMALLEST,
    TEXT_LENGTH,
    TYPES_BY_FEATURE,
    Relation,
    random_constant,
)

_ARITHMETIC = ("+", "-", "*", "min", "max", "band", "bor", "bxor", "land", "lor")
WHOLE_GROUPS_BY_TYPE = {
    NUMBER: ("argmin", "argmax"),
    FLOAT: ("median", "quantile", *VARIANCES),
    SYMBOL: ("string_agg", "argmin", "argmax"),
    LIST: ("collect",),
}  # by the type of the result
_ONE, _ZERO = Const(1, NUMBER), Const(0, NUMBER)
_FIRST = Const("[0]", SYMBOL)  # a JSON path


def random_rule(
    rng: Random, head: Relation, readable: Sequence[Relation], negatable: Sequence[Relation], features: frozenset[str]
) -> Rule:
    """A rule for the head that reads some of the readable relations and may negate or aggregate the negatable ones."""
    body = random_body(rng, readable, negatable, features)
    return Rule(Atom(head.name, tuple(_head_argument(body, type_) for type_ in head.types)), tuple(body.literals))


def random_body(
    rng: Random, readable: Sequence[Relation], negatable: Sequence[Relation], features: frozenset[str]
) -> Body:
    body = Body(rng, features, readable, negatable)
    for _ in range(rng.choice([1, 1, 2, 2, 2, 3])):
        add_atom(body)
    for feature in rng.sample(sorted(EXTRAS), k=len(EXTRAS)):
        # Types other than number are rarer, so features that need them are chosen more often.
        if (
            body.chance(feature, 0.35 if feature in TYPES_BY_FEATURE else 0.15)
            and len(body.literals) < 7
            and _has_subject(body, feature)
        ):
            EXTRAS[feature](body)
    while body.chance("structures", 0.5) and len(body.literals) < 7:
        add_structure(body)
    while body.chance("times", 0.5) and len(body.literals) < 7:
        add_time(body)
    return body


def _has_subject(body: Body, feature: str) -> bool:
    """Whether a variable is bound that the feature can use."""
    type_ = TYPES_BY_FEATURE.get(feature)
    return type_ is None or bool(body.bound[type_])


def aggregated_rule(
    rng: Random, head: Relation, readable: Sequence[Relation], features: frozenset[str], kind: str
) -> Rule:
    """A rule whose last head argument is an aggregate over its body; the others form the group."""
    body = random_body(rng, readable, readable, features - {"body_aggregates"})
    numeric = kind in ("mean", "median", "quantile", "collect", *VARIANCES)
    type_ = NUMBER if numeric else head.types[-1]
    value = None if kind == "count" else body.some(type_)
    group = tuple(body.some(t) for t in head.types[:-1])
    result = _aggregate(body, kind, value, body.some(NUMBER) if kind in CHOSEN_BY else None, None)
    return Rule(Atom(head.name, (*group, result)), tuple(body.literals))


def _aggregate(
    body: Body, kind: str, value: Term | None, by: Term | None, inner: tuple[Literal, ...] | None
) -> Aggregate:
    """An aggregate of a value, with a second argument where the kind has one; some count each value once."""
    if kind == "quantile":
        by = Const(body.rng.choice([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), FLOAT)
    if kind == "string_agg":
        by = Const(body.rng.choice(["", ",", ", "]), SYMBOL)
    if value is not None and by is not None:
        value = Call(ARGUMENTS, (value, by))
    return Aggregate(kind, value, inner, distinct=value is not None and body.chance("whole_groups", 0.2))


def _head_argument(body: Body, type_: str) -> Term:
    if type_ == NUMBER and body.bound[NUMBER] and body.chance("head_expressions", 0.15):
        return Call("%", (Call("+", (body.some(NUMBER), _ONE)), Const(5, NUMBER)))
    return random_constant(body.rng, type_) if body.chance("constants", 0.05) else body.some(type_)


def add_atom(body: Body) -> None:
    """Add one more positive atom, sometimes over the relation of the previous one."""
    last = body.literals[-1] if body.literals else None
    again = [r for r in body.readable if isinstance(last, Atom) and r.name == last.predicate]
    relation = again[0] if again and body.chance("self_joins", 0.3) else body.rng.choice(body.readable)
    body.add(Atom(relation.name, tuple(body.argument(type_) for type_ in relation.types)))


def add_comparison(body: Body) -> None:
    type_ = body.rng.choice([t for t in body.bound if body.bound[t]] or [NUMBER])
    ops = ("=", "!=", "<", "<=", ">", ">=") if type_ in ORDERED_TYPES else ("=", "!=")
    constant = body.chance("constants", 0.4)
    right = random_constant(body.rng, type_) if constant else body.some(type_)
    body.compare(body.rng.choice(ops), body.some(type_), right)


def add_arithmetic(body: Body) -> None:
    """Add a new number computed from two old ones, kept in the domain by a remainder or by two comparisons."""
    left, right = body.some(NUMBER), body.rng.choice([body.some(NUMBER), random_constant(body.rng, NUMBER)])
    term: Term = Call(body.rng.choice(_ARITHMETIC), (left, right))
    if body.rng.random() < 0.2:
        term = Call("/", (term, Const(2, NUMBER)))
    if body.rng.random() < 0.2:
        term = Call(body.rng.choice(["-", "bnot", "lnot"]), (term,))
    if body.rng.random() < 0.5:
        term = Call("%", (term, Const(7, NUMBER)))
        body.compare("=", body.bind(NUMBER), term)
    else:
        _add_guarded(body, term, NUMBER, SMALLEST, GREATEST)


def _add_guarded(body: Body, term: Term, type_: str, low: float, high: float) -> None:
    result = Var(body.fresh())
    body.compare("=", result, term)
    body.compare(">=", result, Const(low, type_))
    body.compare("<=", result, Const(high, type_))
    body.bound[type_].append(result.name)


def add_range(body: Body) -> None:
    bounds = body.rng.choice([(0, 3), (3, 0), (1, 6, 2)])
    body.compare("=", body.bind(NUMBER), Call("range", tuple(Const(bound, NUMBER) for bound in bounds)))


def add_text(body: Body) -> None:
    """Add a test or an assignment with a string function."""
    text, other = body.some(SYMBOL), body.some(SYMBOL)
    short = Const(TEXT_LENGTH, NUMBER)
    match body.rng.randrange(11):
        case 0:
            joined = Var(body.fresh())
            body.compare("=", joined, Call("cat", (text, other)))
            body.compare("<=", Call("strlen", (joined,)), short)
            body.bound[SYMBOL].append(joined.name)
        case 1:
            body.compare("=", body.bind(SYMBOL), Call("substr", (text, _ZERO, _ONE)))
        case 2:
            body.compare("=", body.bind(NUMBER), Call("strlen", (text,)))
        case 3:
            body.compare("=", Call("contains", (text, other)), Const(body.rng.choice([0, 1]), NUMBER))
        case 4:
            body.compare("=", Call("match", (Const("a.*", SYMBOL), text)), _ONE)
        case 5:
            body.compare("=", body.bind(SYMBOL), Call("to_string", (body.some(NUMBER),)))
        case 6:
            body.compare("!=", Call("ord", (text,)), Call("ord", (other,)))
        case _:
            _add_everyday_text(body, text, other)


_TESTS = ("starts_with", "ends_with", "regex_find")


def _add_everyday_text(body: Body, text: Term, other: Term) -> None:
    """Functions whose texts are not longer than their arguments, and tests: the values of a program stay finite."""
    a, b = Const("a", SYMBOL), Const("b", SYMBOL)
    parts = Call("split", (text, a))
    match body.rng.randrange(8):
        case 0:
            body.compare("=", body.bind(SYMBOL), Call(body.rng.choice(["lower", "upper", "trim"]), (text,)))
        case 1:
            body.compare("=", body.bind(SYMBOL), Call("replace", (text, a, b)))
        case 2:
            body.compare("=", Call(body.rng.choice(_TESTS), (text, other)), Const(body.rng.choice([0, 1]), NUMBER))
        case 3:
            body.compare("=", body.bind(SYMBOL), Call("elements", (parts,)))
        case 4:
            body.compare("=", body.bind(SYMBOL), Call("join", (parts, b)))
        case 5:
            groups = Const(body.rng.choice(["(a*)(b?)", "(b)|a"]), SYMBOL), text
            body.compare("=", body.bind(SYMBOL), Call("regex_group", (*groups, _ONE)))
        case 6:
            body.compare("=", body.bind(NUMBER), Call("edit_distance", (text, other)))
        case _:
            body.compare("!=", Call("json_get", (Call("json_array", (text, other)), _FIRST)), other)


def add_list(body: Body) -> None:
    """Add a test or an assignment with a list function."""
    elements, number = body.some(LIST), body.some(NUMBER)
    match body.rng.randrange(6):
        case 0:
            body.compare("=", body.bind(LIST), Call("f_init", (number, body.some(NUMBER))))
        case 1:
            _short_list(body, Call("f_append", (elements, number)))
        case 2:
            body.compare("=", Call("f_inPath", (elements, number)), _ZERO)
            _short_list(body, Call("f_concat", (number, elements)))
        case 3:
            body.compare("=", body.bind(NUMBER), Call("f_size", (elements,)))
        case 4:
            body.compare("=", Call("f_member", (elements, number)), _ONE)
        case _:
            end = Call(body.rng.choice(["f_first", "f_last"]), (Call("f_concat", (number, elements)),))
            body.compare("=", number, end)


def _short_list(body: Body, term: Term) -> None:
    result = Var(body.fresh())
    body.compare("=", result, term)
    body.compare("<=", Call("f_size", (result,)), Const(LIST_LENGTH, NUMBER))
    body.bound[LIST].append(result.name)


def add_float(body: Body) -> None:
    term = Call(body.rng.choice(["+", "-"]), (body.some(FLOAT), Const(0.5, FLOAT)))
    _add_guarded(body, term, FLOAT, -3.0, 3.0)


def add_unsigned(body: Body) -> None:
    term = Call(body.rng.choice(["+", "bor", "bxor", "max"]), (body.some(UNSIGNED), Const(1, UNSIGNED)))
    _add_guarded(body, term, UNSIGNED, 0, GREATEST)


def add_negation(body: Body) -> None:
    if body.negatable:
        relation = body.rng.choice(body.negatable)
        args = tuple(body.test_argument(type_, "negated_wildcards") for type_ in relation.types)
        body.add(Negation(Atom(relation.name, args)))


def add_disjunction(body: Body) -> None:
    """Add a disjunction of two branches; either both only test, or both bind one new number."""
    bound = Var(body.fresh()) if body.rng.random() < 0.5 else None
    branches = [_branch(body, bound) for _ in range(2)]
    if all(branches):
        body.add(Disjunction(tuple((branch,) for branch in branches if branch)))
        if bound is not None:
            body.bound[NUMBER].append(bound.name)


def _branch(body: Body, bound: Var | None) -> Literal | None:
    fitting = [r for r in body.readable if bound is None or NUMBER in r.types]
    if not fitting:
        return None
    relation = body.rng.choice(fitting)
    args = [body.test_argument(type_, "wildcards") for type_ in relation.types]
    if bound is not None:
        args[body.rng.choice([i for i, type_ in enumerate(relation.types) if type_ == NUMBER])] = bound
    return Atom(relation.name, tuple(args))


def add_body_aggregate(body: Body) -> None:
    """A new number (or text, or float) that an aggregate computes over a relation, grouped by bound variables."""
    fitting = [r for r in body.negatable if set(r.types) & {NUMBER, FLOAT}]
    if not fitting:
        return
    relation = body.rng.choice(fitting)
    kind = body.rng.choice(["count", "sum", "min", "max", "mean"])
    if body.chance("whole_groups", 0.4):
        kind = body.rng.choice(["median", "quantile", "argmin", "argmax", "collect", *VARIANCES])
    column = body.rng.choice([i for i, type_ in enumerate(relation.types) if type_ in (NUMBER, FLOAT)])
    args = [body.test_argument(type_, "wildcards") for type_ in relation.types]
    args[column] = Var(body.fresh())
    result = {"count": NUMBER, "mean": FLOAT, **AGGREGATE_RESULTS}.get(kind, relation.types[column])
    if result == LIST and "lists" not in body.features:
        return
    chosen = kind in CHOSEN_BY
    if chosen:
        by = body.rng.choice([i for i, type_ in enumerate(relation.types) if type_ in ORDERED_TYPES])
        args[by] = args[by] if by == column else Var(body.fresh())
    value = None if kind == "count" else args[column]
    compared = args[by] if chosen else None
    inner: list[Literal] = [Atom(relation.name, tuple(args))]
    if body.chance("comparisons", 0.3):
        inner.append(Comparison(">", args[column], Const(0, relation.types[column])))
    asking = body.bound[relation.types[column]]
    if asking and body.chance("asked_groups", 0.5):  # the group is bound outside, perhaps only by the recursion
        inner.append(Comparison(body.rng.choice(["<", "<=", "!=", ">"]), args[column], Var(body.rng.choice(asking))))
    body.compare("=", body.bind(result), _aggregate(body, kind, value, compared, tuple(inner)))


EXTRAS: dict[str, Callable[[Body], None]] = {
    "comparisons": add_comparison,
    "arithmetic": add_arithmetic,
    "ranges": add_range,
    "symbols": add_text,
    "lists": add_list,
    "floats": add_float,
    "unsigned": add_unsigned,
    "negation": add_negation,
    "disjunction": add_disjunction,
    "body_aggregates": add_body_aggregate,
}
