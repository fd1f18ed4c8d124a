"""Witnesses: columns that accompany a best value, in heads whose relation has a key (NDlog's best path).

Law: `best(S, D, min<C>, P)` in a relation with `keys(1, 2)` has one row for each S and D: the key is the group, the
least C is the value, and P belongs to it; among equal values the least P is chosen. Without a key, every column that is
not aggregated belongs to the group. The columns are found here (`Aggregate.ties`); no other pass uses keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tidelog.program.checks.witnesses import chooses, head_aggregates
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.graph.keys import key_columns
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import Aggregate

CHOOSING = ("min", "max")


def with_witnesses(program: Program) -> Program:
    """The program with the witnesses of its heads marked.

    >>> from tidelog.syntax import parse_program
    >>> text = "materialize(best, infinity, infinity, keys(1)). best(S, min<C>, P) :- path(S, C, P)."
    >>> with_witnesses(parse_program(text)).rules[0].head.args[1].ties
    ((2, 'min'),)
    """
    if not program.keys:
        return program
    keys = key_columns(program)
    rules = tuple(
        _marked(rule, keys[rule.head.predicate]) if rule.head.predicate in keys else rule for rule in program.rules
    )
    return replace(program, rules=rules)


def _marked(rule: Rule, key: Sequence[int]) -> Rule:
    chosen = [i for i, arg in enumerate(rule.head.args) if chooses(arg)]
    if len(chosen) != 1 or len(head_aggregates(rule)) != 1:
        return rule
    ties = tuple((i, "min") for i in range(len(rule.head.args)) if i not in key and i != chosen[0])
    args = tuple(
        replace(arg, ties=ties) if isinstance(arg, Aggregate) and i in chosen else arg
        for i, arg in enumerate(rule.head.args)
    )
    return replace(rule, head=replace(rule.head, args=args)) if ties else rule


def mark_witnesses(elaboration: Elaboration) -> Elaboration:
    """The pass: `with_witnesses` of the program."""
    return replace(elaboration, program=with_witnesses(elaboration.program))
