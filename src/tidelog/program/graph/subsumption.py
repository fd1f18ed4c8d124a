"""Subsumption: ``p(x, a) <= p(x, b) :- b <= a.`` removes a fact if the same relation has a better one.

Law: a relation keeps the facts that rules derive and that no other of them subsumes. There are two forms.

*A best row for each group.* The columns that both atoms share are the group, columns are compared in turn, and the
other columns accompany them: the heads of all rules of the relation become heads with min or max (`Aggregate.ties`),
which the machinery of recursive min and max maintains, also inside recursion. One clause may compare several columns
(``b < a; b = a, d <= c``), and so may several, each with the columns of those before it equal.

*Anything else, outside recursion.* The rules derive an auxiliary relation, and subsumed facts are negated:

    __all_p(x, y) :- ...                      the rules of p
    __below_p(x, y, v, w) :- __all_p(x, y), __all_p(v, w), more, (x != v; y != w).
    __gone_p(x, y) :- __below_p(x, y, v, w), !__below_p(v, w, x, y).
    __gone_p(x, y) :- __below_p(x, y, v, w), __below_p(v, w, x, y), (v < x; v = x, w < y).
    p(x, y) :- __all_p(x, y), !__gone_p(x, y).

So of two facts that subsume each other, the lesser stays. Inside recursion such a relation is refused (TL508).
Asserted facts, including those in the text, are compared with the others: they are facts of an auxiliary relation, and
an additional rule, ``p(x, y) :- __given_p(x, y).``, derives them (`asserted_facts`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.program.values.rule import Rule

GIVEN = "__given_"


def subsumed_relations(rules: Sequence[Rule]) -> dict[str, list[Rule]]:
    """The clauses of each relation that has any."""
    found: dict[str, list[Rule]] = {}
    for rule in [rule for rule in rules if rule.subsumes]:
        found.setdefault(rule.head.predicate, []).append(rule)
    return found


def input_name(name: str) -> str:
    """The relation that holds the asserted facts of a relation with subsumption."""
    return f"{GIVEN}{name}"
