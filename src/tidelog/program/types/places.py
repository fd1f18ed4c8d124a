"""The places of a program (columns, variables and terms), and which of them have the same type.

Law: places that are united have one type. If two types conflict, both are reported, with the places that they come from
(TL401).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from tidelog.errors import Diagnostic, Span
from tidelog.program.functions.calendar import EXAMPLES
from tidelog.program.functions.table import Function
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.signatures import Signature, summarize
from tidelog.program.types.structures import Structures
from tidelog.program.types.unify import DEFAULTS, INTEGER, Classes, Reason
from tidelog.program.values.schema import BASE_TYPES
from tidelog.program.values.term import BOOLEAN, DATE, SYMBOL, TIMESTAMP, Call

_DIGITS_OF_A_DATE = re.compile(r"([0-9]{4})\s*-\s*([0-9]{1,2})\s*-\s*([0-9]{1,2})")


class Demand(NamedTuple):
    """A place whose type, once known, must be one of some; otherwise ``finding`` is reported."""

    place: int
    types: frozenset[str]
    finding: Callable[[str], Diagnostic]


@dataclass(slots=True)
class Places:
    """The places of a program, their classes, and the findings about them."""

    functions: Mapping[str, tuple[Function, ...]]
    arity: Mapping[str, int]
    base: Callable[[str], str | None] = lambda _: None  # the base type of a type's name
    classes: Classes = field(default_factory=Classes)
    findings: list[Diagnostic] = field(default_factory=list)
    columns: dict[str, list[int]] = field(default_factory=dict)
    demands: list[Demand] = field(default_factory=list)
    listed: list[tuple[int, Span | None]] = field(default_factory=list)  # places of elements of lists
    structures: Structures = field(default_factory=Structures)
    signatures: dict[tuple[str, int], Signature | None] = field(default_factory=dict)  # of the functions used so far

    def signature(self, name: str, count: int) -> Signature | None:
        """The signature of a function at this number of arguments; None if there is none."""
        key = (name, count)
        if key not in self.signatures:
            self.signatures[key] = summarize(self.functions.get(name, ()), count)
        return self.signatures[key]

    def column_places(self, relation: str) -> list[int]:
        """The places of the relation's columns."""
        places = self.columns.get(relation)
        if places is None:
            places = [self.classes.fresh() for _ in range(self.arity.get(relation, 0))]
            self.columns[relation] = places
        return places

    def no_structure(self, place: int, span: Span | None, where: str) -> None:
        """Refuse records and variants, which do not show their type, where values of any other type are accepted."""
        if self.structures.any:
            self.demands.append(Demand(place, frozenset(BASE_TYPES), partial(_untyped_place, span, where)))

    def in_list(self, places: Iterable[int], call: Call) -> None:
        """Record elements of lists, which do not keep their types: a date in a list would be a number (TL413)."""
        self.listed += ((place, arg.span or call.span) for place, arg in zip(places, call.args, strict=True))

    def unite(self, first: int, second: int, span: Span | None, what: str) -> None:
        """Record that two places hold values of one type."""
        classes = self.classes
        if not classes.unite(first, second):
            reasons = (classes.reason(first), classes.reason(second))
            self.report_conflict(reasons, (classes.type(first), classes.type(second)), span, what)

    def conflict(self, place: int, type_: str, span: Span | None, what: str) -> None:
        """Report that a place that has a type gets another one, at ``span``."""
        self.report_conflict([self.classes.reason(place)], (self.classes.type(place), type_), span, what)

    def report_conflict(
        self, reasons: Iterable[Reason | None], types: Iterable[str | None], span: Span | None, what: str
    ) -> None:
        """Report both types, and the place that each comes from."""
        related = related_places(reasons, span)
        found = (first, second) = tuple(type_name(t) for t in types)
        hint = _conflict_hint(frozenset(found), span)
        self.findings.append(diagnose("TL401", span, hint=hint, related=related, what=what, first=first, second=second))


def _conflict_hint(types: frozenset[str], span: Span | None) -> str | None:
    """How to write a date, a timestamp or a truth value that is expected; None if there is no special hint."""
    if types == {DATE, TIMESTAMP}:
        return "Convert with `date(T)` or `to_timestamp(D)`."
    expected = next((type_ for type_ in (DATE, TIMESTAMP, BOOLEAN) if type_ in types), None)
    if expected is None:
        return None
    digits = _DIGITS_OF_A_DATE.search(span.text) if span is not None and '"' not in span.text else None
    if digits is not None and expected == DATE:
        year, month, day = digits.groups()
        return f'`{digits[0]}` is a subtraction. Write `date("{year}-{month:0>2}-{day:0>2}")`.'
    if expected == BOOLEAN:
        return "Write `true` or `false`."
    written = f"Write a {expected} as `{EXAMPLES[expected]}`"
    return f"{written}, or convert the text with `to_{expected}`." if SYMBOL in types else f"{written}."


def type_name(type_: str | None) -> str:
    """The name of a type in messages."""
    return "unknown" if type_ is None else "number" if type_ == INTEGER else DEFAULTS.get(type_, type_).lstrip("'")


def related_places(reasons: Iterable[Reason | None], span: Span | None) -> list[tuple[str, Span]]:
    """The origins of types, as shown in a diagnostic."""
    places = [(r.text, r.span) for r in reasons if r is not None and r.span is not None and r.span != span]
    return list(dict.fromkeys(places))


def _untyped_place(span: Span | None, where: str, types: str) -> Diagnostic:
    return diagnose("TL425", span, where=where, found=types)
