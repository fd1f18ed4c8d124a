"""Join orders in words: what is visited when a fact of a rule's body changes, step by step.

Law: a step is told with the variables and terms of the rule in place of the registers of the plan; a computation is
told where its value is used.
"""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.explain.names import Names
from tidelog.explain.plans import JoinOrder, RulePlan, StratumPlan
from tidelog.explain.text import columns_text
from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.plan.steps import Absent, Apply, Compare, Compute, Expose, Generate, Operand, Plan, Step, Visit
from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Term, Var


def stratum_plan(number: int, stratum: Stratum, names: Names) -> StratumPlan:
    """A stratum with the join orders of its rules."""
    recursive = any(
        isinstance(literal, Atom) and literal.predicate in stratum.relations
        for code in stratum.rules.values()
        for literal in code.rule.body
    )
    rules: dict[tuple[str, str], tuple[JoinOrder, ...]] = {}
    for code in stratum.rules.values():
        key = (names.label(code.rule), names.text(code.rule))
        rules[key] = (*rules.get(key, ()), *_orders(code, names))
    told = tuple(RulePlan(label, text, orders) for (label, text), orders in rules.items())
    return StratumPlan(number, tuple(sorted(map(names.relation, stratum.relations))), recursive, told)


def _orders(code: RuleCode, names: Names) -> tuple[JoinOrder, ...]:
    if code.fold is not None:
        return (JoinOrder(names.literal(code.rule.body[0]), (f"fold the {code.fold.kind} of its group",)),)
    return tuple(_order(plan, names) for plan in code.plans)


def _order(plan: Plan, names: Names) -> JoinOrder:
    assert plan.trigger is not None
    trigger = plan.rule.body[plan.trigger]
    told = _Told(plan, names)
    steps = tuple(text for step in plan.steps if (text := told.step(step)))
    return JoinOrder(names.literal(trigger), steps, tuple(map(names.relation, plan.cross_products)))


class _Told:
    """The steps of a plan with registers told as the variables and terms they hold."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self.plan = plan
        self.names = names
        self.terms: dict[int, Term] = {}
        assert plan.trigger is not None
        trigger = plan.rule.body[plan.trigger]
        self._bind(trigger.atom if isinstance(trigger, Negation) else trigger, plan.binds)

    def _bind(self, atom: Literal, binds: Iterable[tuple[int, int]]) -> None:
        assert isinstance(atom, Atom)
        self.terms.update({register: atom.args[column] for column, register in binds})

    def _term(self, operand: Operand) -> Term:
        return operand if isinstance(operand, Const) else self.terms[operand]

    def step(self, step: Step) -> str:
        """The step in words; nothing for a computation, which is told where its value is used."""
        match step:
            case Visit():
                return self._visit(step)
            case Absent(position=position):
                return self.names.literal(self.plan.rule.body[position])
            case Compare(op=op, left=left, right=right):
                return self.names.literal(self._compared(op, self._term(left), self._term(right)))
            case Compute(op=op, target=target, args=args):
                self.terms[target] = Call(op, tuple(map(self._term, args)))
            case Apply(function=function, target=target, args=args):
                self.terms[target] = Call(function, tuple(map(self._term, args)))
            case Generate(target=target, first=first, end=end, step=by):
                args = (first, end) if by is None else (first, end, by)
                return self._generated(target, Call("range", tuple(map(self._term, args))))
            case Expose(kind=kind):
                return f"if it is the {'least' if kind == 'min' else 'greatest'} of its group"
        return ""

    def _compared(self, op: str, left: Term, right: Term) -> Comparison:
        """A comparison; that of texts is told as itself, not as the sign of their order."""
        if isinstance(left, Call) and left.function == "compare" and right == Const(0, "number"):
            left, right = left.args
        return Comparison(op, left, right)

    def _visit(self, step: Visit) -> str:
        atom = self.plan.rule.body[step.position]
        self._bind(atom, step.binds)
        text = self.names.literal(atom)
        if step.is_scan:
            return f"all of {text}"
        if len(step.key) == step.arity:
            return f"{text} as one fact"
        return f"{text} by {columns_text([column + 1 for column in step.columns])}"

    def _generated(self, target: int, values: Call) -> str:
        variable = next(
            (
                literal.left
                for literal in self.plan.rule.body
                if isinstance(literal, Comparison) and isinstance(literal.left, Var) and literal.right == values
            ),
            Var("_"),
        )
        self.terms[target] = variable
        return f"{self.names.term(variable)} in {self.names.term(values)}"
