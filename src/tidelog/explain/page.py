"""Explanations and profiles for notebooks: tables, and collapsible strata.

Law: the page has the same content and the same numbers as the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.errors.counts import counted
from tidelog.explain.account import Account, rebuilt_text, rule_time
from tidelog.explain.numbers import duration, number_lines
from tidelog.explain.plans import IndexPlan, JoinOrder, PlacementPlan, RelationPlan, RulePlan, StratumPlan
from tidelog.explain.waste import waste_lines
from tidelog.io import html

OPEN = 6  # strata that are expanded


def explanation_page(
    plans: Sequence[RelationPlan],
    strata: Sequence[StratumPlan],
    indexes: Sequence[IndexPlan],
    cross_products: Sequence[tuple[str, str]],
    placement: PlacementPlan | None,
) -> str:
    """Relations, strata with their rules and join orders, indexes, cross products and placement."""
    relations = [
        (
            html.Html(html.code(relation.name)),
            ", ".join(relation.columns),
            "base" if relation.stratum is None else f"stratum {relation.stratum}",
            relation.facts,
        )
        for relation in plans
    ]
    parts = [html.table(("relation", "columns", "where", "facts"), relations, numbers=(3,))]
    parts += [_stratum(stratum, shown=len(strata) <= OPEN) for stratum in strata]
    if indexes:
        rows = [(each.relation, each.key, ", ".join(each.rules)) for each in indexes]
        parts.append(html.fold("indexes", html.table(("index of", "by", "for"), rows)))
    if cross_products:
        crossed = html.table(("rule", "visits all of"), cross_products)
        parts.append(html.fold("cross products", crossed, is_open=True))
    if placement is not None:
        lines = (*placement.relations.values(), *placement.rules.values())
        inside = "".join(html.line(html.text(line)) for line in lines)
        parts.append(html.fold(f"placement on {counted(placement.partitions, 'partition')}", inside))
    return html.page(*parts)


def _stratum(stratum: StratumPlan, *, shown: bool) -> str:
    kind = ", recursive" if stratum.recursive else ""
    rebuilt = ""
    if stratum.rebuilt:
        rebuilt = html.line(html.faint(f"rebuilt by the last epoch that reached it: {stratum.rebuilt}"))
    title = html.text(f"stratum {stratum.number}{kind}: {'; '.join(stratum.relations)}")
    return html.fold(title, rebuilt + "".join(map(_rule, stratum.rules)), is_open=shown)


def _rule(rule: RulePlan) -> str:
    return html.fold(html.code(rule.text), "".join(map(_order, rule.orders)), is_open=bool(rule.orders))


def _order(order: JoinOrder) -> str:
    if order.numbers:
        return html.lines(number_lines(order))
    steps = "".join(f", then {html.code(step)}" for step in order.steps[1:])
    first = f": {html.code(order.steps[0])}" if order.steps else ""
    return html.line(f"on {html.code(order.trigger)}{first}{steps}")


def profile_page(last: Account, overall: Account) -> str:
    """The last epoch and all epochs, rules and strata in tables."""
    return html.page(
        html.fold(html.text(_title("last epoch", last)), _account(last), is_open=True),
        html.fold(html.text(_title(f"all epochs ({overall.epochs:,})", overall)), _account(overall)),
    )


def _title(name: str, account: Account) -> str:
    return f"{name}: {duration(account.seconds)}, {account.suspended:,} facts suspended, {account.revived:,} revived"


def _account(account: Account) -> str:
    rules = [(html.Html(html.code(r.rule)), rule_time(r), r.visited, r.supports) for r in account.rules]
    strata = [
        ("; ".join(s.relations), s.visits, duration(s.seconds), s.supports, s.suspended, s.revived)
        for s in account.strata
    ]
    parts = []
    if strata:
        heads = ("stratum", "visits", "time", "supports", "suspended", "revived")
        parts.append(html.table(heads, strata, numbers=range(1, len(heads))))
    parts += [html.line(html.text(f"{'; '.join(s.relations)}: {rebuilt_text(s)}")) for s in account.strata if s.rebuilt]
    if rules:
        parts.append(html.table(("rule", "time", "visited", "supports"), rules, numbers=(1, 2, 3)))
    if account.wasteful:
        parts.append(html.lines(waste_lines(account.wasteful)))
    return "".join(parts)
