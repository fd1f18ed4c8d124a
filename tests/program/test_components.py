"""What instances of components mean: the names, types, rules and facts of each, and what is reported about them."""

from __future__ import annotations

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Const
from tidelog.program.check import examine_program
from tidelog.program.messages.component_catalogue import CATALOGUE
from tidelog.syntax import parse_program, print_program, print_rule, read_program

GRAPH = """
.comp Graph<Node> {
    .decl edge(x: Node, y: Node)
    .decl path(x: Node, y: Node) overridable
    path(x, y) :- edge(x, y).
    far: path(x, z) :- path(x, y), edge(y, z).
}
.type City <: symbol
"""


def texts(text: str) -> list[str]:
    return [print_rule(rule, "souffle") for rule in parse_program(text).rules]


def codes(text: str) -> list[str]:
    program, found = read_program(text)
    return [d.code for d in (*found, *examine_program(program)[1])]


def columns(text: str) -> dict[str, list[str]]:
    return {d.relation: [c.type for c in d.columns] for d in parse_program(text).declarations}


@pytest.mark.parametrize("code", CATALOGUE)
def test_the_example_of_a_code_gets_that_code_alone(code: str) -> None:
    entry = CATALOGUE[code]
    assert {found.code for found in read_program(entry.example)[1]} == {code}
    assert entry.title
    assert entry.note
    assert entry.hint


def test_an_instance_puts_its_name_before_relations_and_labels() -> None:
    assert texts(GRAPH + ".init g = Graph<City>") == [
        "g.r1: g.path(x, y) :- g.edge(x, y).",
        "g.far: g.path(x, z) :- g.path(x, y), g.edge(y, z).",
    ]
    assert columns(GRAPH + ".init g = Graph<City>")["g.edge"] == ["City", "City"]


def test_the_rules_of_an_instance_stand_where_the_component_says_them() -> None:
    program = parse_program(GRAPH + ".init g = Graph<City>")
    assert program.rules[0].span is not None
    assert program.rules[0].span.text == "path(x, y) :- edge(x, y)."


def test_two_instances_share_nothing() -> None:
    names = columns(GRAPH + ".init g = Graph<City>\n.init h = Graph<number>")
    assert names["g.edge"] == ["City", "City"]
    assert names["h.edge"] == ["number", "number"]


def test_a_name_that_the_component_does_not_declare_is_that_of_the_text_around() -> None:
    text = ".decl base(x: number)\n.comp C { .decl p(x: number) p(x) :- base(x). base(1). }\n.init c = C"
    assert texts(text) == ["c.r1: c.p(x) :- base(x).", "c.f1: base(1)."]
    assert not parse_program(text).facts  # a fact for a relation outside goes when the instance goes


def test_nested_instances_are_named_from_outside_in() -> None:
    text = """
    .comp Leaf { .decl p(x: number) }
    .comp Tree { .init left = Leaf .decl q(x: number) q(x) :- left.p(x). }
    .init t = Tree
    t.left.p(1).
    """
    assert texts(text) == ["t.r1: t.q(x) :- t.left.p(x)."]
    assert sorted(columns(text)) == ["t.left.p", "t.q"]


def test_a_component_inside_a_component_is_known_there_and_in_what_inherits_it() -> None:
    text = """
    .comp Outer { .comp Inner { .decl p(x: number) } .init i = Inner }
    .comp More : Outer { .init j = Inner }
    .init m = More
    """
    assert sorted(columns(text)) == ["m.i.p", "m.j.p"]
    assert codes(text + ".init k = Inner\n") == ["TL221"]


def test_inheritance_brings_the_text_of_the_base_with_its_types() -> None:
    text = GRAPH + ".comp Loop<T> : Graph<T> { edge(x, x) :- edge(x, _). }\n.init l = Loop<City>"
    assert texts(text) == [
        "l.r1: l.edge(x, x) :- l.edge(x, _).",
        "l.r2: l.path(x, y) :- l.edge(x, y).",
        "l.far: l.path(x, z) :- l.path(x, y), l.edge(y, z).",
    ]


def test_an_override_leaves_out_what_the_bases_say_of_a_relation() -> None:
    text = GRAPH + ".comp Direct : Graph<City> { .override path\n path(x, y) :- edge(y, x). }\n.init d = Direct"
    assert texts(text) == ["d.r1: d.path(x, y) :- d.edge(y, x)."]


def test_an_override_of_a_relation_that_is_not_overridable_is_an_error_that_shows_both_places() -> None:
    text = GRAPH + ".comp D : Graph<City> { .override edge }\n.init d = D"
    found = read_program(text)[1]
    assert [d.code for d in found] == ["TL224"]
    assert found[0].related


def test_a_component_may_be_given_for_a_type_parameter() -> None:
    text = """
    .comp Source { .decl p(x: number) p(1). }
    .comp Use<S> : S { .init s = S }
    .init u = Use<Source>
    """
    assert sorted(columns(text)) == ["u.p", "u.s.p"]


def test_what_a_given_component_declares_may_be_overridden() -> None:
    text = ".comp M { .decl p(x: number) p(1). }\n.comp X<T> : T { .override p\n p(2). }\n.init x = X<M>"
    assert [fact.atom.args[0] for fact in parse_program(text).facts] == [Const(2, "number")]


def test_types_declared_inside_belong_to_the_instance() -> None:
    text = ".comp C<T> { .type Id <: T\n .type Ids = Id\n .decl p(x: Id, y: Ids) }\n.init c = C<symbol>"
    program = parse_program(text)
    assert [(t.name, t.bases) for t in program.types] == [("c.Id", ("symbol",)), ("c.Ids", ("c.Id",))]
    assert columns(text) == {"c.p": ["c.Id", "c.Ids"]}


def test_directives_inside_and_outside_name_the_instances_relations() -> None:
    text = ".comp C { .decl p(x: number) output }\n.init c = C\n.input c.p(IO=file)"
    assert [(d.kind, d.relation) for d in parse_program(text).directives] == [("input", "c.p"), ("output", "c.p")]


def test_paths_in_a_component_walk_along_the_instances_relations() -> None:
    text = ".comp C { .decl e(x: number, y: number) .decl r(x: number, y: number) r(x, y) :- e+(x, y). }\n.init c = C"
    assert texts(text) == ["c.r1: c.r(x, y) :- c.e+(x, y)."]


def test_a_mistake_in_a_component_is_told_once_for_all_its_instances() -> None:
    text = ".comp C { .decl p(x: number) p(x) :- q(x). p(x) :- (!p(x) ; 1 = 2). }\n.init a = C\n.init b = C"
    assert sorted(codes(text)) == ["TL201", "TL301", "TL501"]


def test_a_component_without_an_instance_says_nothing() -> None:
    assert codes(".comp C { .decl p(x: number) p(x) :- nothing(x). }") == []


def test_the_text_of_a_program_with_instances_reads_as_the_same_program() -> None:
    program = parse_program(GRAPH + ".init g = Graph<City>\n.output g.path\ng.edge(a, b).")
    assert parse_program(print_program(program)) == program


def test_components_need_souffles_convention() -> None:
    with pytest.raises(ProgramError) as error:
        parse_program(".convention prolog\n.comp C { }")
    assert {d.code for d in error.value.diagnostics} == {"TL128"}
