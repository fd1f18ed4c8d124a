"""The relations that a program evaluates on demand.

Law: outputs and the relations of a query are evaluated whole. ``magic`` and ``.pragma "magic-transform"`` name the
others: individually, together with the relations that a rewrite created only from their rules, or all by ``*``.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.program import Program, Rule
from tidelog.program.graph.constraint import HIDDEN
from tidelog.program.values.pragmas import EVERY, MAGIC, NO_MAGIC, outputs, values_of
from tidelog.rewrite.names import QUESTION, is_auxiliary


def demanded_relations(program: Program, core: Iterable[Rule]) -> tuple[str, ...]:
    """The relations with rules that are to contain only demanded facts, in the order of their first rules.

    >>> from tidelog.rewrite import to_core
    >>> from tidelog.syntax import parse_program
    >>> text = '.pragma "magic-transform" "p" p(X, C) :- n(X), C = count : { e(X, _) }. q(X) :- p(X, _).'
    >>> program = parse_program(text)
    >>> demanded_relations(program, to_core(program.rules))
    ('__agg_r1_1', '__some_r1_1', '__total_r1_1', 'p')
    """
    named = frozenset(values_of(program, MAGIC))
    if not named:
        return ()
    never = outputs(program).union(values_of(program, NO_MAGIC))
    return tuple(
        dict.fromkeys(
            name
            for rule in core
            if (name := rule.head.predicate) not in never
            and not name.startswith((QUESTION, HIDDEN))
            and _is_named(rule, named)
        )
    )


def _is_named(rule: Rule, named: frozenset[str]) -> bool:
    if EVERY in named or not is_auxiliary(rule.head.predicate):
        return EVERY in named or rule.head.predicate in named
    root, own = rule.root, rule.users_label or ""
    return root.head.predicate in named and (rule.label == own or (rule.label or "").startswith(f"{own}/"))
