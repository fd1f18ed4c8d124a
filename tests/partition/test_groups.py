"""Groups of folds: exact to the last bit, whatever is added and removed, in any order, and undone without a trace."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from tidelog.kernel import aggregate
from tidelog.kernel import fold as at
from tidelog.kernel.cells import Cells
from tidelog.partition.memory.groups import Groups, Overflow, Shape

ODD = (5e-324, -5e-324, 1e-310, -3e-320, 1.7e308, -1.7e308, 0.0, 1.0, -1.0, 2.0**52 + 1, 0.5)
HUGE = (2**63 - 1, -(2**63), 0, 1, -1)


def cell(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value + 0.0))[0])


def shown(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])


def some_float(rng: Random) -> float:
    if rng.random() < 0.1:
        return rng.choice(ODD)
    exponent = rng.randint(-1074, 960) if rng.random() < 0.5 else rng.randint(-60, -40)
    return math.ldexp(rng.choice((-1, 1)) * rng.getrandbits(53), exponent)


def quotient(values: list[float], divisor: int) -> float:
    exact = sum(map(Fraction, values), Fraction()) / divisor
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def folded(shape: Shape, cells: list[int], key: int = 7) -> tuple[Groups, Cells]:
    groups, rows = Groups(shape), np.array([[key, each] for each in cells], np.int64)
    groups.begin()
    groups.fold(rows, 1, lambda: None)
    groups.commit()
    return groups, rows


def result(groups: Groups) -> int:
    (row,) = groups.all_results().tolist()
    return int(row[1])


@pytest.mark.parametrize("shows", [at.ROUNDED, at.MEAN])
@pytest.mark.parametrize("seed", range(3))
def test_floats_are_rounded_once(shows: int, seed: int) -> None:
    rng, shape = Random(seed), Shape(at.FLOATS, shows, (0,), 1, 0, (0, -1))
    for _ in range(400):
        values = [some_float(rng) for _ in range(rng.randint(1, 6))]
        groups, rows = folded(shape, list(map(cell, values)))
        divisor = len(values) if shows == at.MEAN else 1
        assert shown(result(groups)) == quotient(values, divisor), values
        gone = rng.randint(0, len(values) - 1)
        groups.begin()
        groups.fold(rows[:gone].copy(), -1, lambda: None)
        left = values[gone:]
        assert shown(result(groups)) == quotient(left, len(left) if shows == at.MEAN else 1), values
        groups.undo()
        assert shown(result(groups)) == quotient(values, divisor), values


@pytest.mark.parametrize("kind", [at.INTEGERS, at.UNSIGNEDS])
def test_integers_are_exact_beyond_their_type(kind: int) -> None:
    rng = Random(1)
    for _ in range(400):
        cells = [rng.choice((rng.getrandbits(63), *HUGE)) for _ in range(rng.randint(1, 5))]
        total = sum(each % 2**64 if kind == at.UNSIGNEDS else each for each in cells)
        groups, rows = folded(Shape(kind, at.MEAN, (0,), 1, 0, (0, -1)), cells)
        groups.fold(rows, -1, lambda: None)
        groups.fold(rows, 1, lambda: None)
        assert shown(result(groups)) == float(Fraction(total, len(cells)))
        groups, _ = folded(Shape(kind, at.TOTAL, (0,), 1, 0, (0, -1)), cells)
        if -(2**63) * (kind == at.INTEGERS) <= total < 2 ** (63 if kind == at.INTEGERS else 64):
            assert (result(groups) - total) % 2**64 == 0
        else:
            with pytest.raises(Overflow, match=str(total)):
                groups.all_results()


@pytest.mark.parametrize("kind", [at.COUNTS, at.INTEGERS, at.UNSIGNEDS, at.FLOATS])
def test_a_row_counts_as_often_as_it_weighs(kind: int) -> None:
    rng, shows = Random(kind), at.NUMBER if kind == at.COUNTS else at.MEAN
    for _ in range(300):
        count = rng.randint(1, 5)
        weights = np.array([rng.choice((1, 2, 1023, 1024, rng.getrandbits(31) + 1)) for _ in range(count)], np.int64)
        values = [some_float(rng) for _ in range(count)]
        cells, exact = list(map(cell, values)), list(map(Fraction, values))
        if kind != at.FLOATS:
            cells = [rng.choice((rng.getrandbits(63), *HUGE)) for _ in range(count)]
            exact = [Fraction(each % 2**64 if kind == at.UNSIGNEDS else each) for each in cells]
        kept = np.array([rng.randint(1, weight) for weight in weights.tolist()], np.int64)
        groups = Groups(Shape(kind, shows, (0,), 1, 0, (0, -1), weighed=True))
        rows, items = np.array([[7, each] for each in cells], np.int64), np.arange(count)
        groups.begin()
        groups.fold_items(rows, items, 1, lambda: None, weights)
        groups.commit()
        assert weighed_result(groups, kind) == weighed(exact, weights, kind)
        groups.begin()
        groups.fold_items(rows, items, 1, lambda: None, kept - weights)
        assert weighed_result(groups, kind) == weighed(exact, kept, kind)
        groups.undo()
        assert weighed_result(groups, kind) == weighed(exact, weights, kind)
        groups.begin()
        groups.fold_items(rows, items, 1, lambda: None, -weights)
        groups.commit()
        assert not len(groups)


def weighed_result(groups: Groups, kind: int) -> float:
    return float(result(groups)) if kind == at.COUNTS else shown(result(groups))


def weighed(values: list[Fraction], weights: Cells, kind: int) -> float:
    total = int(weights.sum())
    summed = sum((w * each for w, each in zip(weights.tolist(), values, strict=True)), Fraction())
    return float(total) if kind == at.COUNTS else float(summed / total)


@pytest.mark.parametrize("shape", [(at.COUNTS, at.NUMBER), (at.INTEGERS, at.TOTAL), (at.FLOATS, at.ROUNDED)])
def test_many_groups_come_and_go_without_a_trace(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    groups = Groups(Shape(*shape, (0, 2), 1, 0, (1, -1, 0)))
    base = rng.integers(-1000, 1000, (5000, 3))
    if shape[0] == at.FLOATS:
        base[:, 1] = (rng.normal(size=5000) * 10.0 ** rng.integers(-40, 40, 5000)).view(np.int64)
    groups.begin()
    groups.fold(base, 1, lambda: None)
    lost, gained = groups.net_results()
    assert not len(lost)
    assert len(gained) == len(groups)
    groups.commit()
    before = sorted(groups.all_results().tolist())
    groups.begin()
    groups.fold(base[:4000].copy(), -1, lambda: None)
    groups.fold(base[:10].copy(), 1, lambda: None)
    lost, gained = groups.net_results()
    now = sorted(groups.all_results().tolist())
    gone = set(map(tuple, lost.tolist()))
    kept = [row for row in before if tuple(row) not in gone]
    assert sorted(kept + gained.tolist()) == now
    groups.undo()
    assert sorted(groups.all_results().tolist()) == before
    groups.begin()
    groups.fold(base, -1, lambda: None)
    groups.commit()
    assert not len(groups)
    assert not len(groups.all_results())


def test_a_group_that_was_never_committed_is_gone_after_an_undo() -> None:
    groups = Groups(Shape(at.BEST, at.BEST_VALUE, (0,), 1, aggregate.NUMBERS_DOWN, (0, -1)))
    groups.begin()
    groups.fold(np.array([[1, 5], [1, 9], [2, 4]], np.int64), 1, lambda: None)
    assert sorted(groups.all_results().tolist()) == [[1, 9], [2, 4]]
    groups.undo()
    assert not len(groups)
    groups.begin()
    groups.fold(np.array([[1, 3]], np.int64), 1, lambda: None)
    assert groups.all_results().tolist() == [[1, 3]]
