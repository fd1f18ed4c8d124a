"""Doubtful witnesses: heads in which nothing determines which columns belong to the best value (TL506, TL507).

Law: in a relation with a key one best value has its witnesses (`elaborate.mark_witnesses`); with several aggregates no
value is the best one, and a list beside the best value of a located head without a key is hardly a group.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.errors import Diagnostic
from tidelog.program.graph.keys import key_columns
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.assign import Schema
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import LIST, Aggregate, Term, Var

CHOOSING = ("min", "max")


def check_witnesses(program: Program, schema: Schema) -> Iterator[Diagnostic]:
    """Heads with doubtful witnesses: several aggregates (TL507), or lists beside a value without a key (TL506)."""
    keys = key_columns(program)
    for rule in program.rules:
        name, aggregates = rule.head.predicate, head_aggregates(rule)
        if name in keys and len(aggregates) > 1:
            beside = [i for i, arg in enumerate(rule.head.args) if i not in keys[name] and arg not in aggregates]
            if beside:
                yield diagnose("TL507", rule.head.span, relation=name, column=beside[0] + 1)
        elif name not in keys and rule.head.location is not None and any(map(chooses, aggregates)):
            yield from _without_key(rule, schema)


def _without_key(rule: Rule, schema: Schema) -> Iterator[Diagnostic]:
    """A list next to the best value of a located head is a path that belongs to it, hardly a separate group."""
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


def chooses(term: Term) -> bool:
    """Whether a term of a head is the best value of a group."""
    return isinstance(term, Aggregate) and term.body is None and term.kind in CHOOSING


def head_aggregates(rule: Rule) -> list[Term]:
    """The aggregates over the rule's own body in its head."""
    return [arg for arg in rule.head.args if isinstance(arg, Aggregate) and arg.body is None]
