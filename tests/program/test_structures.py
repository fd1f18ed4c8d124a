"""Records and algebraic types in programs: what they mean to the checks, and what is reported about mistakes."""

from __future__ import annotations

import pytest

from tidelog.program.check import check_program, examine_program
from tidelog.program.values.shape import Shape
from tidelog.program.values.structure import NIL
from tidelog.syntax import parse_program, print_program, print_rule

TYPES = """.type P = [x: number, next: P]
.type T = A {x: float} | B {} | C {t: T, p: P}
.decl p(x: P, t: T)
.decl q(x: number)
"""


def codes(text: str) -> list[str]:
    return [f.code for f in examine_program(parse_program(TYPES + text))[1] if f.severity == "error"]


def test_declarations_and_terms_are_printed_as_they_are_read() -> None:
    text = TYPES + "p([1, nil], $A(2)).\nq(x) :- p([x, _], $C($B, s)), s = [x, nil], !p(nil, $B).\n"
    program = parse_program(text)
    assert parse_program(print_program(program)) == program
    assert print_program(program) == text


def test_columns_know_their_shape_and_cells_are_records() -> None:
    schema = check_program(parse_program(TYPES)).schema
    list_, variant = schema["p"]
    assert list_ == variant == "record"
    assert isinstance(list_, Shape)
    assert isinstance(variant, Shape)
    assert (list_.name, list_.fields[1].type is list_, list_.is_recursive) == ("P", True, True)
    assert list(variant.constructors) == ["A", "B", "C"]
    assert f"{variant}" == "T"


def test_an_elaborated_rule_is_printed_as_it_was_written() -> None:
    text = "q(x) :- p([x, nil], $A(1)), !p(nil, $C($B, [x, nil]))."
    rule = check_program(parse_program(TYPES + text)).program.rules[0]
    assert print_rule(rule, "souffle") == text.replace("$A(1)", "$A(1.0)")
    assert NIL in rule.body[0].args[0].args  # type: ignore[union-attr]  # an atom with a record


def test_a_bracket_is_a_list_where_no_record_type_is() -> None:
    text = ".decl l(x: list)\nl([1, [2, 3]]).\nl([x]) :- q(x)."
    assert check_program(parse_program(TYPES + text)).schema["l"] == ("list",)


def test_names_of_base_types_that_soufflé_has_not_may_be_declared() -> None:
    text = ".type list = [head: number, tail: list]\n.decl l(x: list)\nl([1, nil]).\nl(t) :- l([_, t])."
    assert f"{check_program(parse_program(text)).schema['l'][0]}" == "list"


def test_an_alias_of_a_record_type_is_the_type() -> None:
    text = ".type Q = P\n.decl r(x: Q)\nr(x) :- p(x, _).\nr([1, [2, nil]])."
    assert check_program(parse_program(TYPES + text)).schema["r"][0].name == "P"  # type: ignore[union-attr]  # a shape


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("p([1], $B).", ["TL420"]),
        ("p([1, nil, 3], $B).", ["TL420"]),
        ("p(nil, $A).", ["TL420"]),
        ("q(x) :- p([x, _, _], _).", ["TL420"]),
        ("p(nil, $D(1)).", ["TL421"]),
        ("p(nil, nil).", ["TL422"]),
        ("q(nil).", ["TL422"]),
        ("p([nil, nil], $B).", ["TL422"]),
        ("q(x) :- p(_, x), x = nil.", ["TL401", "TL422"]),
        (".type S = B {}", ["TL423"]),
        (".type S = [a: number, a: number]", ["TL424"]),
        (".type S = D {a: number, a: number}", ["TL424"]),
        (".type S = [a: Nothing]", ["TL206"]),
        (".decl l(x: list)\nl([x, 1]) :- p(x, _).", ["TL425"]),
        (".decl l(x: list)\nl(f_init(x, 1)) :- p(_, x).", ["TL425"]),
        ("q(x) :- [x, nil] = [1, nil].", ["TL426"]),
        ('p(["a", nil], $B).', ["TL401"]),
        ("q(x) :- p([_, x], _).", ["TL401"]),
        ("q(1) :- p(x, y), x = y.", ["TL401"]),
        ("q(1) :- p([1, 2], _).", ["TL401"]),
        ("p($B, $B).", ["TL401"]),
        ("p(nil, [1, nil]).", ["TL401"]),
        ("q(1) :- p(x, _), p(y, _), x < y.", ["TL404"]),
        ("q(x) :- x = min y : { p(y, _) }.", ["TL401", "TL403"]),
        ("p(x, $B) :- x = [1, _].", ["TL301"]),
        ("q(1) :- p(x, _), !p([1, _], $B).", ["TL305"]),
        ("p([1, _], $B).", ["TL305"]),
        ("q(y) :- p([x, _], _).", ["TL301"]),
        ("q(y) :- p(s, _), s = [x + y, _], q(x).", ["TL301"]),
    ],
)
def test_mistakes_are_told_by_a_code_of_their_own(text: str, wanted: list[str]) -> None:
    assert codes(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "q(x) :- p(s, _), s = [x, _].",
        "q(x) :- p(s, _), [x, _] = s.",
        "q(x) :- p([_, [x, _]], $C($C($A(_), _), [x, nil])).",
        "p(s, $B) :- q(x), s = [x, nil].",
        "q(x) :- q(y), $C($A(1), [x, _]) = $C($A(1), [y, nil]).",
        "q(x) :- p(s, _), (s = [x, nil] ; s = [_, [x, nil]]).",
        "q(n) :- n = count : { p([x, _], $A(_)), x > 1 }.",
    ],
)
def test_patterns_bind_their_variables(text: str) -> None:
    assert codes(text) == []


def test_a_mistake_is_told_where_it_stands() -> None:
    findings = examine_program(parse_program(TYPES + "q(x) :- p([x, _, _], _), q(x)."))[1]
    (finding,) = (f for f in findings if f.severity == "error")
    assert finding.span is not None
    assert finding.span.text == "[x, _, _]"
    assert finding.message == "`P` has 2 parts, but 3 parts here"
