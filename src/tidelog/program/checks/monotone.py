"""Min and max in recursion: which strata have one result, however they are evaluated (TL503 to TL505).

Law: call a rule's value the aggregated column of its head, or a column computed from one. A stratum is accepted if
all its rules are strictly monotone in every value they read (a better value read yields a strictly better value:
shortest path), or if no rule derives a value better than any it reads (widest path, components), and values are used
for nothing else than computing the head's value and tests that a better value cannot fail. In the first case a value
improved upon never supports a best one; in the second the better value supports it as well. On floats strictness holds
up to rounding.
The check is syntactic: it refuses some programs that have one result, and reports for each what it could not prove.
`value_use` analyses how a single rule uses values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.errors import Diagnostic, Span
from tidelog.program.checks.order import has_witnesses, order
from tidelog.program.checks.value_use import Grade, Recursion, dependent_columns, rule_grade
from tidelog.program.graph.dependency import AGGREGATE, Edge
from tidelog.program.graph.strata import Stratum, offending_edges
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.assign import Schema
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import atoms, flat_literals
from tidelog.program.values.term import Aggregate


def check_monotone(
    edges: Sequence[Edge], strata: Sequence[Stratum], schema: Schema, orders: list[Rule]
) -> list[Diagnostic]:
    """Findings about all strata that recur through min or max and are stratified otherwise.

    ``orders`` receives the rules that monitor the data of strata with witnesses (`order`).
    """
    home = {name: i for i, stratum in enumerate(strata) for name in stratum.relations if stratum.recursive}
    aggregating: dict[int, list[Edge]] = {}
    for edge in edges:
        if edge.kind == AGGREGATE and edge.may_recur and home.get(edge.source, -1) == home.get(edge.target, -2):
            aggregating.setdefault(home[edge.source], []).append(edge)
    if not aggregating:
        return []
    offending = {home[edge.target] for edge in offending_edges(edges, strata)}
    findings: list[Diagnostic] = []
    for i, inside in aggregating.items():
        if i not in offending:
            findings.extend(_check_stratum(strata[i], inside, schema, orders))
    return findings


def _check_stratum(stratum: Stratum, inside: Sequence[Edge], schema: Schema, orders: list[Rule]) -> list[Diagnostic]:
    in_bodies = [edge for edge in inside if not edge.in_head]
    if in_bodies:
        return [diagnose("TL503", e.span, kind=e.aggregate, relation=e.source) for e in in_bodies]
    disagreements = list(_disagreements(stratum))
    if disagreements:
        return disagreements
    recursion = recursion_of(stratum, schema)
    findings = list(_uncarried(stratum, recursion.columns, recursion.kind))
    if findings:
        return findings
    graded = graded_rules(stratum, recursion)
    findings = list(_check_rules(graded, recursion))
    if not findings and has_witnesses(stratum):
        ordered = order([(entry.rule, entry.grade.modest) for entry in graded], stratum, recursion)
        orders += ordered.rules
        findings += ordered.findings
    return findings


def recursion_of(stratum: Stratum, schema: Schema) -> Recursion:
    """The recursion through min or max in a stratum: its kind, and the column of each relation with the value."""
    kind, columns = _aggregated_columns(stratum)
    recursion = Recursion(kind, frozenset(stratum.relations), columns, schema)
    return Recursion(kind, recursion.relations, dependent_columns(stratum.rules, recursion), schema)


def graded_rules(stratum: Stratum, recursion: Recursion) -> list[GradedRule]:
    """The rules of a stratum that read it, each with its use of the values."""
    return [GradedRule(rule, rule_grade(rule, recursion)) for rule in stratum.rules if _reads(rule, stratum)]


def head_aggregates(rule: Rule) -> list[tuple[str, int]]:
    """Kind and column of the aggregates in the rule's head that range over its own body."""
    return [(t.kind, i) for i, t in enumerate(rule.head.args) if isinstance(t, Aggregate) and t.body is None]


def _disagreements(stratum: Stratum) -> Iterator[Diagnostic]:
    """Rules of one relation that aggregate differently, and relations that aggregate in different directions."""
    first: dict[str, tuple[str, int]] = {}
    for rule in stratum.rules:
        for aggregate in head_aggregates(rule)[:1]:
            first.setdefault(rule.head.predicate, aggregate)
    kinds = sorted({kind for kind, _ in first.values()})
    for rule in stratum.rules:
        name, found = rule.head.predicate, head_aggregates(rule)
        if len(found) > 1:
            yield _disagreement(rule, "aggregates more than one column")
        elif name in first and not found:
            yield _disagreement(rule, f"has a rule without `{first[name][0]}`")
        elif name in first and found != [first[name]]:
            yield _disagreement(rule, "aggregates differently in two of its rules")
        elif found and len(kinds) > 1 and found[0][0] != kinds[0]:
            yield _disagreement(rule, f"uses {found[0][0]}, but the same recursion uses {kinds[0]}")


def _disagreement(rule: Rule, reason: str) -> Diagnostic:
    return diagnose("TL504", rule.head.span, relation=rule.head.predicate, reason=reason)


def _aggregated_columns(stratum: Stratum) -> tuple[str, dict[str, int]]:
    """The one kind of aggregate of the stratum, and the aggregated column of each relation that has one."""
    found = {rule.head.predicate: head_aggregates(rule)[0] for rule in stratum.rules if head_aggregates(rule)}
    return next(iter(found.values()))[0], {name: column for name, (_, column) in found.items()}


def _uncarried(stratum: Stratum, carried: Mapping[str, int], kind: str) -> Iterator[Diagnostic]:
    """Relations of the recursion through which no value, or more than one, is carried."""
    for rule in stratum.rules:
        column = carried.get(rule.head.predicate)
        if column is None and _reads(rule, stratum):
            yield not_monotone(rule, kind, f"`{rule.head.predicate}` does not pass on the value that it depends on")
        elif column == -1:
            yield not_monotone(rule, kind, f"more than one column of `{rule.head.predicate}` depends on the value")


def _reads(rule: Rule, stratum: Stratum) -> bool:
    return any(atom.predicate in stratum.relations for atom in atoms(flat_literals(rule.body)))


def not_monotone(rule: Rule, kind: str, reason: str, span: Span | None = None) -> Diagnostic:
    """The finding that refuses a rule for this reason."""
    return diagnose("TL505", span or rule.head.span or rule.span, kind=kind, reason=reason)


@dataclass(slots=True)
class GradedRule:
    """A rule and its grade."""

    rule: Rule
    grade: Grade = field(default_factory=Grade)


def _check_rules(graded: Sequence[GradedRule], recursion: Recursion) -> Iterator[Diagnostic]:
    refused = [entry for entry in graded if entry.grade.reason]
    for entry in refused:
        yield not_monotone(entry.rule, recursion.kind, entry.grade.reason, entry.grade.span)
    if refused or all(e.grade.strict for e in graded) or all(e.grade.modest for e in graded):
        return
    other = next(entry for entry in graded if not entry.grade.strict)
    related = [("this rule is not strictly monotone", s) for s in (other.rule.head.span,) if s is not None]
    reason = "it may derive a better value than it reads, and another rule of the recursion is not strictly monotone"
    for entry in graded:
        if not entry.grade.modest:
            span = entry.rule.head.span or entry.rule.span
            yield diagnose("TL505", span, related=related, kind=recursion.kind, reason=reason)
