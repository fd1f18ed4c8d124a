"""Queries over several relations with given values, answered where the facts are stored.

Law: the rule of a query joins relations on one partition, so that with several partitions whole relations are copied
for it. A query that contains a value usually needs few facts: they are looked up, atom by atom, and each look-up is
sent to the partitions that may hold them (`fact_pages`). The answers are those of the rule. If too many facts are
visited, the rule is run instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tidelog.engine.core.core import Core
from tidelog.engine.read.question import GIVEN, Question
from tidelog.kernel.cells import Cells
from tidelog.program import Atom, Call, Comparison, Const, Negation, Rule, Var
from tidelog.program.values.scope import atoms
from tidelog.rewrite.names import is_auxiliary
from tidelog.why import Ledger
from tidelog.why.errors import OutOfWorkError
from tidelog.why.join import Join

VISITED = 1 << 12  # facts


def walk(core: Core, question: Question, values: Sequence[int]) -> Cells | None:
    """The answers to a query that contains values; None if its rule must be run instead."""
    rule = _walkable(core, question)
    if rule is None:
        return None
    ledger = Ledger(core.runtime, question.rules, VISITED)
    join = Join(ledger)
    names = [arg.name for arg in rule.head.args if isinstance(arg, Var)]
    first = len(names) - len(values)
    asked = join.prepare(rule, range(first, len(names)))
    start = asked.start(dict(enumerate(values, first)), join.encode)
    assert not isinstance(start, int), "the given arguments are variables"
    try:
        found = {tuple(f.binding[name] for name in names[:first]) for f in join.solve(asked, start)}
    except OutOfWorkError:
        return None
    return np.array(sorted(found), np.int64).reshape(len(found), first)


def _walkable(core: Core, question: Question) -> Rule | None:
    """The single rule of a query, with the given values appended to its head; None if walking does not pay."""
    rules = list(question.own_rules.values())
    if core.rules.demand is not None or len(rules) != 1:
        return None
    given = [arg for atom in atoms(rules[0].body) if atom.predicate == GIVEN for arg in atom.args]
    body = tuple(x for x in rules[0].body if not (isinstance(x, Atom) and x.predicate == GIVEN))
    named = [atom for atom in atoms(body) if not is_auxiliary(atom.predicate)]
    is_plain = all(isinstance(x, Atom | Negation) or _compares(x) for x in body) and len(named) == len(
        list(atoms(body))
    )
    names_values = any(isinstance(arg, Const) or arg in given for x in body if isinstance(x, Atom) for arg in x.args)
    if not is_plain or not names_values:
        return None
    head = rules[0].head
    return replace(rules[0], head=replace(head, args=(*head.args, *given)), body=body)


def _compares(literal: object) -> bool:
    """Whether a literal compares stored values; a computed value may raise an error, which only the rule reports."""
    return isinstance(literal, Comparison) and not any(isinstance(x, Call) for x in (literal.left, literal.right))
