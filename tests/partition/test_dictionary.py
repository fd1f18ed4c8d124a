"""Cells of values: ids that need no coordination (D15), and the way back."""

from __future__ import annotations

import math
from random import Random

import pytest

from tidelog.errors import DataError
from tidelog.partition.texts import dictionary
from tidelog.partition.texts.dictionary import NAN_CELL, Dictionary, float_cell, natural_type
from tidelog.partition.texts.ids import symbol_id

# Written down once: an id that changes would make every stored state unreadable.
SYMBOLS = {"": 909656059950410894, "a": 5816084660668167661, "edge": -4982383541957970137, "ä": -5549605087991014674}
LISTS = [  # pairs, since (1,) and (1.0,) are one key of a dictionary
    ((), -8387534019531596278),
    ((1,), -6250505812770587271),
    (("a",), -5841171304762199967),
    ((("a",),), -6275640724814942301),
    ((1.0,), -4488211445540409143),
    ((2**63,), -6946023789699321198),
]


@pytest.mark.parametrize("text", SYMBOLS)
def test_ids_of_symbols_are_stable(text: str) -> None:
    assert symbol_id(text) == SYMBOLS[text]
    assert Dictionary().symbol(text) == SYMBOLS[text]


@pytest.mark.parametrize(("value", "cell"), LISTS)
def test_ids_of_lists_are_stable(value: tuple[object, ...], cell: int) -> None:
    assert Dictionary().encode(value, "list") == cell


def test_nested_empty_and_single_values_differ() -> None:
    cells = [
        Dictionary().encode(value, "list") for value in [(), ((),), (((),),), ("",), ("a",), (("a",),), (0,), (0.0,)]
    ]
    assert len({*cells, symbol_id(""), symbol_id("a")}) == len(cells) + 2


def random_value(rng: Random, depth: int) -> object:
    kind = rng.choice(["number", "float", "symbol", *(["list"] * 2 if depth else [])])
    if kind == "list":
        return tuple(random_value(rng, depth - 1) for _ in range(rng.randrange(4)))
    simple = {"number": rng.getrandbits(63) - 2**62, "float": rng.choice([0.5, math.inf, rng.random()])}
    return simple.get(kind, "".join(rng.choice("abä☃") for _ in range(rng.randrange(5))))


def test_values_come_back() -> None:
    rng, known = Random(5), Dictionary()
    for _ in range(500):
        value = random_value(rng, 3)
        type_ = natural_type(value)
        assert known.decode(known.encode(value, type_), type_) == value


def test_unsigned_values_come_back() -> None:
    known = Dictionary()
    for value in (0, 1, 2**63 - 1, 2**63, 2**64 - 1):
        assert known.decode(known.encode(value, "unsigned"), "unsigned") == value


def test_one_zero_and_one_nan() -> None:
    assert float_cell(-0.0) == float_cell(0.0) == 0
    assert float_cell(math.nan) == float_cell(-math.nan) == NAN_CELL


def test_two_values_with_one_id_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "symbol_id", lambda text: 7)
    known = Dictionary()
    known.symbol("a")
    with pytest.raises(DataError, match="'a' and 'b' have the same 64-bit id 7") as raised:
        known.symbol("b")
    assert raised.value.code == "TL1102"
    assert known.symbol("a") == 7


def test_list_of_equal_numbers_of_other_types_is_another_list() -> None:
    known = Dictionary()
    assert known.encode((1,), "list") != known.encode((1.0,), "list")
    assert known.decode(known.encode((1.0,), "list"), "list") == (1.0,)


def test_values_that_have_no_type_are_refused() -> None:
    with pytest.raises(DataError, match="values are int, float, str, bool, dates, datetimes and tuples"):
        natural_type({1})
