"""Count, sum and mean through the engine: exact to the last bit whatever is added and removed (D12)."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from tidelog import Engine, EvaluationError

PROGRAM = "s(G, sum<V>) :- v(G, I, V).  m(G, mean<V>) :- v(G, I, V).  n(G, count<*>) :- v(G, I, V)."


def exact(values: list[float]) -> float:
    if any(map(math.isnan, values)) or {math.inf, -math.inf} <= set(values):
        return math.nan
    infinite = [v for v in values if math.isinf(v)]
    if infinite:
        return infinite[0]
    total = sum(map(Fraction, values), Fraction(0))
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def same(left: float, right: float) -> bool:
    return (math.isnan(left) and math.isnan(right)) or left == right


@pytest.mark.parametrize("seed", range(3))
def test_float_totals_are_exact_after_every_change(seed: int) -> None:
    rng, db, present = Random(seed), Engine(PROGRAM), dict[tuple[int, int], float]()
    odd = [0.1, 0.2, 1e16, -1e16, 1.0, 5e-324, 1e308, math.inf, -math.inf, math.nan]
    for _ in range(40):
        with db.epoch() as e:
            for key in {(rng.randrange(3), rng.randrange(6)) for _ in range(3)}:
                if key in present:
                    e.delete("v", [(*key, present.pop(key))])
                else:
                    present[key] = rng.choice(odd[:7] if rng.random() < 0.8 else odd)
                    e.insert("v", [(*key, present[key])])
        groups = {group: [v for (g, _), v in present.items() if g == group] for group, _ in present}
        assert dict(db["n"]) == {group: len(values) for group, values in groups.items()}
        sums, means = dict(db["s"]), dict(db["m"])
        assert sums.keys() == means.keys() == groups.keys()
        for group, values in groups.items():
            assert same(sums[group], exact(values)), (sums[group], values)


@pytest.mark.parametrize("seed", range(3))
def test_several_aggregates_of_one_relation_follow_every_change(seed: int) -> None:
    rng, present = Random(seed), set[tuple[int, int]]()
    program = "a(G, count<*>, min<V>, max<V>) :- v(G, V).  b(G, sum<V>) :- v(G, V).  c(max<V>) :- v(_, V)."
    with Engine(program) as db:
        for _ in range(40):
            with db.epoch() as e:
                for row in {(rng.randrange(3), rng.randrange(-4, 5)) for _ in range(3)}:
                    (e.delete if row in present else e.insert)("v", [row])
                    present ^= {row}
            groups = {group: [v for g, v in present if g == group] for group, _ in present}
            assert sorted(db["a"]) == sorted((g, len(vs), min(vs), max(vs)) for g, vs in groups.items())
            assert dict(db["b"]) == {g: sum(vs) for g, vs in groups.items()}
            assert list(db["c"]) == ([(max(v for _, v in present),)] if present else [])


def test_sum_that_does_not_fit_is_an_error_and_nothing_has_changed() -> None:
    db = Engine("s(sum<V>) :- v(I, V).")
    with db.epoch() as e:
        e.insert("v", [(1, 2**62)])
    with pytest.raises(EvaluationError, match="overflow"), db.epoch() as e:
        e.insert("v", [(2, 2**62)])
    assert list(db["s"]) == [(2**62,)]
    with db.epoch() as e:
        e.insert("v", [(2, 2**62 - 1)])
    assert list(db["s"]) == [(2**63 - 1,)]


def test_sum_may_pass_the_limit_on_its_way() -> None:
    db = Engine("s(sum<V>) :- v(I, V).")
    with db.epoch() as e:
        e.insert("v", [(1, 2**62), (2, 2**62), (3, -(2**62))])
    assert list(db["s"]) == [(2**62,)]
