"""Epochs as values: signs are summed (D3), rules go by label (D4)."""

import pytest

from tidelog.syntax import parse_program, parse_rule
from tidelog.testing import EpochChanges, State, states

P = ("p", (1,))


@pytest.mark.parametrize(
    ("inserts", "deletes", "before", "after"),
    [(1, 0, False, True), (1, 1, False, False), (1, 1, True, True), (0, 1, True, False), (2, 1, False, True),
     (1, 2, True, False), (0, 1, False, False), (1, 0, True, True)],
)  # fmt: skip
def test_the_sum_of_signs_decides(inserts, deletes, before, after):
    start = State(parse_program(""), frozenset({P} if before else ()))
    assert (P in start.after(EpochChanges((P,) * inserts, (P,) * deletes)).facts) is after


def test_rules_come_and_go_by_label():
    start = State.start(parse_program("a: p(X) :- q(X). q(1)."))
    change = EpochChanges(add_rules=(parse_rule("b: p(X) :- r(X)."),), remove_labels=("a",))
    first, second = states(start, [change])
    assert first.model()["p"] == {(1,)}
    assert [rule.label for rule in second.program.rules] == ["b"]
    assert second.model()["p"] == frozenset()
    assert second.facts == {("q", (1,))}


def test_unknown_label_is_refused():
    with pytest.raises(KeyError):
        State(parse_program("")).after(EpochChanges(remove_labels=("a",)))


def test_an_epoch_without_changes_is_false():
    assert not EpochChanges()
    assert EpochChanges(inserts=(P,))
