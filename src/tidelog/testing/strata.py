"""Strata by their definition: predicates that need each other, lower ones first.

Law: two predicates share a stratum exactly if each depends on the other; a program is stratified if no strict
dependency stays inside a stratum. Independent of the checks in `program`, so that one can verify the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from tidelog.program import Rule
from tidelog.testing.occurrences import STRICT_AGGREGATES, dependencies


def reads(rules: Iterable[Rule]) -> dict[str, frozenset[str]]:
    """For every predicate with rules, all predicates it depends on, directly or indirectly."""
    direct: dict[str, set[str]] = defaultdict(set)
    for rule in rules:
        if rule.subsumes:
            direct[rule.head.predicate].update(p for p, _ in dependencies(rule) if p != rule.head.predicate)
            continue
        direct[rule.head.predicate].update(predicate for predicate, _ in dependencies(rule))
    return {predicate: _reachable(predicate, direct) for predicate in tuple(direct)}


def _reachable(start: str, direct: dict[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = direct.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return frozenset(found)


def strata(rules: Iterable[Rule]) -> list[frozenset[str]]:
    """The strata of the predicates that have rules; every stratum comes after those it reads."""
    below = reads(rules)
    # A predicate that is read by another, but does not read it, has strictly fewer predicates at or below it.
    order = sorted(below, key=lambda predicate: (len(below[predicate] | {predicate}), predicate))
    alike = (frozenset({p, *(q for q in below[p] if p in below.get(q, ()))}) for p in order)
    return list(dict.fromkeys(alike))


def is_stratified(rules: Iterable[Rule], strict_aggregates: Collection[str] = STRICT_AGGREGATES) -> bool:
    """Whether no predicate depends strictly on a predicate of the same stratum."""
    rules = tuple(rules)
    below = reads(rules)
    return not any(
        strict and (predicate == rule.head.predicate or rule.head.predicate in below.get(predicate, ()))
        for rule in rules
        for predicate, strict in dependencies(rule, strict_aggregates)
    )
