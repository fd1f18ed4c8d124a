"""The operators and functions of SPARQL on RDF terms, under the names that SPARQL gives them.

Law: these functions are total on terms. The empty text is what is unbound, and what SPARQL calls an error; so is the
result if an argument is an error, except where SPARQL defines another one (`||`, `&&`, `IN`, `COALESCE`, `IF`,
`BOUND`). Results are canonical terms; truth is a literal of `xsd:boolean`. Values and their order are those of `rdf`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from tidelog.errors import EvaluationError
from tidelog.program.functions import calendar, rdf
from tidelog.program.functions.patterns import compiled
from tidelog.program.functions.rdf_terms import STRING_TYPE, XSD, LiteralParts, literal_parts
from tidelog.program.messages import program_failures as failures
from tidelog.program.values.term import DATE, NUMBER, TIMESTAMP

ERROR = ""
TRUE, FALSE = f'"true"^^<{XSD}boolean>', f'"false"^^<{XSD}boolean>'
_DECIMAL, _INTEGER = f"{XSD}decimal", f"{XSD}integer"
_RANKS = {_INTEGER: 0, _DECIMAL: 1, f"{XSD}float": 2, f"{XSD}double": 3}
_DIGITS = Context(prec=28)


def apply(name: str, *terms: str) -> str:
    """The result of an operator or a function on terms.

    >>> apply("+", f'"1"^^<{XSD}integer>', f'"0.5"^^<{XSD}decimal>')
    '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'
    >>> apply("STRLEN", '"tide"@en'), apply("STRLEN", "<urn:a>"), apply("COALESCE", "", "<urn:a>")
    ('"4"^^<http://www.w3.org/2001/XMLSchema#integer>', '', '<urn:a>')
    """
    found = _LENIENT.get(name)
    if found is not None and _fits(found, terms):
        return found[0](*terms)
    found = _STRICT.get(name)
    if found is None or not _fits(found, terms):
        problem = f"SPARQL has no {name!r} with {len(terms)} arguments that is supported here"
        raise failures.FUNCTION_ARGUMENT.error(function="sparql", problem=problem)
    return ERROR if ERROR in terms else found[0](*terms)


def fold(name: str, terms: tuple[str, ...]) -> str:
    """The result of an aggregate over terms; what is unbound is left out.

    >>> fold("SUM", (f'"1"^^<{XSD}integer>', f'"2"^^<{XSD}integer>')), fold("MIN", ('"b"', '"a"'))
    ('"3"^^<http://www.w3.org/2001/XMLSchema#integer>', '"a"')
    """
    if name not in _FOLDS:
        raise failures.FUNCTION_ARGUMENT.error(function="sparql_fold", problem=f"{name!r} is not one of {[*_FOLDS]}")
    return _FOLDS[name]([term for term in terms if term != ERROR])


def join(terms: tuple[str, ...], separator: str) -> str:
    """The texts of terms in order, with a separator between them, as a literal: `GROUP_CONCAT`."""
    texts = [_text_of(term) for term in terms if term != ERROR]
    return ERROR if ERROR in texts else rdf.make_text(separator.join(map(_lexical, texts)))


def is_true(term: str) -> bool | None:
    """The effective boolean value of a term; None if it has none."""
    parts = literal_parts(term) if term[:1] == '"' else None
    if parts is None:
        return None
    if parts.tag or parts.datatype == STRING_TYPE:
        return parts.text != ""
    value = rdf._value(term)
    if value is None:
        return False if parts.datatype == f"{XSD}boolean" or parts.datatype in rdf._FORMS else None
    if value.kind in (NUMBER, "boolean"):
        return value.value == value.value and value.value != 0
    return None


def order(left: str, right: str) -> int:
    """-1, 0 or 1 by `ORDER BY`: unbound, blank nodes, IRIs, then literals by value where SPARQL compares them.

    >>> sorted(['"b"', "<urn:b>", "", "_:x", '"a"'], key=cmp_to_key(order))
    ['', '_:x', '<urn:b>', '"a"', '"b"']
    """
    kinds: list[Any] = [_PLACES[term[:1]] for term in (left, right)]
    if kinds[0] == kinds[1] == 3:
        values = [rdf._value(term) for term in (left, right)]
        kinds = ["" if value is None else value.kind for value in values]
        if kinds[0] == kinds[1] and values[0] is not None:
            found = rdf.compare(left, right)
            if found in (-1, 1):
                return found
            if found == rdf.UNORDERED:
                kinds = [rdf.compare(term, term) for term in (left, right)]
    a, b = (kinds[0], left), (kinds[1], right)
    return int(a > b) - int(a < b)


ORDER = cmp_to_key(order)
_PLACES = {"": 0, "_": 1, "<": 2, '"': 3}


def _truth(value: bool) -> str:
    return TRUE if value else FALSE


def _equal(left: str, right: str) -> str:
    found = rdf.equals(left, right)
    return ERROR if found == rdf.INCOMPARABLE else _truth(found == 1)


def _not(term: str) -> str:
    found = is_true(term)
    return ERROR if found is None else _truth(not found)


def _comparing(*orders: int) -> Callable[[str, str], str]:
    def compare(left: str, right: str) -> str:
        found = rdf.compare(left, right)
        return ERROR if found == rdf.INCOMPARABLE else _truth(found in orders)

    return compare


def _any(terms: Iterable[str], wanted: bool) -> str:
    """`||` and, with False, `&&`: one term decides, otherwise an error is an error."""
    found = {is_true(term) for term in terms}
    return _truth(wanted) if wanted in found else ERROR if None in found else _truth(not wanted)


def _in(term: str, *others: str) -> str:
    return _any([_equal(term, other) if ERROR not in (term, other) else ERROR for other in others], True)


def _if(condition: str, then: str, other: str) -> str:
    found = is_true(condition)
    return ERROR if found is None else then if found else other


def _number(term: str) -> tuple[Fraction | float, str] | None:
    """The value of a number and its type, of the four that arithmetic distinguishes."""
    value, parts = rdf._value(rdf._term(term)), literal_parts(term)
    if value is None or parts is None or value.kind != NUMBER or isinstance(value.value, str):
        return None
    number = value.value if isinstance(value.value, float) else Fraction(value.value)
    return number, parts.datatype if parts.datatype in _RANKS else _INTEGER


def _literal(value: Fraction | float, type_: str) -> str:
    if type_ == _INTEGER:
        return str(LiteralParts(str(int(value)), type_))
    if type_ == _DECIMAL:
        exact = Fraction(value)
        shown = format(_DIGITS.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(_DIGITS), "f")
        return str(LiteralParts(shown, type_))
    return str(LiteralParts(rdf._double_text(rdf._as_float(value)), type_))


def _arithmetic(compute: Callable[[Any, Any], Any]) -> Callable[[str, str], str]:
    def evaluate(left: str, right: str) -> str:
        one, other = _number(left), _number(right)
        if one is None or other is None:
            return ERROR
        type_ = max(one[1], other[1], key=_RANKS.__getitem__)
        if compute is _divide and type_ == _INTEGER:
            type_ = _DECIMAL
        a, b = (rdf._as_float(v) if _RANKS[type_] > 1 else v for v in (one[0], other[0]))
        found = compute(a, b)
        return ERROR if found is None else _literal(found, type_)

    return evaluate


def _divide(a: Any, b: Any) -> Any:
    if b != 0:
        return a / b
    if isinstance(a, Fraction):
        return None
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _rounding(compute: Callable[[Any], Any]) -> Callable[[str], str]:
    def evaluate(term: str) -> str:
        number = _number(term)
        if number is None:
            return ERROR
        finite = not isinstance(number[0], float) or math.isfinite(number[0])
        return _literal(compute(number[0]) if finite or compute is abs else number[0], number[1])

    return evaluate


def _text_of(term: str) -> str:
    """`STR`: the text of a literal or an IRI as a plain literal; a blank node has none."""
    return ERROR if rdf._term(term)[0] == "_" else rdf.make_text(rdf.to_text(term))


def _string(term: str) -> LiteralParts | None:
    """A plain literal or one with a language: what functions on strings accept."""
    parts = literal_parts(rdf._term(term))
    return parts if parts is not None and (parts.tag or parts.datatype == STRING_TYPE) else None


def _lexical(term: str) -> str:
    parts = _string(term)
    assert parts is not None, "a literal made by `STR`"
    return parts.text


def _on_string(compute: Callable[[LiteralParts], str]) -> Callable[[str], str]:
    def evaluate(term: str) -> str:
        parts = _string(term)
        return ERROR if parts is None else compute(parts)

    return evaluate


def _on_strings(compute: Callable[[LiteralParts, str], str]) -> Callable[[str, str], str]:
    """A function of a string and another one that is plain or has the same language."""

    def evaluate(left: str, right: str) -> str:
        one, other = _string(left), _string(right)
        if one is None or other is None or (other.tag and other.tag != one.tag):
            return ERROR
        return compute(one, other.text)

    return evaluate


def _before(one: LiteralParts, other: str) -> str:
    at = one.text.find(other)  # 0 for an empty text
    return '""' if at < 0 else str(one._replace(text=one.text[:at]))


def _after(one: LiteralParts, other: str) -> str:
    at = one.text.find(other)
    return '""' if at < 0 else str(one._replace(text=one.text[at + len(other) :]))


def _concatenate(*terms: str) -> str:
    parts = [_string(term) for term in terms]
    if None in parts:
        return ERROR
    tags = {part.tag for part in parts if part is not None}
    text = "".join(part.text for part in parts if part is not None)
    tag = tags.pop() if len(tags) == 1 else ""
    return str(LiteralParts(text, "" if tag else STRING_TYPE, tag))


def _substring(term: str, start: str, length: str | None = None) -> str:
    parts, first = _string(term), _number(start)
    count = None if length is None else _number(length)
    if parts is None or first is None or (length is not None and count is None):
        return ERROR
    limits = [first[0], math.inf if count is None else count[0]]
    if any(limit != limit for limit in limits):
        return str(parts._replace(text=""))
    begin = _round(limits[0])
    end = begin + _round(limits[1])
    return str(parts._replace(text="".join(c for i, c in enumerate(parts.text, 1) if begin <= i < end)))


def _round(value: Any) -> Any:
    return value if isinstance(value, float) and not math.isfinite(value) else math.floor(value + Fraction(1, 2))


def _regex(term: str, pattern: str, flags: str = '""') -> str:
    parts, text, given = _string(term), _string(pattern), _string(flags)
    if parts is None or text is None or given is None or given.text not in ("", "i"):
        return ERROR
    try:
        return _truth(bool(compiled(text.text, ignores_case=given.text == "i").found_in(parts.text)))
    except EvaluationError:  # the pattern is not valid
        return ERROR


def _language_matches(tag: str, wanted: str) -> str:
    one, other = _string(tag), _string(wanted)
    if one is None or other is None:
        return ERROR
    found, asked = one.text.lower(), other.text.lower()
    return _truth(found != "" if asked == "*" else found == asked or found.startswith(f"{asked}-"))


def _datatype(term: str) -> str:
    return rdf.datatype(term) or ERROR


def _language(term: str) -> str:
    return rdf.make_text(rdf.language(term)) if rdf._term(term)[0] == '"' else ERROR


def _with_language(term: str, tag: str) -> str:
    parts, other = _string(term), _string(tag)
    if parts is None or other is None or parts.tag or not rdf._TAG.fullmatch(other.text):
        return ERROR
    return rdf.make_literal(parts.text, other.text)


def _with_type(term: str, type_: str) -> str:
    parts = _string(term)
    return ERROR if parts is None or parts.tag or type_[0] != "<" else str(LiteralParts(parts.text, type_[1:-1]))


def _iri(term: str) -> str:
    if rdf._term(term)[0] == "<":
        return term
    parts = _string(term)
    try:
        return ERROR if parts is None or parts.tag else rdf.make_iri(parts.text)
    except EvaluationError:
        return ERROR


def _part_of_date(place: int) -> Callable[[str], str]:
    """The year, month or day of a date or time as it is written, in its own zone."""

    def evaluate(term: str) -> str:
        value = rdf._value(rdf._term(term))
        if value is None or value.kind not in (DATE, TIMESTAMP):
            return ERROR
        return rdf.from_integer(calendar.civil(calendar.read_date(rdf.to_text(term).strip()[:10]))[place])

    return evaluate


def _test(test: Callable[[str], int]) -> Callable[[str], str]:
    return lambda term: _truth(bool(test(term)))


def _sum(terms: Sequence[str]) -> str:
    numbers = [_number(term) for term in terms]
    type_ = max((n[1] for n in numbers if n is not None), key=_RANKS.__getitem__, default=_INTEGER)
    if None in numbers:
        return ERROR
    values = [n[0] for n in numbers if n is not None]
    if _RANKS[type_] < 2:
        return _literal(sum((Fraction(value) for value in values), Fraction(0)), type_)
    floats = [rdf._as_float(value) for value in values]
    try:
        return _literal(math.fsum(floats), type_)
    except (OverflowError, ValueError):  # infinities of both signs, or a sum outside the floats
        return _literal(sum(floats), type_)


def _mean(terms: Sequence[str]) -> str:
    return apply("/", _sum(terms), rdf.from_integer(len(terms))) if terms else rdf.from_integer(0)


def _extreme(choose: Callable[..., str]) -> Callable[[Sequence[str]], str]:
    return lambda terms: choose(sorted(terms), key=ORDER) if terms else ERROR


_FOLDS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "SUM": _sum,
    "AVG": _mean,
    "MIN": _extreme(min),
    "MAX": _extreme(max),
    "SAMPLE": lambda terms: min(terms, default=ERROR),
}
_Entry = tuple[Callable[..., str], int, int | None]
_LENIENT: Mapping[str, _Entry] = {  # functions that read errors, with their least and greatest numbers of arguments
    "||": (lambda *terms: _any(terms, True), 2, None),
    "&&": (lambda *terms: _any(terms, False), 2, None),
    "IN": (_in, 1, None),
    "NOT IN": (lambda *terms: _not(_in(*terms)), 1, None),
    "IF": (_if, 3, 3),
    "COALESCE": (lambda *terms: next((term for term in terms if term != ERROR), ERROR), 1, None),
    "BOUND": (lambda term: _truth(term != ERROR), 1, 1),
}
_STRICT: Mapping[str, _Entry] = {
    "!": (_not, 1, 1),
    "=": (_equal, 2, 2),
    "!=": (lambda left, right: _not(found) if (found := _equal(left, right)) else ERROR, 2, 2),
    "<": (_comparing(-1), 2, 2),
    ">": (_comparing(1), 2, 2),
    "<=": (_comparing(-1, 0), 2, 2),
    ">=": (_comparing(1, 0), 2, 2),
    "+": (_arithmetic(lambda a, b: a + b), 2, 2),
    "-": (_arithmetic(lambda a, b: a - b), 2, 2),
    "*": (_arithmetic(lambda a, b: a * b), 2, 2),
    "/": (_arithmetic(_divide), 2, 2),
    "NEGATE": (_rounding(lambda value: -value), 1, 1),
    "ABS": (_rounding(abs), 1, 1),
    "CEIL": (_rounding(math.ceil), 1, 1),
    "FLOOR": (_rounding(math.floor), 1, 1),
    "ROUND": (_rounding(_round), 1, 1),
    "STR": (_text_of, 1, 1),
    "LANG": (_language, 1, 1),
    "LANGMATCHES": (_language_matches, 2, 2),
    "DATATYPE": (_datatype, 1, 1),
    "IRI": (_iri, 1, 1),
    "STRLANG": (_with_language, 2, 2),
    "STRDT": (_with_type, 2, 2),
    "SAMETERM": (lambda left, right: _truth(left == right), 2, 2),
    "ISIRI": (_test(rdf.is_iri), 1, 1),
    "ISBLANK": (_test(rdf.is_blank), 1, 1),
    "ISLITERAL": (_test(rdf.is_literal), 1, 1),
    "ISNUMERIC": (_test(rdf.is_number), 1, 1),
    "STRLEN": (_on_string(lambda parts: rdf.from_integer(len(parts.text))), 1, 1),
    "UCASE": (_on_string(lambda parts: str(parts._replace(text=parts.text.upper()))), 1, 1),
    "LCASE": (_on_string(lambda parts: str(parts._replace(text=parts.text.lower()))), 1, 1),
    "CONTAINS": (_on_strings(lambda one, other: _truth(other in one.text)), 2, 2),
    "STRSTARTS": (_on_strings(lambda one, other: _truth(one.text.startswith(other))), 2, 2),
    "STRENDS": (_on_strings(lambda one, other: _truth(one.text.endswith(other))), 2, 2),
    "STRBEFORE": (_on_strings(_before), 2, 2),
    "STRAFTER": (_on_strings(_after), 2, 2),
    "CONCAT": (_concatenate, 0, None),
    "SUBSTR": (_substring, 2, 3),
    "REGEX": (_regex, 2, 3),
    "YEAR": (_part_of_date(0), 1, 1),
    "MONTH": (_part_of_date(1), 1, 1),
    "DAY": (_part_of_date(2), 1, 1),
}
NAMES = frozenset({*_LENIENT, *_STRICT})


def _fits(entry: _Entry, terms: Sequence[str]) -> bool:
    return entry[1] <= len(terms) and (entry[2] is None or len(terms) <= entry[2])
