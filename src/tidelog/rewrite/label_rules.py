"""Assign a label to every rule (D4), and number the rules made from one rule.

Law: a label names one rule for as long as the state lives. Labels are never reused, so the caller keeps the set of all
labels ever used. Labels in the text are used unchanged; the checks find duplicates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from tidelog.program import Rule
from tidelog.rewrite import rewrite_failures as failures


def label_rules(rules: Iterable[Rule], used: set[str] | None = None) -> tuple[Rule, ...]:
    """Label the rules without a label r1, r2, ..., skipping labels in use; every label is added to `used`.

    >>> from tidelog.program import Atom
    >>> taken = {"r1"}
    >>> rules = Rule(Atom("p", ())), Rule(Atom("q", ()), (), "r3"), Rule(Atom("r", ()))
    >>> [rule.label for rule in label_rules(rules, taken)]
    ['r2', 'r3', 'r4']
    >>> sorted(taken)
    ['r1', 'r2', 'r3', 'r4']
    """
    rules = tuple(rules)
    taken = set() if used is None else used
    taken.update(rule.label for rule in rules if rule.label is not None)
    free = (label for number in count(1) if (label := f"r{number}") not in taken)
    labelled = []
    for rule in rules:
        if rule.label is None:
            rule = replace(rule, label=next(free), origin=rule)
            taken.add(str(rule.label))
        labelled.append(rule)
    return tuple(labelled)


def label_of(rule: Rule) -> str:
    """The label of a rule that must have one, because auxiliary relations are named after it.

    >>> from tidelog.program import Atom
    >>> label_of(Rule(Atom("p", ())))
    Traceback (most recent call last):
    tidelog.errors.EngineError: a rule needs a label before it is rewritten
    """
    if rule.label is None:
        raise failures.NO_LABEL.error()
    return rule.label


def number_rules(rules: tuple[Rule, ...], label: str | None) -> tuple[Rule, ...]:
    """Label the rules made from rule r3 that still carry its label r3/1, r3/2, ...; a single rule keeps it.

    Rules with another label are shared between all rules that need them, and keep it.

    >>> from tidelog.program import Atom
    >>> p, q, shared = Rule(Atom("p", ()), (), "r3"), Rule(Atom("q", ()), (), "r3"), Rule(Atom("s", ()), (), "s/at1")
    >>> [[rule.label for rule in number_rules(made, "r3")] for made in [(p, shared, q), (p, shared)]]
    [['r3/1', 's/at1', 'r3/2'], ['r3', 's/at1']]
    """
    own = [rule for rule in rules if rule.label == label]
    if len(own) == 1:
        return rules
    numbers = iter(range(1, len(own) + 1))
    return tuple(replace(rule, label=f"{label}/{next(numbers)}") if rule.label == label else rule for rule in rules)
