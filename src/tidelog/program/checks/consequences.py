"""Findings that only follow from text that could not be read: one cause, one error.

Law: a finding is left out if it is about a name that unread text declares or derives (`Program.unread`), or is in a
clause that uses such a relation or one with a column of such a type. A finding that was a separate mistake is reported
once the cause is fixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tidelog.errors import Diagnostic, Span
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Fact, Rule
from tidelog.program.values.scope import atoms, rule_literals

_NAMES = re.compile(r"\??[^\W\d]\w*")
_UNKNOWN_TYPE = "TL206"


def without_consequences(program: Program, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that do not follow from text that could not be read."""
    if not program.unread:
        return list(findings)
    unsure = _unsure(program)
    written: tuple[Rule | Fact, ...] = (*program.rules, *program.facts)
    clauses = [span for clause in written for span in _unsure_clause(clause, unsure)]
    return [finding for finding in findings if not _follows(finding, unsure, clauses)]


def without_repetitions(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings, without those repeated because a file is included twice."""
    kept: list[Diagnostic] = []
    met: set[str] = set()
    for finding in findings:
        first = _first_inclusion(finding)
        if first is None or finding.span is None:
            kept.append(finding)
        elif finding.span.source.name not in met:
            met.add(finding.span.source.name)
            again = finding.span.source.included
            related = [("included here first", first)] if first is not None else []
            kept.append(diagnose("TL216", again, file=finding.span.source.name, related=related))
    return kept


def _first_inclusion(finding: Diagnostic) -> Span | None:
    """The place where the file of a finding was first included, if the finding is about its own place, read twice."""
    place = finding.span
    if place is None or place.source.included is None:
        return None
    for _, other in finding.related:
        at = other.source.included
        if (other.source.name, other.start) == (place.source.name, place.start) and at is not None:
            return at if at != place.source.included else None
    return None


def _unsure(program: Program) -> frozenset[str]:
    """The names that unread text may define: its own, types built from them, and relations with such columns."""
    found = set(program.unread)
    size = -1
    while size < len(found):
        size = len(found)
        found.update(declared.name for declared in program.types if found.intersection(declared.bases))
    columns = ((declared.relation, column.type) for declared in program.declarations for column in declared.columns)
    return frozenset(found.union(relation for relation, type_ in columns if type_ in found))


def _unsure_clause(clause: Rule | Fact, unsure: frozenset[str]) -> Iterator[Span]:
    """The place of a clause that uses such a relation."""
    used = [clause.atom] if isinstance(clause, Fact) else [clause.head, *atoms(rule_literals(clause))]
    if clause.span is not None and not unsure.isdisjoint(atom.predicate for atom in used):
        yield clause.span


def _follows(finding: Diagnostic, unsure: frozenset[str], clauses: list[Span]) -> bool:
    place = finding.span
    if place is None:
        return False
    names = _NAMES.findall(place.text)
    named = names if finding.code == _UNKNOWN_TYPE else names[:1]
    if finding.code.startswith("TL2") and not unsure.isdisjoint(named):
        return True
    return any(c.source is place.source and c.start <= place.start and place.end <= c.end for c in clauses)
