"""The search for an order: the best of all orders of small bodies, connected wherever that is possible, and fast."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import permutations
from random import Random
from unittest.mock import patch

import pytest

from tests.plan.test_order import plans, visits
from tidelog.plan.body import Body, Part
from tidelog.plan.estimate import Estimates
from tidelog.plan.order import BodyOrders
from tidelog.plan.statistics import Sizes
from tidelog.plan.steps import Compute, Visit
from tidelog.program import Atom, Var, Wildcard

DOMAIN = 40


class Uniform:
    """Relations of given sizes over one domain of values."""

    def __init__(self, sizes: dict[str, int]) -> None:
        self.sizes = sizes

    def matching(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        return self.sizes[relation] / DOMAIN ** len(columns)

    def distinct(self, relation: str, arity: int, columns: tuple[int, ...]) -> float:
        return float(DOMAIN ** len(columns))


def random_body(rng: Random, atoms: int) -> tuple[list[Atom], Uniform]:
    """A connected body; every atom after the first shares a variable with one before."""
    used, body = [Var("X0")], []
    for number in range(atoms):
        args = [rng.choice(used)]
        for _ in range(rng.randint(0, 2)):
            if rng.random() < 0.6:
                used.append(Var(f"X{len(used)}"))
                args.append(used[-1])
            else:
                args.append(rng.choice([v for v in used if v not in args] or [Var(f"Y{number}")]))
        body.append(Atom(f"r{number}", tuple(dict.fromkeys(args))))
    return body, Uniform({atom.predicate: rng.choice([3, 50, 700, 20_000]) for atom in body})


def by_set(self: Estimates, part: Part, bound: int, done: int) -> tuple[float, float]:
    """Estimates by which a set of atoms gives the same rows in any order: what the search takes for granted."""
    columns = tuple(i for i, bit in enumerate(part.columns) if bit & bound)
    rows = self._statistics.matching(part.literal.predicate, len(part.columns), columns)
    return rows, rows


def cost_of(order: Sequence[int], body: Body, estimates: Estimates, bound: int) -> float | None:
    """What an order costs; None if it makes a cross product."""
    cost, rows = 0.0, 1.0
    for position in order:
        if bound and not body.parts[position].variables & bound:
            return None
        looked, matched = estimates.visit(position, bound, 0)
        cost, rows = cost + rows * (1 + looked), rows * matched
        bound |= body.parts[position].variables
    return cost


@patch.object(Estimates, "_visit", by_set)
@pytest.mark.parametrize("seed", range(40))
def test_order_is_the_cheapest_of_all_connected_orders(seed: int) -> None:
    rng = Random(seed)
    literals, statistics = random_body(rng, rng.randint(2, 5))
    body = Body(literals)
    bound = rng.choice([0, body.parts[0].variables])
    chosen = [following.position for following in BodyOrders(body, statistics).order(bound)]
    estimates = Estimates(body, statistics, origins=False)
    costs = [cost_of(order, body, estimates, bound) for order in permutations(range(len(literals)))]
    best = min(cost for cost in costs if cost is not None)
    found = cost_of(chosen, body, estimates, bound)
    assert found is not None, "a cross product"
    assert found == pytest.approx(best)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("atoms", [5, 10, 25])
def test_no_cross_product_where_a_connected_order_exists(seed: int, atoms: int) -> None:
    literals, statistics = random_body(Random(seed), atoms)
    body = Body(literals)
    for trigger in range(len(literals)):
        bound = body.parts[trigger].variables
        for following in BodyOrders(body, statistics).order(bound, trigger):
            assert body.parts[following.position].variables & bound
            bound |= body.parts[following.position].variables


def test_small_relation_is_not_crossed_with() -> None:
    deltas, _ = plans("p(X,Z) :- a(X,Y), b(Y,Z), tiny(Z).", {"a": 1000, "b": 10**6, "tiny": 1})
    assert visits(deltas[0]) == [("b", (0,)), ("tiny", (0,))]


def test_constants_that_leave_one_row_may_come_first() -> None:
    deltas, _ = plans('p(X) :- v(X,C), sub(C,T), root("object",T).', {"v": 10**6, "sub": 10**6, "root": 1})
    assert visits(deltas[0])[0][0] in ("root", "sub")
    assert not deltas[0].cross_products


def test_order_looks_further_than_the_next_step() -> None:
    # b leaves fewer rows than c, but d, which c leads to, ends nearly every walk
    sizes = {"a": 10, "b": 4000, "c": 8000, "d": 1}
    body = Body(
        [
            Atom("a", (Var("X"),)),
            Atom("b", (Var("X"), Var("Y"))),
            Atom("c", (Var("X"), Var("Z"))),
            Atom("d", (Var("Z"),)),
        ]
    )
    order = [n.position for n in BodyOrders(body, Uniform(sizes)).order(body.parts[0].variables, 0)]
    assert order == [2, 3, 1]


def test_body_of_a_hundred_atoms_is_planned_in_less_than_a_second() -> None:
    texts = [", ".join(f"e{i}(X{i},X{i + 1})" for i in range(100)), ", ".join(f"e{i}(X,X{i})" for i in range(100))]
    for text in texts:
        began = time.process_time()
        deltas, _ = plans(f"p(X1) :- {text}.")
        assert time.process_time() - began < 3  # a tenth of that on a quiet machine
        assert len(deltas) == 100
        assert not any(plan.cross_products for plan in deltas)


def test_computation_that_may_fail_waits_for_every_atom_that_does_not_need_it() -> None:
    deltas, whole = plans("p(W) :- a(X,Y), Z = X / Y, c(Z), d(Y,V), e(W).", {"d": 10**6, "c": 3, "e": 10**6})
    for plan in (deltas[0], whole):
        kinds = [step.relation if isinstance(step, Visit) else type(step) for step in plan.steps]
        assert kinds.index(Compute) > max(kinds.index(name) for name in ("d", "e"))
        assert kinds.index("c") > kinds.index(Compute)


def test_visits_tell_what_is_expected_of_them() -> None:
    known = Sizes(lambda name: 1000, lambda name, columns: 50 if columns == (0,) else None, {}, frozenset())
    body = Body([Atom("a", (Var("X"), Var("Y"))), Atom("b", (Var("Y"), Var("Z")))])
    (following,) = BodyOrders(body, known).order(body.parts[0].variables, 0)
    assert following.estimate == pytest.approx(20)


def test_wildcard_is_no_constant() -> None:
    deltas, _ = plans("p(C) :- creates(_,O), heap(O,C), class(C).", {"creates": 1, "heap": 10**5, "class": 10**4})
    assert visits(deltas[2]) == [("heap", (1,)), ("creates", (1,))]
    body = Body([Atom("r", (Wildcard(), Wildcard(), Var("X")))])
    assert len(set(body.parts[0].columns)) == 3
    assert 0 not in body.parts[0].columns
