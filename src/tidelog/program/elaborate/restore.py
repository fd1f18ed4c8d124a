"""Restoration of the rules of the text, with the types that were inferred for their expanded forms.

Law: the rules of `CheckedProgram.program` are those that the user wrote, one for one; their literals have the inferred
types. A rule that is evaluated in another form (`expand_inline`, `separate_scopes`) stays as it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import is_

from tidelog.program.elaborate.ground_cycles import written_rule
from tidelog.program.elaborate.hide_heads import without_head
from tidelog.program.graph.well_founded import GROUND, UNDEFINED
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import all_literals, atoms
from tidelog.program.values.term import Aggregate


def restore_text(written: Sequence[Rule], expanded: Sequence[Rule], typed: Sequence[Rule]) -> tuple[Rule, ...]:
    """The written rules, typed where they were ``expanded`` to themselves; constraints without their hidden heads."""
    if len(expanded) == len(written) and all(map(is_, expanded, written)):
        return tuple(map(without_head, typed))
    types = dict(zip(map(id, expanded), typed, strict=True))
    return tuple(without_head(types.get(id(rule), rule)) for rule in written)


def restore_rules(expanded: Sequence[Rule], typed: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules before choices, closures and subsumption, with the types of the resulting rules, in order.

    >>> from tidelog.program.elaborate.elaboration import Elaboration
    >>> from tidelog.program.elaborate.resolve_subsumption import resolve_subsumption
    >>> from tidelog.syntax import parse_program, print_rule
    >>> program = parse_program("p(X, C) :- e(X, C). p(X, A) <= p(X, B) :- B <= A.")
    >>> resolved = resolve_subsumption(Elaboration(program)).program
    >>> print(*map(print_rule, restore_rules(program.rules, resolved.rules)), sep="\\n")
    p(X, C) :- e(X, C).
    p(X, A) <= p(X, B) :- B <= A.
    """
    became = iter(typed)
    return tuple(rule if rule.subsumes else _restored(rule, next(became)) for rule in expanded)


def _restored(written: Rule, typed: Rule) -> Rule:
    if any(atom.predicate.startswith(UNDEFINED) for atom in atoms(all_literals(typed.body))):
        return written  # `read_undefined`
    if typed.head.predicate.startswith(GROUND):
        return written_rule(written, typed)
    if typed.head.predicate == written.head.predicate and len(typed.body) == len(written.body):
        pairs = zip(written.head.args, typed.head.args, strict=True)
        args = tuple(
            b.value if isinstance(b, Aggregate) and not isinstance(a, Aggregate) and b.value else b for a, b in pairs
        )
        return typed if args == typed.head.args else replace(typed, head=replace(typed.head, args=args))
    if len(typed.body) == len(written.body):
        return replace(typed, head=replace(typed.head, predicate=written.head.predicate))
    return written
