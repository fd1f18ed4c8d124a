"""Aggregates that are folded over their original rows instead of over relations created for them.

Laws. The best value of a group depends only on the values of its rows, so that a min or max may range over the rows
that its candidates are a projection of; a count, sum or mean may only if the projection loses no row. A min or max is
folded if its rows come from a lower stratum, and its values are ordered as their cells are; in a recursion, and for
text, candidates remain facts that are shown best first (`kernel.aggregate`). The rules that run depend on all rules
together, and are computed again whenever they or their types change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from tidelog.plan.plan_rule import ORDERED_BY_CELL, aggregate_of
from tidelog.plan.strata import core_edges
from tidelog.plan.term_types import Schema
from tidelog.program import Aggregate, Atom, Rule, Var, Wildcard
from tidelog.program.graph.strata import strata_of_edges
from tidelog.program.values.scope import atoms
from tidelog.program.values.term import CHOICE, MODEL
from tidelog.rewrite.lift_aggregates import ORDERED
from tidelog.rewrite.names import CANDIDATES, VALUES, is_requested_result

Core = Mapping[str, Rule]


@dataclass(frozen=True, slots=True)
class LiftedRules:
    """Core rules before their aggregates are folded over rows, and the labels of those of each rule."""

    core: Core
    core_labels: Mapping[str, tuple[str, ...]]


def fold_rows(core: Core, schema: Schema, folding: Iterable[str]) -> Core:
    """The rules as they run: ``core`` itself if no aggregate ranges over different rows than before.

    ``folding`` are the labels of the rules that are `ranging`.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> from tidelog.rewrite import to_core
    >>> rules = to_core(parse_program("best(G, max<V>) :- sale(_, G, V).").rules)
    >>> types = {name: ("number",) * 3 for name in ("sale", "__val_best/max2", "best")}
    >>> core = {rule.label: rule for rule in rules}
    >>> [print_rule(rule) for rule in fold_rows(core, types, ranging(core)).values()]
    ['best/max2: best(G, max<V>) :- sale(V1, G, V).']
    """
    return _Rows(core, schema).folded({label: core[label] for label in sorted(folding)})


def ranging(core: Core) -> frozenset[str]:
    """The labels of the rules that aggregate rows which may be found elsewhere."""
    return frozenset(label for label, rule in core.items() if _ranges(rule))


def _ranges(rule: Rule) -> bool:
    """Whether a rule aggregates rows that may be found elsewhere."""
    aggregate = aggregate_of(rule)
    return (
        aggregate is not None and aggregate.kind not in (CHOICE, MODEL) and not is_requested_result(rule.head.predicate)
    )


class _Rows:
    """The origins of the rows of aggregates."""

    def __init__(self, core: Core, schema: Schema) -> None:
        self.core, self.schema = core, schema
        self.makers: dict[str, list[Rule]] = {}
        for rule in core.values():
            self.makers.setdefault(rule.head.predicate, []).append(rule)
        self._strata: dict[str, int] | None = None

    def folded(self, aggregates: Core) -> Core:
        """The rules with these aggregates folded over rows; relations that are no longer read have no rules."""
        changed = {label: self._over_rows(rule) for label, rule in aggregates.items()}
        if all(changed[label] is rule for label, rule in aggregates.items()):
            return self.core
        core = {**self.core, **changed}
        left = [rule.body[0].predicate for rule in aggregates.values() if isinstance(rule.body[0], Atom)]
        return _without_unread(core, left)

    def _over_rows(self, rule: Rule) -> Rule:
        aggregate, source = aggregate_of(rule), rule.body[0]
        assert aggregate is not None
        assert isinstance(source, Atom)
        if aggregate.kind in ORDERED:
            if not self._is_foldable(rule, aggregate, source):
                return rule
            rule = _marked(rule)
        while (over := self._behind(rule)) is not None and self._is_below(over):
            rule = over
        return rule

    def _is_foldable(self, rule: Rule, aggregate: Aggregate, source: Atom) -> bool:
        """Whether a min or max does not have to show candidates best first."""
        assert isinstance(aggregate.value, Var)
        type_ = self.schema.get(source.predicate, (None,) * len(source.args))[source.args.index(aggregate.value)]
        return not aggregate.ties and type_ in ORDERED_BY_CELL and self._is_below(rule)

    def _is_below(self, rule: Rule) -> bool:
        """Whether the rows of an aggregate rule come from a lower stratum."""
        if self._strata is None:
            rules = list(self.core.values())
            strata = strata_of_edges(rules, core_edges(rules))
            self._strata = {name: number for number, stratum in enumerate(strata) for name in stratum.relations}
        (source,) = atoms(rule.body)
        return self._strata.get(source.predicate, -1) != self._strata[rule.head.predicate]

    def _behind(self, rule: Rule) -> Rule | None:
        """The aggregate rule over the rows of which its rows are a projection; None if they are not a projection."""
        (source,) = atoms(rule.body)
        makers = self.makers.get(source.predicate, ())
        if not source.predicate.startswith((VALUES, CANDIDATES)) or len(makers) != 1 or source.location is not None:
            return None
        return _over_projected(rule, makers[0])


@lru_cache(maxsize=20_000)
def _marked(rule: Rule) -> Rule:
    """A min or max, marked as folded."""
    args = (replace(arg, folded=True) if isinstance(arg, Aggregate) else arg for arg in rule.head.args)
    return replace(rule, head=replace(rule.head, args=tuple(args)))


@lru_cache(maxsize=20_000)
def _over_projected(rule: Rule, projection: Rule) -> Rule | None:
    """An aggregate rule over the rows that a rule projects, with that rule's variables; None if it is not equivalent.

    The same rules yield the same object, because facts about a rule are cached by identity.
    """
    match projection.body:
        case (Atom(location=None) as rows,) if type(rows) is Atom and projection.head.location is None:
            columns = projection.head.args
        case _:
            return None
    aggregate, (source,) = aggregate_of(rule), atoms(rule.body)
    assert aggregate is not None
    named = [arg for arg in rows.args if isinstance(arg, Var)]
    plain = len(set(named)) == len(named) and all(isinstance(arg, Var | Wildcard) for arg in rows.args)
    loses = aggregate.kind not in ORDERED and len(set(columns)) < len(rows.args)
    if not plain or loses or not set(columns) <= set(named):
        return None
    word = dict(zip(source.args, columns, strict=True))
    over = aggregate.measuring([word[term] for term in aggregate.measured])
    head = tuple(over if arg is aggregate else word[arg] for arg in rule.head.args)
    used = [arg for arg in (*head, *over.measured) if isinstance(arg, Var)]
    if len(set(used)) < len(used):
        return None  # one column in two roles
    taken = {arg.name for arg in named}
    fresh = (name for name in map("V{}".format, range(1, 2 + 2 * len(rows.args))) if name not in taken)
    args = tuple(arg if isinstance(arg, Var) else Var(next(fresh)) for arg in rows.args)
    return replace(rule, head=replace(rule.head, args=head), body=(replace(rows, args=args),), origin=rule)


def _without_unread(core: dict[str, Rule], names: Iterable[str]) -> dict[str, Rule]:
    """The rules, without those of relations created for aggregates that no rule reads."""
    readers = Counter(atom.predicate for rule in core.values() for atom in atoms(rule.body))
    makers: dict[str, list[str]] = {}
    for label, rule in core.items():
        makers.setdefault(rule.head.predicate, []).append(label)
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name.startswith((VALUES, CANDIDATES)) and not readers[name]:
            for atom in (atom for label in makers.pop(name, ()) for atom in atoms(core.pop(label).body)):
                readers[atom.predicate] -= 1
                waiting.append(atom.predicate)
    return core
