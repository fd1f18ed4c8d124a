"""execRules: all delta rules of one update, as nested loops over contexts.

LAM 2010L leaves execRules to a report that is not at hand; this is a design of our own. The delta rule at position i of

    h :- b1, ..., bn.

walks its body from left to right. Atom j is looked up in the table with ν when j < i, in Δ when j = i and in the table
without ν when j > i. Each lookup is a loop over a *copy* of that context: for every match the substitution
grows and the walk continues with atom j + 1; at the end of the body the head is loaded into `upd`. Guards (comparisons,
functions) run as soon as their variables have values.

Law: execRules returns what it takes. When it ends, every table holds what it held before, every working copy is
empty, and `upd` has gained one update per way to match the body, so that multiplicities multiply.

Why copies: marking tuples as visited by moving them out of their table would hide them from an inner loop over the same
table, as in `p :- t, t, t`, where the last delta rule visits t with ν twice.
"""

from __future__ import annotations

from tidelog.lab.semantics.delta import head_of, match
from tidelog.lab.semantics.linear.contexts import Element, Index
from tidelog.lab.semantics.linear.formula import Formula, Load, Loop, copy
from tidelog.lab.semantics.linear.names import SPARE, UPD, delta, fresh, table, work
from tidelog.lab.semantics.network import LocalRule
from tidelog.lab.semantics.term import Binding, Guard, solve

DeltaRule = tuple[LocalRule, int]


def exec_rules(rules: tuple[DeltaRule, ...], sign: int, then: Formula) -> Formula:
    """Run the delta rules one after the other, then continue."""
    for rule, position in reversed(rules):
        then = _solved(rule, position, sign, 0, rule.guards, {}, then)
    return then


def _solved(
    rule: LocalRule, at: int, sign: int, atom: int, guards: tuple[Guard, ...], binding: Binding, then: Formula
) -> Formula:
    """Run the guards that can be run, and continue with every binding that passes them."""
    for waiting, extended in reversed(list(solve(guards, binding))):
        then = _visited(rule, at, sign, atom, waiting, extended, then)
    return then


def _visited(
    rule: LocalRule, at: int, sign: int, atom: int, guards: tuple[Guard, ...], binding: Binding, then: Formula
) -> Formula:
    """Loop over the tuples for body atom number ``atom``; past the last one load the head."""
    if atom == len(rule.atoms):
        head = head_of(rule, guards, binding)
        return Load((head.relation, head.row, sign), UPD, then)

    def visit(row: Element, rest: Formula) -> Formula:
        matched = match(rule.atoms[atom], row, binding)  # type: ignore[arg-type]  # the elements of a table are rows
        return rest if matched is None else _solved(rule, at, sign, atom + 1, guards, matched, rest)

    return copy(_context(rule, at, atom), work(atom), SPARE, Loop(work(atom), visit, then))


def _context(rule: LocalRule, at: int, atom: int) -> Index:
    relation = rule.atoms[atom].predicate
    if atom == at:
        return delta(relation)
    return fresh(relation) if atom < at else table(relation)
