"""Join orders in words, on request with what their steps did.

Law: the steps are those of the current plans; with numbers, also of the plans that they replaced and of those over the
whole state, if they did anything. The numbers of several partitions are added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelog.explain.names import Names
from tidelog.explain.numbers import duration
from tidelog.explain.plans import JoinOrder, RulePlan, StepNumbers, StratumPlan
from tidelog.partition.code.bundle_model import BundleModel
from tidelog.partition.code.instance_model import ModelPart
from tidelog.partition.code.pick import Pick
from tidelog.partition.code.plan_counts import PlanCounts
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.plan.plan_text import functions_in_words, steps_in_words, trigger_in_words
from tidelog.plan.steps import Plan, Step, Visit
from tidelog.program import Atom

CountsByRule = Mapping[str, Sequence[PlanCounts]]  # by label of the core rule
WELL_FOUNDED = "find the truth of each fact in the well-founded model"


def stratum_plan(
    number: int,
    stratum: Stratum,
    names: Names,
    plans: Mapping[str, Sequence[Plan]],
    sizes: Mapping[str, str],
    counted: CountsByRule | None = None,
) -> StratumPlan:
    """A stratum with the join orders of its rules, given their ``plans`` and the ``sizes`` of models.

    With ``counted``, it includes what each step did.
    """
    recursive = any(
        isinstance(literal, Atom) and literal.predicate in stratum.relations
        for code in stratum.rules.values()
        for literal in code.rule.body
    )
    rules: dict[tuple[str, str], tuple[JoinOrder, ...]] = {}
    for code in stratum.rules.values():
        key = (names.label(code.rule), names.text(code.rule))
        rules[key] = (*rules.get(key, ()), *_orders(code, names, plans, sizes, counted))
    rule_plans = tuple(RulePlan(label, text, orders) for (label, text), orders in rules.items())
    return StratumPlan(number, tuple(sorted(map(names.relation, stratum.relations))), recursive, rule_plans)


def _orders(
    code: RuleCode,
    names: Names,
    plans: Mapping[str, Sequence[Plan]],
    sizes: Mapping[str, str],
    counted: CountsByRule | None,
) -> tuple[JoinOrder, ...]:
    if code.fold is not None:
        if isinstance(code.fold, Pick):
            step = "choose one fact for each key"
        elif isinstance(code.fold, ModelPart):
            size = sizes.get(code.label)
            is_computed = isinstance(code.fold.model, BundleModel)
            step = "compute the values of each key" if is_computed else WELL_FOUNDED
            step += f": {size}" if size else ""
        else:
            step = f"fold the {code.fold.kind} of its group"
        return (JoinOrder(names.literal(code.rule.body[0]), (step,)),)
    if counted is None:
        return tuple(_order(plan, names) for plan in plans.get(code.label, ()))
    return tuple(_counted_order(part, names) for part in counted.get(code.label, ()) if _is_shown(part))


def _is_shown(part: PlanCounts) -> bool:
    return part.is_in_force or part.visited > 0


def _order(plan: Plan, names: Names) -> JoinOrder:
    steps = tuple(filter(None, steps_in_words(plan, names)))
    return JoinOrder(trigger_in_words(plan, names), steps, tuple(map(names.relation, plan.cross_products)))


def _counted_order(part: PlanCounts, names: Names) -> JoinOrder:
    plan, order = part.plan, _order(part.plan, names)
    texts, functions = steps_in_words(plan, names), functions_in_words(plan, names)
    rows = part.counts.tolist()
    numbers = [StepNumbers(order.trigger, rows[0][0], None, rows[0][2])]
    for place, (step, text, row) in enumerate(zip(plan.steps, texts, rows[1:], strict=True)):
        if place in functions:
            results, seconds = part.calls(place)
            text = f"{functions[place]}: {results:,} distinct arguments computed in {duration(seconds)}"
        if text:
            numbers.append(_numbers(step, text, row))
    return JoinOrder(order.trigger, order.steps, order.crossed, tuple(numbers), not part.current)


def _numbers(step: Step, text: str, row: list[int]) -> StepNumbers:
    entered, visited, passed = row[:3]
    if not isinstance(step, Visit):
        return StepNumbers(text, entered, None, passed)
    return StepNumbers(text, entered, visited, passed, step.estimate or None)
