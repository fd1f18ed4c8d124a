"""`.plan` of Soufflé: which plans it speaks of, when it is followed, and what it never changes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tidelog import Engine
from tidelog.errors import EngineError
from tidelog.plan.advice import advised_order, broken_by
from tidelog.program import Rule
from tidelog.syntax import parse_rule

THREE = "p(X, W) :- a(X, Y), b(Y, Z), c(Z, W)."
RECURSIVE = "p(X, W) :- p(X, Y), e(Y, Z), p(Z, W)."


def rule(text: str) -> Rule:
    return parse_rule(text)


def orders(db: Engine, label: str = "r1") -> dict[str, list[str]]:
    """By trigger: the relations in the order in which they are visited."""
    found = {}
    for stratum in db.explain().strata:
        for told in stratum.rules:
            if told.label == label:
                for order in told.orders:
                    found[order.trigger] = [step.removeprefix("all of ").partition("(")[0] for step in order.steps]
    return found


@pytest.mark.parametrize(("trigger", "expected"), [(None, (2, 1, 0)), (0, (2, 1)), (1, (2, 0)), (2, (1, 0))])
def test_version_0_of_a_rule_without_recursion_orders_what_is_left(
    trigger: int | None, expected: tuple[int, ...]
) -> None:
    assert advised_order(rule(THREE + " .plan 0:(3, 2, 1)"), trigger, {"p"}) == expected


def test_versions_are_the_recursive_atoms_in_order() -> None:
    advised = rule(RECURSIVE + " .plan 0:(3, 2, 1), 1:(1, 3, 2)")
    assert advised_order(advised, 0, {"p"}) == (2, 1)
    assert advised_order(advised, 2, {"p"}) == (0, 1)


def test_nothing_is_said_of_a_change_below_a_recursive_rule() -> None:
    advised = rule(RECURSIVE + " .plan 0:(3, 2, 1), 1:(1, 3, 2)")
    assert advised_order(advised, 1, {"p"}) is None
    assert advised_order(advised, None, {"p"}) is None
    assert advised_order(rule(RECURSIVE + " .plan 0:(1, 2, 3)"), 2, {"p"}) is None


def test_negated_atoms_comparisons_and_aggregates_are_not_counted() -> None:
    text = "p(X, N) :- X < 9, !d(X), a(X, Y), N = count : { b(X, _) }, c(Y, X). .plan 0:(2, 1)"
    db = Engine(text, plans="binding")
    assert [name for name in orders(db)["!d(X)"] if name in ("a", "c")] == ["c", "a"]


def test_each_branch_of_a_disjunction_has_the_orders_of_its_length() -> None:
    db = Engine("p(X, W) :- a(X, Y), (b(Y, W) ; b(Y, Z), c(Z, W)). .plan 0:(1, 3, 2)", plans="binding")
    told = [order for stratum in db.explain().strata for r in stratum.rules for order in r.orders]
    assert any([step.partition("(")[0] for step in order.steps] == ["all of c", "b"] for order in told)


# Advice, binding, ignored


def filled(plans: str, order: str = ".plan 0:(1, 3, 2)") -> Engine:
    db = Engine(f"{THREE} {order}", plans=plans)
    with db.epoch() as e:
        for name in "abc":
            e.insert(name, [(i, i) for i in range(900)])
    return db


def test_advice_that_costs_too_much_is_not_followed() -> None:
    assert orders(filled("advice"))["a(X, Y)"] == ["b", "c"]


def test_binding_advice_is_followed_whatever_it_costs() -> None:
    assert orders(filled("binding"))["a(X, Y)"] == ["c", "b"]
    assert orders(filled("binding"))["b(Y, Z)"] == ["a", "c"]


def test_ignored_advice_changes_nothing() -> None:
    assert orders(filled("ignore", ".plan 0:(3, 2, 1)")) == orders(filled("advice", ""))


def test_advice_that_costs_about_the_same_is_followed() -> None:
    """On a change of b, a and c are looked up by one column each: either may come first."""
    both = [orders(filled("advice", order))["b(Y, Z)"] for order in (".plan 0:(1, 2, 3)", ".plan 0:(3, 2, 1)")]
    assert both == [["a", "c"], ["c", "a"]]


# What cannot be followed

DIVIDED = "p(X) :- a(X, Y), Z = Y / X, b(Z), c(X)."


def test_atom_that_reads_a_computed_value_comes_after_those_that_do_not() -> None:
    divided = rule(DIVIDED)
    early = broken_by(divided, 0, (2, 3))
    assert early is not None
    assert early[0] == 2
    assert broken_by(divided, 0, (3, 2)) is None
    assert broken_by(divided, 2, (0, 3)) is None  # on a change of b, Z is known, and the division is a test


def test_results_are_followed_through_equations() -> None:
    divided = rule("p(X) :- a(X, Y), Z = Y / X, W = Z + 1, b(W), c(X).")
    assert broken_by(divided, 0, (3, 4)) is not None
    assert broken_by(divided, 0, (4, 3)) is None


def test_binding_plan_that_cannot_be_followed_is_refused_with_its_atoms() -> None:
    with pytest.raises(
        EngineError, match=r"rule r1: its `.plan` cannot be followed on a change of `a\(X, Y\)`: `b\(Z\)`"
    ) as told:
        Engine(DIVIDED + " .plan 0:(1, 2, 3)", plans="binding")
    assert told.value.code == "TL4502"
    assert "`Z = Y / X`" in str(told.value)
    assert Engine(DIVIDED + " .plan 0:(1, 2, 3)").rules["r1"].endswith(".plan 0:(1, 2, 3)")


def test_refused_rule_leaves_no_trace() -> None:
    db = Engine("a(1, 2). b(2).", plans="binding")
    with pytest.raises(EngineError, match="cannot be followed"), db.epoch() as e:
        e.add_rule(DIVIDED + " .plan 0:(1, 2, 3)")
    assert db.rules == {}
    with db.epoch() as e:
        e.add_rule(DIVIDED + " .plan 0:(1, 3, 2)")
    assert list(db.rules) == ["r1"]


def test_unknown_way_is_refused() -> None:
    with pytest.raises(EngineError, match='plans=\'always\': use one of "advice", "binding", "ignore"'):
        Engine("p(X) :- q(X).", plans="always")


# What advice never changes


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_views_are_the_same_in_every_order_that_is_binding(seed: int, partitions: int) -> None:
    rng = Random(seed)
    three = ", ".join(map(str, rng.sample([1, 2, 3], 3)))
    more = ", ".join(map(str, rng.sample([1, 2, 3], 3)))
    text = (
        f"p(X, W) :- a(X, Y), b(Y, Z), c(Z, W). .plan 0:({three})\n"
        f"p(X, W) :- p(X, Y), b(Y, Z), p(Z, W), X != W. .plan 0:({three}), 1:({more})\n"
    )
    advised = Engine(text, plans="binding", partitions=partitions)
    plain = Engine(text, plans="ignore")
    held: set[tuple[str, int, int]] = set()
    for _ in range(6):
        change = {(name, rng.randrange(7), rng.randrange(7)) for name in "abc" for _ in range(4)}
        for db in (advised, plain):
            with db.epoch() as e:
                for name, *row in sorted(change):
                    (e.delete if (name, *row) in held else e.insert)(name, [tuple(row)])
        held ^= change
        assert set(advised["p"]) == set(plain["p"])
    assert advised.verify()


def test_advice_is_kept_in_a_state_folder(tmp_path: Path) -> None:
    with Engine(f"{THREE} .plan 0:(3, 2, 1)", path=tmp_path / "s", plans="binding") as db:
        before = orders(db)
    with Engine(path=tmp_path / "s", plans="binding") as db:
        assert db.rules["r1"].endswith(".plan 0:(3, 2, 1)")
        assert orders(db) == before
