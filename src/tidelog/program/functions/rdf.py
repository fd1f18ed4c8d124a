"""Functions on RDF terms in symbols: the kind of a term, the values of literals, and terms made from values.

Law: a term is the symbol that files of RDF yield (`rdf_terms`); every other text is refused. A reader returns the value
that the datatype of XML Schema defines, or is an error; a time without a zone is not changed. Created terms are
canonical. Comparison follows SPARQL: numbers by value regardless of their types, texts and times with their own kind,
and terms that cannot be compared are neither less nor equal.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, NoReturn

from tidelog.program.functions import calendar
from tidelog.program.functions.arithmetic import in_range
from tidelog.program.functions.rdf_terms import (
    STRING_TYPE,
    XSD,
    LiteralParts,
    canonical_term,
    iri_text,
    is_absolute,
    literal_parts,
)
from tidelog.program.messages import program_failures as failures
from tidelog.program.values.term import DATE, NUMBER, TIMESTAMP, canonical_float

LESS, EQUAL, GREATER, INCOMPARABLE, UNORDERED = -1, 0, 1, 2, 3
SHOWN, KEPT = 80, 1 << 12
_WHOLE = (
    "integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger",
    "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
)  # fmt: skip
_FORMS = {
    **{f"{XSD}{name}": re.compile(r"[+-]?[0-9]+") for name in _WHOLE},
    f"{XSD}decimal": re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"),
    **{
        f"{XSD}{name}": re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN")
        for name in ("float", "double")
    },
}
_SPACE = re.compile("[ \t\n\r]+")
_BOOLEANS = {"true": 1, "1": 1, "false": 0, "0": 0}
_TAG = re.compile(r"[a-zA-Z]+(?:-[a-zA-Z0-9]+)*")
_ZONE = re.compile(r"Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00)")


class _Value(NamedTuple):
    """A value that can be compared with those of its kind."""

    kind: str
    value: Fraction | float | int | str


def is_iri(term: str) -> int:
    """1 if the term is an IRI, else 0."""
    return int(_term(term)[0] == "<")


def is_blank(term: str) -> int:
    """1 if the term is a blank node, else 0."""
    return int(_term(term)[0] == "_")


def is_literal(term: str) -> int:
    """1 if the term is a literal, else 0."""
    return int(_term(term)[0] == '"')


def is_number(term: str) -> int:
    """1 if the term is a valid literal of a numeric type, else 0."""
    value = _value(_term(term))
    return int(value is not None and value.kind == NUMBER)


def is_date(term: str) -> int:
    """1 if the term is a valid literal of type `xsd:date`, else 0."""
    return int(_value_of(term, DATE) is not None)


def is_timestamp(term: str) -> int:
    """1 if the term is a valid literal of type `xsd:dateTime`, else 0."""
    return int(_value_of(term, TIMESTAMP) is not None)


def to_text(term: str) -> str:
    """The lexical form of a literal, the IRI without brackets; a blank node as it is.

    >>> to_text('"chat"@fr'), to_text("<urn:a>"), to_text("_:b1")
    ('chat', 'urn:a', '_:b1')
    """
    parts = literal_parts(_term(term))
    return parts.text if parts is not None else term[1:-1] if term[0] == "<" else term


def language(term: str) -> str:
    """The language tag of a literal; empty without one."""
    parts = literal_parts(_term(term))
    return "" if parts is None else parts.tag


def datatype(term: str) -> str:
    """The datatype of a literal as a term; empty for other terms.

    >>> datatype('"a"'), datatype("<urn:a>")
    ('<http://www.w3.org/2001/XMLSchema#string>', '')
    """
    parts = literal_parts(_term(term))
    return "" if parts is None else f"<{parts.datatype}>"


def to_number(term: str) -> int:
    """The value of a numeric literal that is whole.

    >>> to_number(f'"+07"^^<{XSD}integer>'), to_number(f'"2.0"^^<{XSD}decimal>')
    (7, 2)
    """
    value = _value_of(term, NUMBER)
    if value is None or (isinstance(value, float) and not math.isfinite(value)) or value != int(value):
        _refuse("rdf_number", term, "a whole number")
    return in_range(int(value), NUMBER)


def to_float(term: str) -> float:
    """The value of a numeric literal, rounded to the nearest float.

    >>> to_float(f'"2.50"^^<{XSD}decimal>'), to_float(f'"-INF"^^<{XSD}double>')
    (2.5, -inf)
    """
    value = _value_of(term, NUMBER)
    if value is None:
        _refuse("rdf_float", term, "a number")
    return _as_float(value)


def to_boolean(term: str) -> int:
    """The value of a literal of type `xsd:boolean`."""
    value = _value_of(term, "boolean")
    if value is None:
        _refuse("rdf_boolean", term, "a boolean")
    return int(value)


def to_date(term: str) -> int:
    """The value of a literal of type `xsd:date`; its zone is dropped."""
    value = _value_of(term, DATE)
    if value is None:
        _refuse("rdf_date", term, "a date of the years 1 to 9999")
    return int(value)


def to_timestamp(term: str) -> int:
    """The value of a literal of type `xsd:dateTime`, in UTC if it has a zone."""
    value = _value_of(term, TIMESTAMP)
    if value is None:
        _refuse("rdf_timestamp", term, "a time of the years 1 to 9999, with microseconds at most")
    return int(value)


def canonical(term: str) -> str:
    """The canonical text of a term written in any form."""
    found = canonical_term(term)
    if found is None:
        _refuse("rdf_term", term, "a term")
    return found


def make_iri(text: str) -> str:
    """An IRI as a term.

    >>> make_iri("http://a.example/b")
    '<http://a.example/b>'
    """
    found = iri_text(text)
    if found is None or not is_absolute(text):
        problem = f"{_short(text)!r} is not an absolute IRI"
        raise failures.FUNCTION_ARGUMENT.error(function="rdf_iri", problem=problem)
    return found


def make_text(text: str) -> str:
    """A text as a plain literal.

    >>> make_text('say "hi"')
    '"say \\\\"hi\\\\""'
    """
    return str(LiteralParts(text, STRING_TYPE))


def make_literal(text: str, kind: str) -> str:
    """A text with a language tag, or with a datatype, which is a term.

    >>> make_literal("chat", "fr"), make_literal("P1D", "<urn:t>")
    ('"chat"@fr', '"P1D"^^<urn:t>')
    """
    if _TAG.fullmatch(kind):
        return str(LiteralParts(text, "", kind.lower()))
    datatype_ = canonical_term(kind)
    if datatype_ is None or datatype_[0] != "<":
        problem = f"{_short(kind)!r} is neither a language tag nor a datatype such as <{XSD}date>"
        raise failures.FUNCTION_ARGUMENT.error(function="rdf_literal", problem=problem)
    return str(LiteralParts(text, datatype_[1:-1]))


def from_integer(value: int) -> str:
    """An integer as a literal of type `xsd:integer`."""
    return str(LiteralParts(str(value), f"{XSD}integer"))


def from_float(value: float) -> str:
    """A float as a literal of type `xsd:double`, in the form that XML Schema calls canonical.

    >>> from_float(1500.0), from_float(-math.inf)
    ('"1.5E3"^^<http://www.w3.org/2001/XMLSchema#double>', '"-INF"^^<http://www.w3.org/2001/XMLSchema#double>')
    """
    return str(LiteralParts(_double_text(value), f"{XSD}double"))


def from_boolean(value: int) -> str:
    """A boolean as a literal of type `xsd:boolean`."""
    return str(LiteralParts(calendar.TRUTH[value], f"{XSD}boolean"))


def from_date(days: int) -> str:
    """A date as a literal of type `xsd:date`."""
    return str(LiteralParts(calendar.date_text(days), f"{XSD}date"))


def from_timestamp(moment: int) -> str:
    """A timestamp as a literal of type `xsd:dateTime`."""
    return str(LiteralParts(calendar.timestamp_text(moment), f"{XSD}dateTime"))


def compare(left: str, right: str) -> int:
    """-1, 0 or 1: the order of two literals; 2 if SPARQL cannot compare them, 3 if one of two numbers is NaN.

    >>> compare(f'"2"^^<{XSD}integer>', f'"2.5"^^<{XSD}decimal>'), compare('"a"', "<urn:a>")
    (-1, 2)
    """
    a, b = _value(_term(left)), _value(_term(right))
    if a is None or b is None or a.kind != b.kind:
        return INCOMPARABLE
    one, other = _alike(a.value, b.value)
    if one != one or other != other:
        return UNORDERED
    return GREATER if one > other else LESS if one < other else EQUAL  # type: ignore[operator]  # of one kind


def equals(left: str, right: str) -> int:
    """1 if two terms have the same value, 0 if not, 2 if that cannot be decided: a literal of an unknown type.

    >>> equals(f'"1"^^<{XSD}integer>', f'"1.0"^^<{XSD}double>'), equals("<urn:a>", "<urn:b>")
    (1, 0)
    """
    order = compare(left, right)
    if order != INCOMPARABLE:
        return int(order == EQUAL)
    if left == right:
        return 1
    if left[0] != '"' or right[0] != '"':
        return 0
    known = [_value(term) is not None or language(term) != "" for term in (left, right)]
    return 0 if all(known) else INCOMPARABLE


def _alike(left: Fraction | float | int | str, right: Fraction | float | int | str) -> tuple[object, object]:
    """Two values of one kind; an exact number and a float both become floats, as in SPARQL's promotion."""
    if isinstance(left, float) and isinstance(right, Fraction):
        return left, _as_float(right)
    if isinstance(right, float) and isinstance(left, Fraction):
        return _as_float(left), right
    return left, right


