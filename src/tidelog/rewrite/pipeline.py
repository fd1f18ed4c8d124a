"""From the rules of a text to core rules: the passes, in order.

Law: each pass maps one rule to the rules that together mean the same, so the pipeline maps a rule without examining any
other. The core rules of a rule depend only on its text and its label; rules may be added and removed at run time, and a
state may be reopened later, without changing the names. Core rules come in the two forms of `core`.

Core rules made from rule r3 are labelled r3/1, r3/2, ... (or r3, if there is only one). A core rule with a different
label (``dist/min2``, ``edge/only/1``) is *shared*: every rule that needs it yields the same one, and it exists as long
as one of them does. Checks precede the pipeline, which only refuses results that would be too large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tidelog.program import Rule
from tidelog.rewrite.core import is_aggregate_rule, is_core, is_simple
from tidelog.rewrite.drop_booleans import drop_booleans
from tidelog.rewrite.expand_disjunctions import expand_disjunctions
from tidelog.rewrite.expand_paths import expand_paths
from tidelog.rewrite.key_expressions import key_expressions
from tidelog.rewrite.label_rules import label_of, label_rules, number_rules
from tidelog.rewrite.lift_aggregates import lift_aggregates
from tidelog.rewrite.lift_expressions import lift_expressions
from tidelog.rewrite.lift_head_aggregates import lift_head_aggregates
from tidelog.rewrite.localise import localise
from tidelog.rewrite.name_paths import name_paths
from tidelog.rewrite.open_relations import open_relations
from tidelog.rewrite.project_candidates import project_candidates
from tidelog.rewrite.project_conditions import project_conditions
from tidelog.rewrite.project_negations import project_negations
from tidelog.rewrite.scope_aggregates import scope_aggregates
from tidelog.rewrite.unpack_structures import unpack_structures

__all__ = ["PASSES", "is_aggregate_rule", "is_core", "to_core", "to_core_rule", "to_local"]

PASSES: tuple[Callable[[Rule], tuple[Rule, ...]], ...] = (
    scope_aggregates,
    unpack_structures,
    name_paths,
    drop_booleans,
    lift_head_aggregates,
    lift_aggregates,
    expand_disjunctions,
    lift_expressions,
    open_relations,
    key_expressions,
    expand_paths,
    project_negations,
    project_conditions,
    project_candidates,
)


def to_core(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The core rules of a program, shared ones once; rules without a label are labelled first.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for rule in to_core(parse_program("p(X) :- (q(X) ; r(X)), !s(X, _). t(X) :- p(X), !s(X, _).").rules):
    ...     print(print_rule(rule))
    s/only/1: __only_s/1(V1) :- s(V1, _).
    r1/1: p(X) :- q(X), !__only_s/1(X).
    r1/2: p(X) :- r(X), !__only_s/1(X).
    r2: t(X) :- p(X), !__only_s/1(X).
    """
    return _once(made for rule in label_rules(rules) for made in to_core_rule(rule))


def to_core_rule(rule: Rule) -> tuple[Rule, ...]:
    """The core rules of one labelled rule, including the shared ones that it needs."""
    if rule.label is not None and is_simple(rule):
        return (rule,)
    label = label_of(rule)
    made: tuple[Rule, ...] = (rule,)
    for rewrite in PASSES:
        made = tuple(after for before in made for after in rewrite(before))
    return number_rules(tuple(dict.fromkeys(made)), label)


def to_local(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The core rules of a program, each localised.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for rule in to_local(parse_program("p(@X) :- e(@X, Y), q(@Y). q(@X) :- e(@X, Y), p(@Y).").rules):
    ...     print(print_rule(rule))
    e/at2: __at_e_2(V1, @V2) :- e(@V1, V2).
    r1: p(@X) :- __at_e_2(X, @Y), q(@Y).
    r2: q(@X) :- __at_e_2(X, @Y), p(@Y).
    """
    return _once(made for rule in to_core(rules) for made in localise(rule))


def _once(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, each label once; a rule shared by two others occurs once."""
    return tuple({rule.label: rule for rule in rules}.values())
