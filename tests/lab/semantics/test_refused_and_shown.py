"""What the simulator refuses by name, and records among the values that it shows and sorts."""

from __future__ import annotations

import pytest

from tidelog.errors import ProgramError
from tidelog.lab.semantics.fact import order, value_text
from tidelog.lab.semantics.network import prepare
from tidelog.program.values.variant import Variant
from tidelog.syntax import parse_program


@pytest.mark.parametrize(("word", "output"), [("eqrel", "`eqrel`"), ("choice-domain x", "`choice-domain`")])
def test_equivalences_and_choices_are_refused_by_name(word: str, output: str) -> None:
    text = f".decl e(x: number, y: number)\n.decl p(x: number, y: number) {word}\np(x, y) :- e(x, y).\n"
    with pytest.raises(ProgramError, match=output):
        prepare(parse_program(text), central=True)


def test_records_are_shown_and_sorted_as_values() -> None:
    add, zero = Variant("Add", 1, None), Variant("Zero")
    assert [value_text(value) for value in (add, zero, None)] == ["$Add(1,nil)", "$Zero", "nil"]
    assert sorted([add, "a", None, 3], key=order) == [3, "a", None, add]
