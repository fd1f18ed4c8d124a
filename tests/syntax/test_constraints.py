"""Constraints as text: what is read, what is printed, and that the two are inverse."""

from __future__ import annotations

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Constraint, Key, Reference
from tidelog.program.values.rule import REFUSE, WARN
from tidelog.syntax import RuleAdded, parse_program, parse_rule, print_program, print_rule
from tidelog.syntax.changes import parse_changes, print_changes

TEXTS = (
    ":- p(X), X > 9.",
    "few: :- p(X), !q(X).",
    '"any text": :- p(X), (X > 9; q(X)).',
    "few: :- p(X), X > 9. .constraint few severity(warn)",
    ".key p(x)",
    ".key p(x, 2) as one",
    '.reference p(x) -> q(1) .constraint "reference p(x) -> q(1)" severity(warn)',
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_constraint_is_printed_as_it_is_read(text: str) -> None:
    rule = parse_rule(text)
    assert rule.constraint is not None
    assert print_rule(rule) == text
    assert parse_program(print_program(parse_program(text))) == parse_program(text)


def test_a_severity_may_stand_anywhere_in_its_block() -> None:
    program = parse_program(".constraint b severity(warn)\na: :- p(1).\n.constraint a severity(refuse)\nb: :- p(2).")
    assert [rule.constraint for rule in program.rules] == [Constraint(REFUSE), Constraint(WARN)]


def test_keys_and_references_are_called_after_their_text() -> None:
    key, reference = parse_program(".key p(x, y)\n.reference p(x) -> q(z).").rules
    assert (key.label, key.constraint) == ("key p(x, y)", Constraint(says=Key("p", ("x", "y"))))
    assert reference.constraint == Constraint(says=Reference("p", ("x",), "q", ("z",)))
    assert reference.label == "reference p(x) -> q(z)"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (":- .", "TL100"),
        (":- p(X)", "TL101"),
        (".key p", "TL100"),
        (".key p()", "TL113"),
        (".reference p(x) q(x)", "TL100"),
        (".constraint few", "TL100"),
        ("few: :- p(1). .constraint few severity(high)", "TL132"),
        ("p(X) :- q(X). .constraint p severity(warn)", "TL133"),
    ],
)
def test_what_is_wrong_is_told(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as raised:
        parse_program(text)
    assert raised.value.code == code


@pytest.mark.parametrize("text", [":- p(X).", "few: :- p(X). .constraint few severity(warn)", ".key p(x)"])
def test_constraints_come_in_change_scripts(text: str) -> None:
    ((change,),) = parse_changes(f"+ {text}\n")
    assert change == RuleAdded(parse_rule(text))
    assert parse_changes(print_changes(((change,),))) == ((change,),)