def _as_float(value: object) -> float:
    try:
        return canonical_float(float(value))  # type: ignore[arg-type]  # a number
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]  # a number


def _value_of(term: str, kind: str) -> Fraction | float | int | None:
    found = _value(_term(term))
    return None if found is None or found.kind != kind or isinstance(found.value, str) else found.value


@lru_cache(maxsize=KEPT)
def _value(term: str) -> _Value | None:
    """The value of a literal of a type that is known here, if it is valid; None for other terms."""
    parts = literal_parts(term)
    if parts is None or parts.tag:
        return None
    if parts.datatype == STRING_TYPE:
        return _Value("text", parts.text)
    text, form = _SPACE.sub(" ", parts.text).strip(" "), _FORMS.get(parts.datatype)
    if form is not None:
        return _number(text, parts.datatype) if form.fullmatch(text) else None
    if parts.datatype == f"{XSD}boolean":
        return _Value("boolean", _BOOLEANS[text]) if text in _BOOLEANS else None
    try:
        if parts.datatype == f"{XSD}date":
            zone = _ZONE.search(text, 10)
            return _Value(DATE, calendar.read_date(text[: zone.start()] if zone and zone.end() == len(text) else text))
        if parts.datatype == f"{XSD}dateTime" and text[10:11] == "T" and len(text) >= len("2026-06-01T10:00:00"):
            return _Value(TIMESTAMP, calendar.read_timestamp(text)[0])
    except ValueError:
        return None
    return None


