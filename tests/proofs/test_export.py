"""The text that the extracted checker reads: it mixes nothing up, and what it does not support is refused."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.engine.engine import Engine
from tidelog.errors import EngineError
from tidelog.program import Atom, Call, Const, Rule
from tidelog.program.values.state import EngineState, FactState
from tidelog.verify.core_text import export_core

ASSERTED = FactState(0, 1, 1, True)
ATOMS = st.integers(-3, 3) | st.floats(-3, 3, width=16) | st.text("ab ,():|?\n%é", max_size=3)
VALUES = ATOMS | st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)


def words(*row: object) -> str:
    """How a fact with these values is written."""
    text = export_core(EngineState({"p": {row: ASSERTED}}, (), (), {}))
    return text.splitlines()[1].removeprefix("base p")


def typed(value: object) -> object:
    """A value that is equal to another only if the language takes them as equal: 1 and 1.0 differ."""
    return tuple(map(typed, value)) if isinstance(value, tuple) else (type(value), value)


@settings(max_examples=100)
@given(st.lists(VALUES, max_size=3), st.lists(VALUES, max_size=3))
def test_different_rows_are_different_words(left: list[object], right: list[object]) -> None:
    assert (words(*left) == words(*right)) == (typed(tuple(left)) == typed(tuple(right)))


@given(st.lists(VALUES, max_size=4))
def test_a_value_is_one_word_that_is_neither_variable_nor_bar(row: list[object]) -> None:
    found = words(*row).split(" ")[1:]
    assert len(found) == len(row)
    assert not [word for word in found if word.startswith("?") or word == "|" or not word.isascii()]


def test_dates_and_truth_values_have_words() -> None:
    row = (date(2024, 2, 29), datetime(2024, 2, 29, 12, 30), True)
    assert words(*row) == " d:2024-02-29 d:2024-02-29T12%3A30%3A00 n:1"


def test_value_of_unknown_type_is_refused() -> None:
    with pytest.raises(EngineError, match="does not support values of type bytes"):
        words(b"x")


def test_list_of_constants_is_a_constant() -> None:
    listed = Call("list", (Const(1, "number"), Const("a", "symbol")))
    text = export_core(EngineState({}, (Rule(Atom("p", (listed,))),), (), {}))
    assert "rule rule-1 | p l:(n:1,s:a)\n" in text


def lines_of(program: str, kind: str) -> list[str]:
    with Engine(program) as db:
        return [line for line in export_core(db.state()).splitlines() if line.startswith(kind)]


def test_conditions_follow_the_atoms() -> None:
    (rule,) = lines_of("p(X) :- !q(X), 3 >= X, X != Y, e(X, Y). q(1). e(1, 2).", "rule")
    assert rule == "rule r1 | p ?X | e ?X ?Y | ! q ?X | <= ?X n:3 | != ?X ?Y"


def test_variable_that_an_equation_binds_is_replaced() -> None:
    (rule,) = lines_of("p(Z, V, X) :- e(X, Y), Z = W, W = X, V = 4, Y = Z. e(1, 2).", "rule")
    assert rule == "rule r1 | p ?X n:4 ?X | e ?X ?Y | = ?Y ?X"


def test_values_are_listed_in_the_order_of_the_language() -> None:
    program = """
    .decl e(n: number, f: float, s: symbol, d: date, t: timestamp)
    .decl p(n: number)
    e(10, 2.5, "b", "2026-02-03", "2026-02-03"). e(-9, nan, "B", "1999-12-31", "2026-02-03T01:00:00Z").
    p(N) :- e(N, F, S, D, _), N < 9, F < -1.0, S > "a b", D > "1999-12-30".
    """.replace("nan", "1.5NaN")
    found = [line.removeprefix("value ") for line in lines_of(program, "value")]
    dates = ["d:1999-12-30", "d:1999-12-31", "d:2026-02-03"]
    times = ["d:2026-02-03T00%3A00%3A00", "d:2026-02-03T01%3A00%3A00"]
    floats = ["f:-0x1.0000000000000p+0", "f:0x1.4000000000000p+1", "f:nan"]
    assert found == [*dates, *times, *floats, "n:-9", "n:9", "n:10", "s:B", "s:a%20b", "s:b"]


def test_values_are_listed_only_if_a_rule_orders_some() -> None:
    assert not lines_of("p(X) :- e(X, Y), X != Y. e(1, 2).", "value")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("e(X, Y), X + 1 < Y", "function"),
        ("e(X, Y), Y = X + 1", "function"),
        ("e(X, _), Y = count : { e(X, Z) }, e(Y, _)", "aggregate"),
    ],
)
def test_rule_that_is_not_supported_is_refused_with_its_text(body: str, kind: str) -> None:
    with Engine(f"lab: p(X) :- {body}.\nq(1). e(1, 2).\n") as db, pytest.raises(EngineError) as error:
        export_core(db.state())
    assert f"lab: p(X) :- {body}." in str(error.value)
    assert f"has a {kind}" in str(error.value)


def test_head_with_an_aggregate_is_refused() -> None:
    with Engine("p(X, min<Y>) :- e(X, Y).\n e(1, 2).\n") as db, pytest.raises(EngineError, match="aggregate"):
        export_core(db.state())
