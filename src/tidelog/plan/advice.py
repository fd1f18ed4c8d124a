"""Advice on join orders: Soufflé's `.plan`, translated to the plans that rules have here.

Law: advice changes the cost of a plan, never what it finds. In `.plan 0:(2, 1), 1:(1, 2)` a version is the plan for a
change of one recursive atom, counted from 0 in the order of the body; a rule without recursive atoms has only version
0. Here every atom can change, and the changed atom comes first: the advice is the order of the remaining atoms. Advice
is followed if its estimated cost is at most `order.ADVISED` times that of the planner's order; binding advice is
followed whenever that is possible. It is impossible if an atom that reads a computed value would precede atoms that do
not: a computation that may fail runs only for valuations that the rest of the body admits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from tidelog.errors import EngineError
from tidelog.plan import plan_failures as failures
from tidelog.plan.body import is_generator, literal_variables, may_fail
from tidelog.plan.modes import Plans
from tidelog.plan.plan_text import RuleNames
from tidelog.plan.strata import core_edges
from tidelog.plan.work import UNADVISED, AdvisedOrders
from tidelog.program import Atom, Comparison, Literal, Negation, Rule, Var, variables
from tidelog.program.graph.strata import strata_of_edges
from tidelog.rewrite.names import is_lifted


def read_plans(name: str) -> Plans:
    """Return the handling of `.plan` that a user selected by name."""
    if name not in tuple(Plans):
        raise failures.PLANS.error(given=name, known=", ".join(f'"{mode}"' for mode in Plans))
    return Plans(name)


class Advice:
    """The advice of the rules of one form, and whether it is binding."""

    def __init__(self, mode: Plans, core: Mapping[str, Rule]) -> None:
        self._mode, self._core = mode, core

    @cached_property
    def _together(self) -> dict[str, frozenset[str]]:
        """For each relation, the relations that are evaluated together with it."""
        rules = list(self._core.values())
        strata = strata_of_edges(rules, core_edges(rules))
        return {name: frozenset(stratum.relations) for stratum in strata for name in stratum.relations}

    def of(self, rule: Rule) -> AdvisedOrders:
        """The orders advised for the plans of a rule; those that cannot be followed are omitted or refused."""
        if not rule.plans or self._mode is Plans.ignore:
            return UNADVISED
        together, found = self._together[rule.head.predicate], {}
        for trigger in (*(i for i, x in enumerate(rule.body) if isinstance(x, Atom | Negation)), None):
            order = advised_order(rule, trigger, together)
            broken = None if order is None else broken_by(rule, trigger, order)
            if broken is not None and self._mode is Plans.binding:
                raise _refused(rule, trigger, *broken)
            if order is not None and broken is None:
                found[trigger] = order
        return AdvisedOrders(found, self._mode is Plans.binding)


def advised_order(rule: Rule, trigger: int | None, together: Collection[str]) -> tuple[int, ...] | None:
    """The places in the body of the atoms that a `.plan` orders after a trigger; None if it does not mention it.

    ``together`` are the relations evaluated together with the rule's head.
    """
    atoms = [i for i, x in enumerate(rule.body) if isinstance(x, Atom) and not is_lifted(x.predicate)]
    recursive = [i for i in atoms if getattr(rule.body[i], "predicate", "") in together]
    if recursive and trigger not in recursive:
        return None  # Soufflé has no such version
    version = recursive.index(trigger) if trigger is not None and recursive else 0
    order = dict(rule.plans).get(version)
    if order is None or len(order) != len(atoms):  # belongs to another branch of a disjunction
        return None
    return tuple(place for number in order if (place := atoms[number - 1]) != trigger)


def broken_by(rule: Rule, trigger: int | None, advised: Sequence[int]) -> tuple[int, Literal] | None:
    """The atom that would come too early, with the computation whose result it reads; None if there is none."""
    bound = _bound_by(rule, trigger)
    for literal in rule.body:
        if not may_fail(literal) or is_generator(literal):
            continue
        results = _results(rule, literal, bound)
        readers = [results.intersection(literal_variables(rule.body[place])) for place in advised]
        early = next((i for i, reads in enumerate(readers) if reads), len(readers))
        if not all(readers[early:]):
            return advised[early], literal
    return None


def _bound_by(rule: Rule, trigger: int | None) -> set[str]:
    return set() if trigger is None else set(literal_variables(rule.body[trigger]))


def _results(rule: Rule, computation: Literal, bound: set[str]) -> set[str]:
    """The variables whose values come from a computation, directly or through other equations."""
    found = _assigned(computation, bound)
    again = bool(found)
    while again:
        more = {
            name
            for literal in rule.body
            if literal is not computation and found.intersection(literal_variables(literal))
            for name in _assigned(literal, bound)
        }
        again = not more <= found
        found |= more
    return found


def _assigned(literal: Literal, bound: set[str]) -> set[str]:
    """The variables that an equation binds."""
    if not isinstance(literal, Comparison) or literal.op != "=":
        return set()
    sides = ((literal.left, literal.right), (literal.right, literal.left))
    return {
        here.name
        for here, there in sides
        if isinstance(here, Var) and here.name not in bound and here.name not in {v.name for v in variables(there)}
    }


def _refused(rule: Rule, trigger: int | None, place: int, computation: Literal) -> EngineError:
    names = RuleNames()
    when = "over the whole state" if trigger is None else f"on a change of `{names.literal(rule.body[trigger])}`"
    return failures.PLAN_TOO_EARLY.error(
        label=rule.users_label,
        when=when,
        atom=names.literal(rule.body[place]),
        computation=names.literal(computation),
    )
