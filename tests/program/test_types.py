"""Inference of column types, elaboration of literals, and the conflicts that are reported."""

from __future__ import annotations

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Const
from tidelog.program.check import CheckedProgram, check_program, examine_program
from tidelog.program.functions.table import FUNCTIONS, user_function
from tidelog.program.types.assign import variable_types
from tidelog.syntax import parse_program


def checked(text: str, **given: object) -> CheckedProgram:
    return check_program(parse_program(text), **given)  # type: ignore[arg-type]  # keywords of check_program


def codes(text: str) -> list[str]:
    _, findings = examine_program(parse_program(text))
    return [finding.code for finding in findings if finding.severity == "error"]


def test_declared_types_are_base_types_behind_aliases_and_subtypes() -> None:
    text = ".type City <: symbol\n.type Town = City\n.type Place = City | Village\n.type Village <: symbol\n"
    schema = checked(text + ".decl road(a: Town, b: Place, n: unsigned)\n").schema
    assert schema["road"] == ("symbol", "symbol", "unsigned")


def test_types_flow_through_rules_in_both_directions() -> None:
    schema = checked("p(1, a). q(Y, X) :- p(X, Y). r(Z) :- q(Z, _), s(Z).").schema
    assert schema == {"p": ("number", "symbol"), "q": ("symbol", "number"), "r": ("symbol",), "s": ("symbol",)}


def test_columns_without_any_hint_stay_open_and_share_a_class() -> None:
    result = checked("p(X, Y) :- e(X, Y), f(Y).")
    assert result.schema["p"] == (None, None)
    assert result.classes["p"] == result.classes["e"]
    assert result.classes["p"][1] == result.classes["f"][0]
    assert result.classes["p"][0] != result.classes["p"][1]


def test_integer_literal_in_a_float_column_becomes_a_float() -> None:
    program = checked("p(1). p(2.5). q(X) :- p(X), X > 2, X != 7 + 1.").program
    assert [fact.atom.args for fact in program.facts] == [(Const(1.0, "float"),), (Const(2.5, "float"),)]
    assert "Const(value=2.0, type='float')" in repr(program.rules)
    assert "type='number'" not in repr(program.rules)


def test_integer_literal_in_an_unsigned_column_becomes_unsigned() -> None:
    program = checked(".decl p(x: unsigned)\np(1).\np(x) :- p(y), x = y + 1.").program
    assert program.facts[0].atom.args == (Const(1, "unsigned"),)
    assert "type='number'" not in repr(program.rules)


def test_elaboration_retypes_inside_aggregates_and_disjunctions() -> None:
    text = ".decl p(x: float)\n.decl q(x: float)\nq(x) :- p(x), (x < 1 ; x = 2), 3 < sum y + 4 : { p(y), y != 5 }.\n"
    assert "type='number'" not in repr(checked(text).program.rules)


def test_literal_of_a_rule_leaves_the_column_open_for_data_to_come() -> None:
    assert checked("q(X) :- p(X), X > 0.").schema["p"] == (None,)


def test_bound_columns_give_their_type_to_literals() -> None:
    result = checked("q(X) :- p(X), X > 0.", bound={("p", 0): "float"})
    assert result.schema["q"] == ("float",)
    assert "Const(value=0.0, type='float')" in repr(result.program.rules)


def test_bound_column_that_a_rule_contradicts_is_an_error() -> None:
    with pytest.raises(ProgramError, match="TL401"):
        checked("q(X) :- p(X), X = a.", bound={("p", 0): "number"})


