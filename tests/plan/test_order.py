"""Join orders, indexes and cross products: plans find the same supports, and visit little on the way."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.plan.plan_rule import plan_rule, plan_whole
from tidelog.plan.statistics import Sizes
from tidelog.plan.steps import Absent, Apply, Compare, Compute, Generate, Plan, Visit
from tidelog.program.check import check_program
from tidelog.program.functions.table import FUNCTIONS
from tidelog.rewrite.label_rules import label_rules
from tidelog.rewrite.pipeline import to_core_rule
from tidelog.syntax import parse_program


def plans(text: str, sizes: Mapping[str, int] | None = None) -> tuple[list[Plan], Plan]:
    """The delta plans of the first rule of a program, and its plan over the whole state."""
    checked = check_program(parse_program(text))
    (rule,) = to_core_rule(label_rules(checked.program.rules[:1], set())[0])
    known = Sizes(lambda name: (sizes or {}).get(name, 100), lambda name, columns: None, {}, frozenset())
    given = (rule, checked.schema, FUNCTIONS, known)
    return list(plan_rule(*given)), plan_whole(*given)


def visits(plan: Plan) -> list[tuple[str, tuple[int, ...]]]:
    return [(step.relation, step.columns) for step in plan.steps if isinstance(step, Visit)]


def test_every_atom_is_a_trigger() -> None:
    deltas, whole = plans("p(X,Z) :- e(X,Y), e(Y,Z), !b(X).")
    assert [plan.trigger for plan in deltas] == [0, 1, 2]
    assert whole.trigger is None


def test_trigger_binds_what_the_other_atoms_are_looked_up_by() -> None:
    deltas, _ = plans("reach(X,Z) :- edge(X,Y), reach(Y,Z).")
    assert visits(deltas[0]) == [("reach", (0,))]
    assert visits(deltas[1]) == [("edge", (1,))]
    assert deltas[0].indexes == {("reach", (0,))}


def test_fact_that_is_fully_bound_needs_no_index() -> None:
    deltas, _ = plans("p(X,Y) :- e(X,Y), e(Y,X).")
    assert visits(deltas[0]) == [("e", (0, 1))]
    assert deltas[0].indexes == frozenset()


def test_small_relations_come_first() -> None:
    _, whole = plans("p(X) :- big(X,Y), small(Y).", {"big": 10**6, "small": 3})
    assert visits(whole) == [("small", ()), ("big", (1,))]


def test_bound_variables_beat_small_relations() -> None:
    deltas, _ = plans("p(X,Z) :- a(X), big(X,Y), small(Z), c(Y,Z).", {"big": 10**6, "small": 50})
    assert visits(deltas[0])[0] == ("small", ()) or visits(deltas[0])[0][0] == "big"
    assert [name for name, _ in visits(deltas[3])][-1] != "c"


def test_cross_product_is_evaluated_and_reported() -> None:
    deltas, whole = plans("p(X,Y) :- a(X), b(Y).")
    assert deltas[0].cross_products == ("b",)
    assert deltas[1].cross_products == ("a",)
    assert len(whole.cross_products) == 1
    db = Engine("p(X,Y) :- a(X), b(Y).")
    with db.epoch() as e:
        e.insert("a", [(1,), (2,)])
        e.insert("b", [(3,), (4,)])
    assert len(db["p"]) == 4


def test_connected_atoms_are_no_cross_product() -> None:
    deltas, whole = plans("p(X,W) :- a(X,Y), b(Y,Z), c(Z,W).")
    assert all(plan.cross_products == () for plan in (*deltas, whole))


def test_filters_come_as_soon_as_their_variables_are_bound() -> None:
    _, whole = plans("p(X,Z) :- a(X,Y), b(Y,Z), X < Y, !c(X).", {"a": 10, "b": 10**4, "c": 5})
    kinds = [type(step) for step in whole.steps]
    assert kinds.index(Visit) < kinds.index(Compare) < len(kinds) - 1 - kinds[::-1].index(Visit)
    assert kinds.index(Absent) < len(kinds) - 1 - kinds[::-1].index(Visit)


def test_computations_that_may_fail_come_after_the_filters() -> None:
    _, whole = plans("p(Z) :- a(X), b(Y), Y != 0, Z = X / Y.")
    kinds = [type(step) for step in whole.steps]
    assert kinds.index(Compare) < kinds.index(Compute)
    db = Engine("p(Z) :- a(X), b(Y), Z = X / Y, Y != 0.")
    with db.epoch() as e:
        e.insert("a", [(6,)])
        e.insert("b", [(0,), (2,)])
    assert list(db["p"]) == [(3,)]


def test_numbers_are_computed_in_the_kernel_and_texts_in_python() -> None:
    _, numbers = plans("p(Y) :- a(X), Y = X + 1.")
    _, texts = plans('p(Y) :- a(X), Y = cat(X, "!").')
    assert any(isinstance(step, Compute) for step in numbers.steps)
    assert any(isinstance(step, Apply) for step in texts.steps)


def test_range_is_generated() -> None:
    _, whole = plans("p(X,I) :- a(X), I = range(0, X).")
    assert any(isinstance(step, Generate) for step in whole.steps)


def test_constants_and_repeated_variables_are_part_of_the_key() -> None:
    deltas, _ = plans("p(X) :- a(X), e(X,3,X).")
    assert visits(deltas[0]) == [("e", (0, 1, 2))]
    assert len(deltas[1].checks) == 2


@pytest.mark.parametrize("order", ["a(X,Y), b(Y,Z), c(Z)", "c(Z), a(X,Y), b(Y,Z)", "b(Y,Z), c(Z), a(X,Y)"])
def test_any_order_of_the_body_gives_the_same_supports(order: str) -> None:
    db = Engine(f"p(X,Z) :- {order}.")
    with db.epoch() as e:
        e.insert("a", [(i, i % 3) for i in range(9)])
        e.insert("b", [(i % 3, i % 4) for i in range(12)])
        e.insert("c", [(0,), (2,)])
    assert len(db["p"]) == 18
    assert {fact.all for fact in db.state().facts["p"].values()} == {1}


def test_indexes_are_shared_between_rules_and_dropped_when_unused() -> None:
    db = Engine("p(X,Z) :- e(X,Y), f(Y,Z).")
    relations = core_of(db).runtime.node.partition.relations
    before = len(relations.index_columns())
    with db.epoch() as e:
        shared = e.add_rule("q(X,Z) :- e(X,Y), f(Y,Z).")
    assert len(relations.index_columns()) == before
    with db.epoch() as e:
        other = e.add_rule("r(Y,Z) :- e(X,Y), f(X,Z).")
    assert len(relations.index_columns()) > before
    for label in (shared, other):
        with db.epoch() as e:
            e.remove_rule(label)
    assert len(relations.index_columns()) == before


def test_a_plan_is_made_anew_when_a_relation_has_grown() -> None:
    db = Engine("p(X,Z) :- e(X,Y), f(Y,Z).")
    with db.epoch() as e:
        e.insert("e", [(0, 0)])
        e.insert("f", [(i, i) for i in range(5000)])
    with db.epoch() as e:
        e.insert("e", [(i, i % 50) for i in range(6000)])
    with db.epoch() as e:
        e.insert("e", [(6000, 7)])
    assert (6000, 7) in db["p"]
    assert len(db["p"]) == 6001
