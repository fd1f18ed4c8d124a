"""For syntax of another language, the hint says how it is written here."""

from __future__ import annotations

import pytest

from tidelog.program.check import examine_program
from tidelog.syntax import read_program


def hints(text: str) -> list[str]:
    program, read = read_program(text)
    return [d.hint for d in (*read, *examine_program(program)[1]) if d.severity == "error"]


@pytest.mark.parametrize(
    ("head", "hint"),
    [
        ("t(sum(X))", "An aggregate is written `sum<X>` in a head, and `sum X : { ... }` in a body."),
        ("t(avg(X))", "An aggregate is written `mean<X>` in a head, and `mean X : { ... }` in a body."),
        ("t(min(X))", "An aggregate is written `min<X>` in a head, and `min X : { ... }` in a body."),
        ("t(count())", "An aggregate is written `count<*>` in a head, and `count : { ... }` in a body."),
    ],
)
def test_an_aggregate_written_as_a_function_points_to_angle_brackets(head: str, hint: str) -> None:
    assert hints(f"{head} :- p(X).") == [hint]


@pytest.mark.parametrize("text", ["q(X**2) :- p(X).", "q(Y) :- p(X), Y = X ** 2."])
def test_two_stars_point_to_the_sign_of_powers(text: str) -> None:
    assert hints(text) == ["A power is written `X ^ 2`, or `2 ^ X` for a power of two."]
    assert "found `**`" in read_program(text)[1][0].message
