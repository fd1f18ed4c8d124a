"""What a new user stumbled over once: each test is named after it."""

from __future__ import annotations

import pytest

from tidelog import Engine, user_function
from tidelog.errors import EvaluationError


def test_repr_of_a_closed_engine_says_so() -> None:
    db = Engine("p(1). q(X) :- p(X).")
    view = db["q"]
    db.close()
    assert repr(db) == "Engine(closed after epoch 1)"
    assert repr(view) == "q: the engine is closed"


@pytest.mark.parametrize(("value", "text"), [("a", "a"), (7, "7"), (2.5, "2.5"), ((1, "x"), '[1, "x"]')])
@pytest.mark.parametrize("partitions", [1, 2])
def test_why_not_of_a_column_without_type_takes_any_value(value: object, text: str, partitions: int) -> None:
    with Engine("p(X) :- q(X).", partitions=partitions) as db:
        told = str(db.why_not(("p", (value,))))
        assert told.startswith(f"p({text}) is not true")
        assert f"fails  q({text}): no such fact" in told


def test_a_user_function_can_still_be_called() -> None:
    @user_function("half", ("number",), "number")
    def half(x: int) -> int:
        return x // 2

    assert (half(8), half(x=9)) == (4, 4)
    with pytest.raises(TypeError):
        half("a")
    with Engine("h(half(X)) :- n(X). n(8).", functions=[half]) as db:
        assert list(db["h"]) == [(4,)]
    with pytest.raises(EvaluationError):
        half.evaluate("a")
