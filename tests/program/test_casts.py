"""Casts `as(x, T)`, and the types of older programs."""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.program.check import check_program, examine_program
from tidelog.syntax import parse_program, print_rule, read_program

TYPES = """
.type City <: symbol
.type Town <: City
.decl name(x: symbol)
.decl city(x: City)
.decl town(x: Town)
.decl size(x: number)
"""


def codes(text: str) -> list[str]:
    program, found = read_program(text)
    return [d.code for d in (*found, *examine_program(program)[1])]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("city(x) :- name(x).", ["TL405"]),
        ("city(as(x, City)) :- name(x).", []),
        ("city(as(x, Town)) :- name(x).", []),
        ("town(as(x, City)) :- name(x).", ["TL405"]),
        ("city(y) :- name(x), y = as(x, City).", []),
        ("town(y) :- name(x), as(x, City) = y.", ["TL405"]),
        ("city(y) :- name(x), y = as(cat(x, x), City).", []),
        ("city(as(x, Village)) :- name(x).", ["TL206"]),
        ("size(as(x, number)) :- name(x).", ["TL409"]),
        ("size(as(x, number)) :- size(x).", []),
        ("city(as(x, number)) :- name(x).", ["TL409"]),
        ("city(x) :- name(x), as(x, City) != as(x, Town).", ["TL405"]),
    ],
)
def test_a_cast_says_to_which_type_a_value_belongs(rule: str, expected: list[str]) -> None:
    assert codes(TYPES + rule) == expected


def test_a_cast_changes_no_value() -> None:
    text = TYPES + "city(as(x, City)) :- name(x), x != as(y, City), name(y).\nname(a).\nname(b).\nname(as(c, City))."
    assert sorted(Engine(text)["city"]) == [("a",), ("b",), ("c",)]
    rules = check_program(parse_program(text)).rules
    assert [print_rule(rule, "souffle") for rule in rules] == ["city(x) :- name(x), x != y, name(y)."]
    assert print_rule(parse_program(text).rules[0], "souffle").startswith(
        "city(as(x, City)) :- name(x), x != as(y, City)"
    )


def test_a_cast_gives_a_number_its_type() -> None:
    db = Engine(".decl p(x: unsigned)\n.decl q(x: number)\nq(1).\np(as(7, unsigned)) :- q(_).")
    assert list(db["p"]) == [(7,)]
    assert db["p"].types == ("unsigned",)


def test_types_alone_are_symbols_and_equal_types_are_the_same() -> None:
    text = ".type City\n.number_type Size\n.symbol_type Name\n.type Alias = City\n"
    text += ".decl p(x: City, y: Size, z: Name)\n.decl q(x: Alias)\nq(x) :- p(x, _, _).\n"
    program = parse_program(text)
    assert codes(text) == []
    assert check_program(program).schema["p"] == ("symbol", "number", "symbol")


@pytest.mark.parametrize("type_", [".type City", ".type City <: symbol"])
def test_a_legacy_program_is_warned_where_souffle_lets_it_pass(type_: str) -> None:
    text = type_ + "\n.type Person <: symbol\n.decl name(x: symbol)\n.decl city(x: City)\n.decl person(x: Person)\n"
    flows = "city(x) :- name(x).\nperson(x) :- city(x).\n"
    assert codes(text + flows) == ["TL405", "TL405"]
    assert codes('.pragma "legacy"\n' + text + flows) == ["TL720", "TL720"]
    assert codes('.pragma "legacy"\n' + text + "name(x) :- city(x), person(x).") == ["TL406"]
    assert sorted(Engine('.pragma "legacy"\n' + text + flows + "name(a).")["person"]) == [("a",)]


def test_components_cast_to_types_of_their_own() -> None:
    text = (
        ".comp C<T> { .type Id <: T\n .decl p(x: Id)\n p(as(x, Id)) :- q(x). }\n.decl q(x: symbol)\n.init c = C<symbol>"
    )
    assert codes(text) == []
    assert print_rule(parse_program(text).rules[0], "souffle") == "c.r1: c.p(as(x, c.Id)) :- q(x)."
