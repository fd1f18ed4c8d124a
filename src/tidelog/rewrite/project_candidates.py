"""The candidates of a min or max are separate facts, with only group and value.

Law: the best value of a group does not depend on the other columns of its valuations, so projecting them changes
nothing; afterwards every fact that a min or max ranges over is one candidate, and a tie is one more support of it. The
projection is shared by all aggregates that range over the same columns of the same relation.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program import Aggregate, Atom, Rule, Wildcard
from tidelog.rewrite.core import is_aggregate_rule
from tidelog.rewrite.lift_aggregates import ORDERED
from tidelog.rewrite.names import CANDIDATES


def project_candidates(rule: Rule) -> tuple[Rule, ...]:
    """An aggregate rule over more columns than it needs ranges over their projection; others are unchanged.

    >>> from tidelog.program import Var
    >>> x, c, d = Var("X"), Var("C"), Var("D")
    >>> rule = Rule(Atom("best", (x, Aggregate("min", c, None))), (Atom("__val", (x, c, d)),), "r1")
    >>> [(made.head.predicate, made.label) for made in project_candidates(rule)]
    [('__cand___val/1/2', '__val/cand/1/2'), ('best', 'r1')]
    """
    source = rule.body[0] if is_aggregate_rule(rule) else None
    over = next((arg for arg in rule.head.args if isinstance(arg, Aggregate)), None)
    if over is None or over.kind not in ORDERED or not isinstance(source, Atom):
        return (rule,)
    used = {over.value, *(arg for arg in rule.head.args if arg is not over)}
    kept = [i for i, arg in enumerate(source.args) if arg in used]
    if len(kept) == len(source.args):
        return (rule,)
    places = "".join(f"/{i + 1}" for i in kept)
    home = kept.index(source.location) if source.location in kept else None
    head = Atom(f"{CANDIDATES}{source.predicate}{places}", tuple(source.args[i] for i in kept), home, source.span)
    body = replace(source, args=tuple(arg if i in kept else Wildcard() for i, arg in enumerate(source.args)))
    projection = Rule(head, (body,), f"{source.predicate}/cand{places}", rule.span, rule)
    return (projection, replace(rule, body=(head,), origin=rule))