def _number(text: str, type_: str) -> _Value | None:
    if type_ in (f"{XSD}double", f"{XSD}float"):
        return _Value(NUMBER, canonical_float(float(text.replace("INF", "inf"))))
    if len(text) > 4096:
        return None
    return _Value(NUMBER, Fraction(text))


def _double_text(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if value != value else "INF" if value > 0 else "-INF"
    sign, shown = "-" if value < 0 else "", repr(abs(value))
    digits, _, power = shown.partition("e")
    whole, _, part = digits.partition(".")
    exponent = int(power or 0) + len(whole) - 1
    figures = whole + part
    leading = len(figures) - len(figures.lstrip("0"))
    figures = figures.strip("0")
    if not figures:
        return f"{sign}0.0E0"
    return f"{sign}{figures[0]}.{figures[1:] or '0'}E{exponent - leading}"


@lru_cache(maxsize=KEPT)
def _term(text: str) -> str:
    """The text, if it is a canonical term."""
    if canonical_term(text) != text:
        problem = "is not a term of RDF" if canonical_term(text) is None else "is not a canonical term; use `rdf_term`"
        raise failures.NOT_A_TERM.error(text=_short(text), problem=problem)
    return text


def _refuse(function: str, term: str, wanted: str) -> NoReturn:
    raise failures.NOT_THE_LITERAL.error(function=function, term=_short(term), wanted=wanted)


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
