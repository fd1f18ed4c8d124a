"""Results of functions that declare no type: numbers where they are computed with or ordered, else as they come."""

from __future__ import annotations

import pytest

from tidelog import Engine, EvaluationError
from tidelog.program.values.term import Value

USES = {
    "in the rule": "r(Z) :- p(L), Y = f_first(L), Z = Y + 1.",
    "in a call": "r(Z) :- p(L), Z = f_first(L) + 1.",
    "in another rule": "q(Y) :- p(L), Y = f_first(L).  r(Z) :- q(Y), Z = Y + 1.",
    "ordered": "r(Y + 1) :- p(L), Y = f_first(L), Y < 9.",
    "ordered among themselves": "r(Y + 1) :- p(L), Y = f_first(L), Z = f_last(L), Y < Z.",
    "added up": "q(Y) :- p(L), Y = f_first(L).  r(sum<Y>) :- q(Y).",
}


def with_list(rules: str, values: tuple[Value, ...]) -> list[tuple[Value, ...]]:
    db = Engine(rules)
    with db.epoch() as e:
        e.insert("p", [(values,)])
    return sorted(db["r"])


@pytest.mark.parametrize("rules", USES.values(), ids=USES.keys())
def test_what_is_computed_with_is_a_number(rules: str) -> None:
    assert with_list(rules, (1, 2)) == [(1 if "sum" in rules else 2,)]
    for values in (("a", "b"), (1.5, 2.5), (("a",), ())):
        with pytest.raises(EvaluationError, match=r"TL2201|but a number is required"):
            with_list(rules, values)


def test_what_nobody_looks_into_comes_as_it_is() -> None:
    rules = "r(Y) :- p(L), Y = f_first(L)."
    for value in (1, "a", ("a", 2)):
        assert with_list(rules, (value,)) == [(value,)]


def test_a_float_in_a_column_that_nothing_types_is_told_and_not_shown_as_its_bits() -> None:
    with pytest.raises(EvaluationError, match="but a number, symbol or list is required"):
        with_list("r(Y) :- p(L), Y = f_first(L).", (1.5,))
    assert with_list("r(2.5).  r(Y) :- p(L), Y = f_first(L).", (1.5,)) == [(1.5,), (2.5,)]
