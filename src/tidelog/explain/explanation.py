"""How the engine evaluates its rules: strata, join orders, indexes, cross products, placement.

Law: an explanation is read from the current plans, nothing is planned again; rules are shown as the user wrote them,
relations made by rewrites in words, unless core rules are requested. The placement is that of the engine's partitions,
or the one that the same rules would have on several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tidelog.explain.names import Names
from tidelog.explain.page import explanation_page
from tidelog.explain.plans import DemandPlan, IndexPlan, PlacementPlan, RelationPlan, StratumPlan
from tidelog.explain.steps import stratum_plan
from tidelog.explain.text import (
    cross_product_lines,
    demand_lines,
    index_lines,
    placement_lines,
    relation_lines,
    stratum_lines,
)
from tidelog.partition.code.plan_counts import by_label
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.plan.ruleset import Ruleset
from tidelog.plan.steps import Plan, column_order, is_ordered
from tidelog.rewrite.demand.pass_demand import BOUND
from tidelog.rewrite.demand.restrict import demand_relation
from tidelog.rewrite.names import is_auxiliary
from tidelog.rewrite.place.describe import describe_relations, describe_rule, describe_rules
from tidelog.rewrite.place.place import PlacedRules
from tidelog.runtime.protocol.facts import Facts
from tidelog.runtime.protocol.runtime import Runtime
from tidelog.store.image.skew import FEW, UNEVEN

NOWHERE: Mapping[tuple[str, ...], str] = {}


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an engine evaluates its rules. ``str`` returns a text, and `to_json` plain values."""

    relations: tuple[RelationPlan, ...]
    strata: tuple[StratumPlan, ...]
    indexes: tuple[IndexPlan, ...]
    placement: PlacementPlan | None = None
    demand: tuple[DemandPlan, ...] = ()

    @property
    def cross_products(self) -> tuple[tuple[str, str], ...]:
        """(rule, relation) for every relation that is scanned completely in the middle of a join."""
        found = {
            (rule.label, name)
            for stratum in self.strata
            for rule in stratum.rules
            for order in rule.orders
            for name in order.crossed
        }
        return tuple(sorted(found))

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return {**asdict(self), "cross_products": [list(pair) for pair in self.cross_products]}

    def _repr_html_(self) -> str:
        return explanation_page(self.relations, self.strata, self.indexes, self.cross_products, self.placement)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield from relation_lines(self.relations)
        yield from demand_lines(self.demand)
        for stratum in self.strata:
            yield from stratum_lines(stratum)
        yield from index_lines(self.indexes)
        yield from cross_product_lines(self.cross_products)
        if self.placement is not None:
            yield from placement_lines(self.placement)


def explain(
    runtime: Runtime,
    rules: Ruleset,
    columns: Mapping[str, Sequence[str]],
    core: bool,
    placed: PlacedRules | None = None,
    partitions: int = 1,
    rebuilt: Mapping[tuple[str, ...], str] = NOWHERE,
    *,
    analyze: bool = False,
) -> Explanation:
    """How the rules in force are evaluated; ``columns`` names the columns of each relation.

    ``placed`` is how the rules run on ``partitions``, None for one; ``rebuilt`` is why strata were rebuilt. With
    ``analyze``, it includes what each step did.
    """
    names, facts = Names(rules, core, placed), runtime.facts
    strata = _in_order(runtime.node.strata.values())
    home = {name: number for number, stratum in enumerate(strata, 1) for name in stratum.relations}
    relations = (
        RelationPlan(names.relation(name), _typed(columns.get(name, ()), types), home.get(name), facts.live(name))
        for name, types in sorted(rules.schema.items())
        if (core or not is_auxiliary(name)) and facts.arity(name) is not None
    )
    plans, sizes = facts.plans(), facts.model_sizes() if rules.modelled else {}
    counted = by_label(facts.plan_counts()) if analyze else None
    return Explanation(
        tuple(relations),
        tuple(
            replace(
                stratum_plan(number, stratum, names, plans, sizes, counted),
                rebuilt=rebuilt.get(_profile_key(stratum, rules), ""),
            )
            for number, stratum in enumerate(strata, 1)
        ),
        _indexes(runtime.node.partition.rules.codes.values(), plans, names),
        None if placed is None else _placement(placed, rules, names, partitions, facts),
        tuple(_demand(rules, names, facts.live)),
    )


def _demand(rules: Ruleset, names: Names, size: Callable[[str], int]) -> Iterator[DemandPlan]:
    """The demand for relations that are evaluated on demand, and those that are evaluated completely."""
    if rules.demand is None:
        return
    shown = [name for name in (*rules.demand.patterns, *rules.demand.whole) if names.core or not is_auxiliary(name)]
    for name in sorted(shown):
        patterns = rules.demand.patterns.get(name, ())
        columns = tuple(tuple(i for i, mark in enumerate(p, 1) if mark == BOUND) for p in patterns)
        values = sum(size(demand_relation(name, pattern)) for pattern in patterns)
        yield DemandPlan(name, columns, values, rules.demand.whole.get(name, ""))


def _in_order(strata: Iterable[Stratum]) -> list[Stratum]:
    """The strata that have rules, each once, lower ones first."""
    return sorted({id(s): s for s in strata if s.rules}.values(), key=lambda s: s.order)


def _profile_key(stratum: Stratum, rules: Ruleset) -> tuple[str, ...]:
    """The relations of a stratum as a profile shows them."""
    return tuple(sorted(map(Names(rules).relation, stratum.relations)))


def _typed(columns: Sequence[str], types: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(f"{column}: {type_ or '?'}" for column, type_ in zip(columns, types, strict=False))


def _placement(placed: PlacedRules, rules: Ruleset, names: Names, partitions: int, facts: Facts) -> PlacementPlan:
    owners = None if names.core else names.owners
    uneven = _uneven(placed, facts)
    placements = {
        name: f"{line}; {uneven[name]}" if name in uneven else line
        for name, line in describe_relations(placed, owners).items()
    }
    placements |= {
        name: f"{names.relation(name)}: {rule_texts}" for name, rule_texts in uneven.items() if is_auxiliary(name)
    }
    if names.core:
        return PlacementPlan(partitions, placements, describe_rules(placed, rules.core))
    rule_texts = {
        label: describe_rule(label, made, placed, names.relation) for label, made in rules.core_labels.items()
    }
    return PlacementPlan(partitions, placements, rule_texts)


def _uneven(placed: PlacedRules, facts: Facts) -> dict[str, str]:
    """The relations of which one partition has far more than its share, including copies and other auxiliary ones."""
    spread = sorted(name for name, home in placed.placements.items() if home.column >= 0)
    return {
        name: f"the fullest partition has {times:.1f} x the mean"
        for name in spread
        if (times := facts.unevenness(name)) > UNEVEN and facts.live(name) >= FEW
    }


def _indexes(codes: Iterable[RuleCode], plans: Mapping[str, Sequence[Plan]], names: Names) -> tuple[IndexPlan, ...]:
    users: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for code in codes:
        for relation, columns in code.fixed_indexes.union(*(plan.indexes for plan in plans.get(code.label, ()))):
            users.setdefault((relation, columns), []).append(names.label(code.rule))
    found = [
        IndexPlan(
            names.relation(relation),
            tuple((c if c >= 0 else column_order(c)[0]) + 1 for c in columns),
            tuple(dict.fromkeys(sorted(labels))),
            is_ordered(columns),
        )
        for (relation, columns), labels in users.items()
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda index: (index.relation, index.columns, index.ordered)))
