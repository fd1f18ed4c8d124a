"""Rows that are looked up by their best value become best values with witnesses (the best-path program of P2).

Law: take `best(S,D,C,P) :- cost(S,D,C), path(S,D,C,P)` and `cost(S,D,min<C>) :- path(S,D,C,P)`, where the key of both
is (S, D), the group. Two rows with one key are refused, so `best` is `best(S,D,min<C>,P) :- path(S,D,C,P)` wherever it
has rows at all; if values are equal, the least P is chosen (`mark_witnesses`) instead of refusing the epoch. And the
recursion no longer joins with a value that may still be improved (TL505). The rule is rewritten if all of this holds:

1. `best` has this rule only, whose body is the two atoms, in any order; `cost` has one rule, whose body is one atom of
   `path`; neither has facts in the program, inputs, or a qualifier;
2. the arguments of both atoms of `path` are distinct variables or wildcards; the head of `cost` is a min or max of one
   of them and the group, distinct others, which is the key of `cost`;
3. the atom of `cost` has the group and the value in the columns of `path` that they come from;
4. the head of `best` consists of distinct variables, the value is among them, and its key columns are the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.graph.keys import key_columns
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import Aggregate, Atom, Term, Var, Wildcard

CHOOSING = ("min", "max")


@dataclass(frozen=True, slots=True)
class BestValue:
    """A rule `cost(group, min<C>) :- path(...)`: for each column of `cost` the column of `path` it comes from, the
    column of `cost` with the value, and its kind."""

    candidates: str
    columns: tuple[int, ...]
    position: int
    kind: str


def choose_witnesses(elaboration: Elaboration) -> Elaboration:
    """The pass: `with_choices` of the program."""
    return replace(elaboration, program=with_choices(elaboration.program))


def with_choices(program: Program) -> Program:
    """The program in which no rule looks up the best value of rows that it could choose directly.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = '''materialize(best, infinity, infinity, keys(1)).
    ... materialize(cost, infinity, infinity, keys(1)).
    ... cost(S, min<C>) :- path(S, C, P).
    ... best(S, C, P) :- cost(S, C), path(S, C, P).'''
    >>> print_rule(with_choices(parse_program(text)).rules[-1])
    'best(S, min<C>, P) :- path(S, C, P).'
    """
    keys = key_columns(program)
    rules = tuple(_chosen(rule, program, keys) or rule for rule in program.rules) if keys else program.rules
    return replace(program, rules=rules)


def _chosen(rule: Rule, program: Program, keys: dict[str, tuple[int, ...]]) -> Rule | None:
    """The rule with a choice in place of the best value that it looks up, if it is one of these rules."""
    key = keys.get(rule.head.predicate)
    if key is None or len(rule.body) != 2 or rule.subsumes or not _only(rule.head.predicate, program):
        return None
    for lookup, candidates in (rule.body, rule.body[::-1]):
        if isinstance(lookup, Atom) and isinstance(candidates, Atom):
            best = _best_value(lookup.predicate, program, keys)
            if best is not None and best.candidates == candidates.predicate:
                return _choice(rule, lookup, candidates, best, key)
    return None


def _choice(rule: Rule, lookup: Atom, candidates: Atom, best: BestValue, key: Sequence[int]) -> Rule | None:
    names, head = _distinct(candidates.args), _distinct(rule.head.args)
    wanted = [candidates.args[column] for column in best.columns]
    if not names or not head or list(lookup.args) != wanted:
        return None
    value, group = wanted[best.position], {arg for i, arg in enumerate(wanted) if i != best.position}
    if value not in head or not set(head) <= set(names) or {head[column] for column in key} != group:
        return None
    place = head.index(value)
    ties = tuple((i, "min") for i in range(len(head)) if i not in key and i != place)
    args = (*head[:place], Aggregate(best.kind, value, None, rule.head.span, ties), *head[place + 1 :])
    return replace(rule, head=replace(rule.head, args=args), body=(candidates,), origin=rule, plans=())


def _best_value(name: str, program: Program, keys: dict[str, tuple[int, ...]]) -> BestValue | None:
    rule = _only(name, program)
    if rule is None or len(rule.body) != 1 or not isinstance(rule.body[0], Atom) or rule.subsumes:
        return None
    values = [i for i, arg in enumerate(rule.head.args) if isinstance(arg, Aggregate)]
    if len(values) != 1:
        return None
    aggregate, position = rule.head.args[values[0]], values[0]
    assert isinstance(aggregate, Aggregate)
    head = _distinct([*rule.head.args[:position], aggregate.value or Wildcard(), *rule.head.args[position + 1 :]])
    source = rule.body[0]
    if aggregate.kind not in CHOOSING or aggregate.body is not None or not head or not _distinct(source.args):
        return None
    if not all(isinstance(arg, Var) and arg in source.args for arg in head):
        return None
    if set(keys.get(name, ())) != set(range(len(head))) - {position}:
        return None
    return BestValue(source.predicate, tuple(source.args.index(arg) for arg in head), position, aggregate.kind)


def _only(name: str, program: Program) -> Rule | None:
    """The only rule of a relation that has nothing else."""
    rules = [rule for rule in program.rules if rule.head.predicate == name]
    filled = any(fact.atom.predicate == name for fact in program.facts)
    filled = filled or any(each.kind == "input" and each.relation == name for each in program.directives)
    special = any(each.relation == name and (each.qualifiers or each.domains) for each in program.declarations)
    return rules[0] if len(rules) == 1 and not filled and not special else None


def _distinct(args: Sequence[Term]) -> tuple[Term, ...]:
    """The arguments if they are distinct variables and wildcards, otherwise none."""
    variables = [arg for arg in args if isinstance(arg, Var)]
    plain = all(isinstance(arg, Var | Wildcard) for arg in args)
    return tuple(args) if plain and len(set(variables)) == len(variables) else ()
