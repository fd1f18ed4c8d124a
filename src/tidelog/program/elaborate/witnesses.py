"""Witnesses: columns that come with a best value, in heads whose relation has a key (NDlog's best path).

Law: `best(S, D, min<C>, P)` in a relation with `keys(1, 2)` has one row for each S and D: the key is the group, the
least C is the value, and P comes with it; among equal values the least P is taken. Without a key every column that is
not aggregated belongs to the group. This is where the columns are found (`Aggregate.ties`); nothing else looks at keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tidelog.errors import Diagnostic
from tidelog.program.graph.keys import key_columns
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.assign import Schema
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import LIST, Aggregate, Term, Var

CHOOSING = ("min", "max")


def with_witnesses(program: Program) -> Program:
    """The program with the witnesses of its heads marked.

    >>> from tidelog.program import Atom, Materialize
    >>> head = Atom("best", (Var("S"), Aggregate("min", Var("C"), None), Var("P")))
    >>> program = Program((Rule(head, ()),), keys=(Materialize("best", None, None, (1,)),))
    >>> with_witnesses(program).rules[0].head.args[1].ties
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
    chosen = [i for i, arg in enumerate(rule.head.args) if _chooses(arg)]
    if len(chosen) != 1 or len(_aggregates(rule)) != 1:
        return rule
    ties = tuple((i, "min") for i in range(len(rule.head.args)) if i not in key and i != chosen[0])
    args = tuple(
        replace(arg, ties=ties) if isinstance(arg, Aggregate) and i in chosen else arg
        for i, arg in enumerate(rule.head.args)
    )
    return replace(rule, head=replace(rule.head, args=args)) if ties else rule


def _chooses(term: Term) -> bool:
    return isinstance(term, Aggregate) and term.body is None and term.kind in CHOOSING


def _aggregates(rule: Rule) -> list[Term]:
    return [arg for arg in rule.head.args if isinstance(arg, Aggregate) and arg.body is None]


def check_witnesses(program: Program, schema: Schema) -> Iterator[Diagnostic]:
    """Heads whose witnesses are in doubt: of several aggregates (TL507), lists beside a value without key (TL506)."""
    keys = key_columns(program)
    for rule in program.rules:
        name, aggregates = rule.head.predicate, _aggregates(rule)
        if name in keys and len(aggregates) > 1:
            beside = [i for i, arg in enumerate(rule.head.args) if i not in keys[name] and arg not in aggregates]
            if beside:
                yield diagnose("TL507", rule.head.span, relation=name, column=beside[0] + 1)
        elif name not in keys and rule.head.location is not None and any(map(_chooses, aggregates)):
            yield from _without_key(rule, schema)


def _without_key(rule: Rule, schema: Schema) -> Iterator[Diagnostic]:
    """A list beside the best value of a located head is a path that came with it, hardly a group of its own."""
    types = schema.get(rule.head.predicate, ())
    lists = [i for i, type_ in enumerate(types) if type_ == LIST and not isinstance(rule.head.args[i], Aggregate)]
    if lists:
        group = [
            str(i + 1) for i, arg in enumerate(rule.head.args) if i not in lists and not isinstance(arg, Aggregate)
        ]
        shown = rule.head.args[lists[0]]
        column = f"`{shown.name}`" if isinstance(shown, Var) else f"column {lists[0] + 1}"
        key = ", ".join(group)
        yield diagnose("TL506", rule.head.span, relation=rule.head.predicate, column=column, key=key)
