"""Lifetimes: facts that expire by the time of an epoch, and tables of a bounded size.

Law (D28): time is data, counted in microseconds. A lifetime applies to asserted facts: the end of a fact is known when
it is inserted, another insertion of the same fact can only postpone it, and derived facts live as long as their
supports. `.lifetime` and NDlog's `materialize`, whose lifetimes are in seconds, mean the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tidelog.errors import Diagnostic, Span
from tidelog.program.graph.asserted_facts import asserted_elsewhere_of
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.values.program import Program

UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
SECOND = UNITS["s"]
EXPIRIES = "__ends_"  # begins the relation with the ends of another's facts: its columns, the end, and the epoch
NOW = "__now"  # the relation that holds the time
TIMESTAMP = "timestamp"


@dataclass(frozen=True, slots=True)
class Retention:
    """How long the facts of a relation live, in microseconds, from the time in a column or from their insertion.

    ``size`` is the maximum number of facts: beyond that, those inserted or refreshed longest ago are removed.
    """

    lifetime: int | None = None
    size: int | None = None
    column: int | None = None


def duration_text(microseconds: int) -> str:
    """A duration in the largest unit that expresses it exactly.

    >>> duration_text(1_800_000_000), duration_text(1_500_000), duration_text(7)
    ('30m', '1500ms', '7us')
    """
    unit = next(unit for unit in reversed(UNITS) if microseconds % UNITS[unit] == 0)
    return f"{microseconds // UNITS[unit]}{unit}"


def retentions(program: Program) -> dict[str, Retention]:
    """The relations whose facts expire.

    >>> from tidelog.program import Lifetime, Materialize
    >>> keys, given = (Materialize("link", 10, 100, (1,)),), (Lifetime("session", 5),)
    >>> for name, retention in retentions(Program(keys=keys, lifetimes=given)).items():
    ...     print(name, retention)
    link Retention(lifetime=10000000, size=100, column=None)
    session Retention(lifetime=5, size=None, column=None)
    """
    found = {
        key.relation: Retention(None if key.lifetime is None else key.lifetime * SECOND, key.size)
        for key in program.keys
        if key.lifetime is not None or key.size is not None
    }
    columns = {d.relation: [column.name for column in d.columns] for d in program.declarations}
    for given in program.lifetimes:
        size, names = found.get(given.relation, Retention()).size, columns.get(given.relation, [])
        column = names.index(given.column) if given.column in names else None
        found[given.relation] = Retention(given.microseconds, size, column)
    return found


def check_lifetimes(program: Program) -> Iterator[Diagnostic]:
    """Report lifetimes that are declared twice, by columns without times, or for facts that are not asserted."""
    yield from _duplicate_lifetimes(program)
    types = {d.relation: {column.name: column.type for column in d.columns} for d in program.declarations}
    for given in program.lifetimes:
        found = types.get(given.relation, {}).get(given.column or "")
        if given.column is not None and found != TIMESTAMP:
            yield diagnose("TL245", given.span, name=given.relation, column=given.column, found=found or "not declared")
    derived = {rule.head.predicate for rule in program.rules} | asserted_elsewhere_of(program).keys()
    spans = {key.relation: key.span for key in program.keys}
    spans |= {given.relation: given.span for given in program.lifetimes}
    for name, life in retentions(program).items():
        if name in derived and life.lifetime is not None:
            yield diagnose("TL602", spans[name], name=name, value=duration_text(life.lifetime))
        if name in derived and life.size is not None:
            yield diagnose("TL603", spans[name], name=name, value=life.size)


def _duplicate_lifetimes(program: Program) -> Iterator[Diagnostic]:
    first: dict[str, Span | None] = {key.relation: key.span for key in program.keys if key.lifetime is not None}
    for lifetime in program.lifetimes:
        if lifetime.relation in first:
            place = first[lifetime.relation]
            related = () if place is None else (("the other lifetime", place),)
            yield diagnose("TL244", lifetime.span, related=related, name=lifetime.relation)
        first.setdefault(lifetime.relation, lifetime.span)
