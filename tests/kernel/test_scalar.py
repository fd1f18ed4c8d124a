"""Compiled arithmetic and comparison against the table of functions, which says what they mean (D11)."""

from __future__ import annotations

import math
from itertools import product
from random import Random

import pytest

from tidelog.errors import EvaluationError
from tidelog.kernel import scalar
from tidelog.kernel.aggregate import FLOATS, NUMBERS, UNSIGNEDS, order_key
from tidelog.partition.texts.dictionary import cell_float, float_cell
from tidelog.partition.texts.ids import to_signed
from tidelog.program.functions.table import compare, holds, resolve

LOWEST, HIGHEST = -(2**63), 2**63 - 1
NUMBERS_TRIED = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -7,
    10,
    2**31,
    2**32,
    -(2**32),
    3037000500,
    2**62,
    -(2**62),
    HIGHEST,
    HIGHEST - 1,
    LOWEST,
    LOWEST + 1,
]
FLOATS_TRIED = [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan]
OPERATIONS = {
    "+": (scalar.ADD, scalar.FADD),
    "-": (scalar.SUB, scalar.FSUB),
    "*": (scalar.MUL, scalar.FMUL),
    "/": (scalar.DIV, scalar.FDIV),
    "%": (scalar.REM, None),
    "band": (scalar.BAND, None),
    "bor": (scalar.BOR, None),
    "bxor": (scalar.BXOR, None),
}
COMPARISONS = {"=": scalar.EQ, "!=": scalar.NE, "<": scalar.LT, "<=": scalar.LE, ">": scalar.GT, ">=": scalar.GE}


def meaning(name: str, type_: str, *args: float) -> float | None:
    """What the table of functions says; None for an error."""
    function = resolve(name, (type_,) * len(args))
    assert function is not None
    try:
        return function.evaluate(*args)
    except EvaluationError:
        return None


def number_pairs() -> list[tuple[int, int]]:
    rng = Random(1)
    pairs = list(product(NUMBERS_TRIED, repeat=2))
    for bits in (8, 31, 33, 62, 64):
        pairs += [
            (to_signed(rng.getrandbits(bits)), to_signed(rng.getrandbits(rng.choice([4, 32, 64])))) for _ in range(100)
        ]
    return pairs


@pytest.mark.parametrize("name", OPERATIONS)
def test_numbers_are_computed_as_the_table_says(name: str) -> None:
    for a, b in number_pairs():
        value, ok = scalar.compute(OPERATIONS[name][0], a, b)
        assert (value if ok else None) == meaning(name, "number", a, b), (a, name, b)


def test_negation_is_computed_as_the_table_says() -> None:
    for a in NUMBERS_TRIED:
        value, ok = scalar.compute(scalar.NEG, a, 0)
        assert (value if ok else None) == meaning("-", "number", a)


@pytest.mark.parametrize("name", [name for name, (_, op) in OPERATIONS.items() if op is not None])
def test_floats_are_computed_to_the_last_bit(name: str) -> None:
    for a, b in product(FLOATS_TRIED, repeat=2):
        value, ok = scalar.compute(OPERATIONS[name][1], float_cell(a), float_cell(b))
        expected = meaning(name, "float", a, b)
        assert (value if ok else None) == (None if expected is None else float_cell(expected)), (a, name, b)


@pytest.mark.parametrize("op", COMPARISONS)
def test_comparisons_agree_with_the_order_of_values(op: str) -> None:
    for a, b in product(NUMBERS_TRIED, repeat=2):
        assert scalar.compare(COMPARISONS[op], scalar.AS_NUMBER, a, b) == holds(op, a, b, "number")
        u, v = a % 2**64, b % 2**64
        assert scalar.compare(COMPARISONS[op], scalar.AS_UNSIGNED, a, b) == holds(op, u, v, "unsigned")
    for x, y in product(FLOATS_TRIED, repeat=2):
        x, y = x + 0.0, y + 0.0
        assert scalar.compare(COMPARISONS[op], scalar.AS_FLOAT, float_cell(x), float_cell(y)) == holds(
            op, x, y, "float"
        )


@pytest.mark.parametrize("down", [0, 1])
def test_keys_of_candidates_sort_as_values_do(down: int) -> None:
    sign = -1 if down else 1
    for a, b in product(NUMBERS_TRIED, repeat=2):
        keys = (order_key(NUMBERS + down, a), order_key(NUMBERS + down, b))
        assert (keys[0] < keys[1]) == (sign * compare(a, b, "number") < 0)
        keys = (order_key(UNSIGNEDS + down, a), order_key(UNSIGNEDS + down, b))
        assert (keys[0] < keys[1]) == (sign * compare(a % 2**64, b % 2**64, "unsigned") < 0)
    for x, y in product(FLOATS_TRIED, repeat=2):
        keys = (order_key(FLOATS + down, float_cell(x)), order_key(FLOATS + down, float_cell(y)))
        assert (keys[0] < keys[1]) == (sign * compare(x + 0.0, y + 0.0, "float") < 0), (x, y)


@pytest.mark.parametrize(
    ("op", "left", "right", "fault"),
    [
        (scalar.ADD, HIGHEST, 1, (False, HIGHEST, "+", 1)),
        (scalar.DIV, 3, 0, (True, 3, "/", 0)),
        (scalar.DIV, LOWEST, -1, (False, LOWEST, "/", -1)),
        (scalar.REM, 3, 0, (True, 3, "%", 0)),
        (scalar.FDIV, float_cell(2.5), 0, (True, 2.5, "/", 0.0)),
        (scalar.NEG, LOWEST, 0, (False, LOWEST, "-", None)),
    ],
)
def test_faults_are_told_with_their_values(op: int, left: int, right: int, fault: tuple[object, ...]) -> None:
    assert not scalar.compute(op, left, right)[1]
    assert scalar.fault_of(op, left, right) == fault


def test_a_float_survives_the_way_to_a_cell_and_back() -> None:
    for value in FLOATS_TRIED:
        back = cell_float(float_cell(value))
        assert (math.isnan(back) and math.isnan(value)) or (
            back == value and math.copysign(1, back + 1e-300) == math.copysign(1, back + 1e-300)
        )
    assert math.copysign(1, cell_float(float_cell(-0.0))) == 1