def test_known_relation_fixes_the_number_of_columns() -> None:
    with pytest.raises(ProgramError, match="TL202"):
        checked("q(X) :- p(X).", known={"p": 2})


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("p(N) :- w(X), N = strlen(X).", {"w": ("symbol",), "p": ("number",)}),
        ("p(L) :- w(X), L = [X].", {"w": (None,), "p": ("list",)}),
        ("p(X) :- l(L), X = f_first(L).", {"l": ("list",), "p": (None,)}),
        ("p(N) :- N = count : { q(_) }.", {"p": ("number",), "q": (None,)}),
        ("q(1). p(mean<X>) :- q(X).", {"p": ("float",), "q": ("number",)}),
        ("q(a). p(min<X>) :- q(X).", {"p": ("symbol",), "q": ("symbol",)}),
        ("q(1.5). p(Y) :- q(X), Y = X + Z, r(Z).", {"p": ("float",), "q": ("float",), "r": ("float",)}),
        ("p(S) :- q(X), S = to_string(X). q(1).", {"p": ("symbol",), "q": ("number",)}),
        ("p(S) :- q(X), S = to_number(X). q(1.5).", {"p": ("number",), "q": ("float",)}),
    ],
)
def test_signatures_give_types(text: str, schema: dict[str, tuple[str | None, ...]]) -> None:
    assert checked(text).schema == schema


def test_variables_of_two_aggregates_are_different_variables() -> None:
    text = "a(1). b(x). p(N, M) :- N = count : { a(Y) }, M = count : { b(Y) }."
    assert codes(text) == []


def test_variable_shared_with_the_rule_is_one_variable() -> None:
    assert codes("a(1). b(x). p(Y, M) :- a(Y), M = count : { b(Y) }.") == ["TL401"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(1). p(a).", ["TL401"]),
        ("p(1). q(X) :- p(X), X = a.", ["TL401"]),
        ("p(1). q(a). r(X) :- p(X), q(X).", ["TL401"]),
        ("p(a). q(X) :- p(X), X < 3.", ["TL401"]),
        ("p(a). q(X + 1) :- p(X).", ["TL402"]),
        ("p(1). q(N) :- p(X), N = strlen(X).", ["TL402"]),
        ("p([1]). q(X) :- p(X), X < [2].", ["TL404"]),
        ("p([1]). q(max<X>) :- p(X).", ["TL403"]),
        (".decl p(x: unsigned)\np(-3).", ["TL408"]),
        (".decl p(x: symbol)\np(3).", ["TL401"]),
    ],
)
def test_conflicts_have_their_codes(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_conflict_shows_both_places_and_blames_the_rule() -> None:
    _, findings = examine_program(parse_program("p(1).\nq(X) :- p(X), X = abc."))
    (finding,) = (f for f in findings if f.code == "TL401")
    assert finding.span is not None
    assert finding.span.line == 2
    assert {span.text for _, span in finding.related} == {"1", "abc"}


def test_equality_of_lists_is_accepted() -> None:
    assert codes("p([1]). q(X) :- p(X), X != [2], X = [1].") == []


def test_subtypes_of_one_base_join_if_one_is_wider() -> None:
    text = (
        ".type City <: symbol\n.type Place = City | Town\n.type Town <: symbol\n.decl c(x: City)\n.decl p(x: Place)\n"
    )
    assert codes(text + ".decl q(x: City)\nq(x) :- c(x), p(x).") == []
    assert codes(text + ".decl q(x: Place)\nq(x) :- c(x).") == []
    assert codes(text + ".decl q(x: City)\nq(x) :- p(x).") == ["TL405"]


def test_branches_of_a_disjunction_may_have_different_subtypes() -> None:
    text = ".type A <: symbol\n.type B <: symbol\n.decl a(x: A)\n.decl b(x: B)\n.decl c(x: symbol)\n"
    assert codes(text + "c(x) :- (a(x) ; b(x)).") == []


def test_user_functions_are_typed() -> None:
    half = user_function("half", ("number",), "float")(lambda x: x / 2)
    functions = FUNCTIONS.with_function(half)
    result = check_program(parse_program("p(Y) :- q(X), Y = half(X)."), functions)
    assert result.schema == {"p": ("float",), "q": ("number",)}


def test_variable_types_of_one_rule_over_a_schema() -> None:
    rule = parse_program("p(Y, S) :- q(X, S), Y = X * 2.").rules[0]
    assert variable_types(rule, {"q": ("float", "symbol")}) == {"X": "float", "S": "symbol", "Y": "float"}


def test_literals_of_arguments_beyond_the_columns_do_not_stop_the_check():
    text = "p(X) :- timer(X, 5, 0.5). q(X) :- timer(X, 5, 0, 0.5, 7), X > 0.5."
    with pytest.raises(ProgramError, match="TL202"):
        check_program(parse_program(text))
