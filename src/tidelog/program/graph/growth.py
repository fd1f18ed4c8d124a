"""Monotone strata: those whose relations only grow when base facts only grow.

Law: a stratum is monotone if none of its rules negates, aggregates, chooses or drops subsumed facts, and all relations
that it reads are monotone. An epoch that only inserts base facts then removes no fact of it, and its rules may be
evaluated in any order without waiting for one another (CALM: consistency as logical monotonicity). Min and max are not
monotone: a better value replaces the one shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tidelog.program.graph.dependency import POSITIVE, rule_dependencies
from tidelog.program.graph.strata import Stratum
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import Aggregate


def monotone_strata(strata: Iterable[Stratum], rules: Sequence[Rule]) -> tuple[Stratum, ...]:
    """The strata of rules that are monotone, in the order given.

    >>> from tidelog.program.check import check_program
    >>> from tidelog.syntax import parse_program
    >>> text = "p(X) :- e(X). p(X) :- q(X). q(X) :- p(X). r(X) :- e(X), !q(X). s(X) :- r(X)."
    >>> checked = check_program(parse_program(text))
    >>> [sorted(stratum.relations) for stratum in monotone_strata(checked.strata, checked.rules)]
    [['p', 'q']]
    """
    shrinking = {rule.head.predicate for rule in rules if _may_shrink(rule)}
    while more := {rule.head.predicate for rule in rules if _reads(rule) & shrinking} - shrinking:
        shrinking |= more
    return tuple(stratum for stratum in strata if shrinking.isdisjoint(stratum.relations))


def _may_shrink(rule: Rule) -> bool:
    """Whether more facts in the relations that the rule reads may remove facts of its head."""
    folded = any(isinstance(term, Aggregate) for term in rule.head.args)
    return folded or any(edge.kind != POSITIVE for edge in rule_dependencies(rule))


def _reads(rule: Rule) -> set[str]:
    return {edge.source for edge in rule_dependencies(rule)}
