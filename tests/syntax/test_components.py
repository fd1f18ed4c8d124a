"""Reading components: their forms, and how reading goes on after a mistake inside one."""

from __future__ import annotations

from tidelog.program import ComponentType
from tidelog.syntax import parse_program, read_program


def test_a_component_with_parameters_bases_and_blocks() -> None:
    text = ".comp A<T, U> : B, C<U> { .override p  .comp D { .decl q(x: T) } .init d = D  p(1). }"
    (component,) = parse_program(text).components
    assert (component.name, component.params, component.overrides) == ("A", ("T", "U"), ("p",))
    assert component.bases == (ComponentType("B"), ComponentType("C", ("U",)))
    assert component.content.instances[0].type == ComponentType("D")
    assert component.content.components[0].content.declarations[0].columns[0].type == "T"
    assert [fact.atom.predicate for fact in component.content.facts] == ["p"]


def test_reading_goes_on_inside_a_component_after_a_mistake() -> None:
    text = """.comp A {
        .decl p(x: number)
        p(x) :- p(x) q(x).
        p(x) :- p(x), 1 < count : { p(y. }.
        p(1).
        .declare q(x: number)
        q(x) :- p(x).
    }
    .decl r(x: number)
    r(1).
    """
    program, found = read_program(text)
    assert [d.code for d in found] == ["TL100", "TL103", "TL111"]
    assert [fact.atom.predicate for fact in program.facts] == ["r"]
    (component,) = program.components
    assert [fact.atom.predicate for fact in component.content.facts] == ["p"]
    assert [rule.head.predicate for rule in component.content.rules] == ["q"]


def test_a_component_that_is_never_closed_is_told_where_it_opens() -> None:
    program, found = read_program(".comp A { .decl p(x: number)\np(1).\n")
    assert [d.code for d in found] == ["TL103"]
    assert len(program.components) == 1


def test_names_of_instances_are_no_values() -> None:
    text = ".decl p(x: number)\np(x) :- p(x), x = g.y.\np(1)."
    program, found = read_program(text)
    assert [d.code for d in found] == ["TL130"]
    assert len(program.facts) == 1


def test_an_override_outside_a_component_is_refused() -> None:
    assert [d.code for d in read_program(".decl p(x: number)\n.override p\np(1).")[1]] == ["TL129"]


def test_components_inside_one_another_without_end_are_too_deep() -> None:
    text = ".comp A { " * 20 + "} " * 20
    assert "TL110" in [d.code for d in read_program(text)[1]]


def test_question_marks_belong_to_names_and_addresses_are_numbers() -> None:
    program = parse_program(
        ".decl p(x?: number, ?y: number)\np(10.0.0.1, 255.255.255.255).\np(x?, y) :- p(?z, x?), p(y, ?z)."
    )
    assert [column.name for column in program.declarations[0].columns] == ["x?", "?y"]
    assert [arg.value for arg in program.facts[0].atom.args] == [167772161, -1]
    assert program.rules[0].head.args[0].name == "x?"


def test_an_address_out_of_range_is_told() -> None:
    assert [d.code for d in read_program(".decl p(x: number)\np(10.0.0.256).")[1]] == ["TL108"]
