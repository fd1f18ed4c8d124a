"""An explanation as lines of text.

Law: every part is shown once, in the order of evaluation; empty parts are omitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tidelog.errors.counts import counted
from tidelog.explain.numbers import number_lines
from tidelog.explain.plans import DemandPlan, IndexPlan, PlacementPlan, RelationPlan, StratumPlan
from tidelog.plan.plan_text import columns_text


def relation_lines(relations: Iterable[RelationPlan]) -> Iterator[str]:
    """A line for each relation: columns, stratum, size."""
    yield "relations"
    for relation in relations:
        place = "base" if relation.stratum is None else f"stratum {relation.stratum}"
        yield f"  {relation.name}({', '.join(relation.columns)})  {place}, {counted(relation.facts, 'fact')}"


def demand_lines(plans: Sequence[DemandPlan]) -> Iterator[str]:
    """A line for each relation that is evaluated on demand."""
    if plans:
        yield ""
        yield "on demand"
    for plan in plans:
        if plan.whole:
            yield f"  {plan.relation}: whole, {plan.whole}"
        elif not plan.asked:
            yield f"  {plan.relation}: not demanded"
        else:
            known = " and ".join(f"by {columns_text(columns)}" for columns in plan.asked)
            yield f"  {plan.relation}: demanded {known}, {counted(plan.values, 'value')}"


def stratum_lines(stratum: StratumPlan) -> Iterator[str]:
    """A stratum, its rules, and a line for each of their join orders."""
    yield ""
    yield f"stratum {stratum.number}{', recursive' if stratum.recursive else ''}: {'; '.join(stratum.relations)}"
    if stratum.rebuilt:
        yield f"  rebuilt by the last epoch that reached it: {stratum.rebuilt}"
    for rule in stratum.rules:
        yield f"  {rule.text}"
        for order in rule.orders:
            if order.numbers:
                yield from number_lines(order)
            else:
                yield f"    on {order.trigger}" + (": " + ", then ".join(order.steps) if order.steps else "")


def index_lines(indexes: Sequence[IndexPlan]) -> Iterator[str]:
    """A line for each index and the rules that use it."""
    if indexes:
        yield ""
        yield "indexes"
    for index in indexes:
        yield f"  {index.relation} by {index.key}: {', '.join(index.rules)}"


def cross_product_lines(cross_products: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A line for each (rule, relation)."""
    if cross_products:
        yield ""
        yield "cross products: the rules below visit a whole relation for every match of the preceding atoms"
    for label, name in cross_products:
        yield f"  {label}: {name}"


def placement_lines(placement: PlacementPlan) -> Iterator[str]:
    """A line for each relation and for each rule."""
    yield ""
    yield f"placement on {counted(placement.partitions, 'partition')}"
    yield from (f"  {line}" for line in placement.relations.values())
    yield from (f"  {line}" for line in placement.rules.values())
