"""Faults of the kernel become errors that name the values, the same as those of functions."""

from __future__ import annotations

import pytest

from tidelog import Engine, EvaluationError, user_function
from tidelog.kernel import scalar
from tidelog.kernel.scalar import fault_of
from tidelog.partition.code.fault import fault_error
from tidelog.partition.texts.dictionary import float_cell

HIGHEST, LOWEST = 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    ("op", "left", "right", "code", "said"),
    [
        (scalar.ADD, HIGHEST, 1, "TL2202", "overflow: 9223372036854775807 + 1 does not fit into 64 bits"),
        (scalar.DIV, 3, 0, "TL2002", "division by zero: 3 / 0"),
        (scalar.DIV, LOWEST, -1, "TL2202", "overflow: -9223372036854775808 / -1 does not fit into 64 bits"),
        (scalar.REM, 3, 0, "TL2002", "division by zero: 3 % 0"),
        (scalar.FDIV, float_cell(2.5), 0, "TL2002", "division by zero: 2.5 / 0.0"),
        (scalar.NEG, LOWEST, 0, "TL2202", "overflow: -(-9223372036854775808) does not fit into 64 bits"),
    ],
)
def test_faults_are_told_with_their_values(op: int, left: int, right: int, code: str, said: str) -> None:
    error = fault_error(fault_of(op, left, right))
    assert (error.code, str(error)) == (code, said)
    assert error.note
    assert error.hint


@pytest.mark.parametrize(
    ("rule", "code", "said"),
    [
        ("p(1 / X) :- q(X).", "TL2002", "rule own: division by zero: 1 / 0; nothing was changed"),
        ('p(to_number(S)) :- q(X), S = cat("a", to_string(X)).', "TL2013", "rule own: failed conversion: 'a0' is not"),
        ("p(sum<X>) :- big(X).", "TL2001", "rule own: sum: overflow: 18446744073709551613 is not a value of type"),
    ],
)
def test_error_that_names_its_rule_keeps_code_and_advice(rule: str, code: str, said: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        Engine(f"q(0). big(9223372036854775807). big(9223372036854775806). own: {rule}")
    assert str(raised.value).startswith(said)
    assert raised.value.code == code
    assert raised.value.note
    assert raised.value.hint


@user_function("name", ("number",), "any")
def name(x: int) -> object:
    return "one"


@pytest.mark.parametrize("rule", ["p(name(X) + 1) :- q(X).", "p(-name(X)) :- q(X).", "p(X) :- q(X), name(X) < 3."])
def test_result_of_any_type_is_checked_where_a_number_is_computed_with(rule: str) -> None:
    """Else arithmetic would run on the id of a symbol."""
    with pytest.raises(EvaluationError, match=r"name\(1\) is 'one', but a number is required") as raised:
        Engine(f"q(1). {rule}", functions=[name])
    assert raised.value.code == "TL2201"
